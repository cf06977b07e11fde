from __future__ import annotations

import numpy as np
import pytest

from elsewhere.errors import RigError
from elsewhere.presence.tracking.camera import Camera


def test_the_field_of_view_is_across_the_width() -> None:
    camera = Camera.from_fov(640, 480, 90.0)
    assert camera.fx == pytest.approx(320.0)
    # The outer edges of the outermost pixels are at 45 degrees.
    edge = camera.matrix @ np.array([1.0, 0.0, 1.0])
    assert edge[0] == pytest.approx(639.5)


@pytest.mark.parametrize("fov", [0.0, -10.0, 179.0, np.nan, np.inf])
def test_a_field_of_view_that_no_camera_has_is_refused(fov: float) -> None:
    with pytest.raises(RigError, match="field of view"):
        Camera.from_fov(640, 480, fov)


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(RigError):
        Camera.from_focal(640, 480, np.nan)
    with pytest.raises(RigError):
        Camera(640, 0, 500.0, 500.0, 320.0, 240.0)
