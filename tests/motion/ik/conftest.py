from __future__ import annotations

import pytest
from ik_arms import KINDS, urdf

from elsewhere.bodies.compose import compose
from elsewhere.rig import parse_rig


@pytest.fixture(scope="session")
def own_arms(tmp_path_factory):
    """Arms of six joints, and of eight with a prismatic one, loaded from URDF."""
    folder, arms = tmp_path_factory.mktemp("arms"), {}
    for count, kinds in KINDS.items():
        (folder / f"arm{count}.urdf").write_text(urdf(kinds))
        rig = parse_rig(
            {"name": "own", "arms": {"right": {"part": f"arm{count}.urdf", "mount": "forwards"}}},
            path=folder / "rig.toml",
        )
        arms[count] = compose(rig).arms[1]
    return arms
