"""A viewer's head that moves a little: slow sway of the head and a gaze that wanders, from a seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.lab.overlay_session import frontal
from elsewhere.lab.viewer import looking
from elsewhere.spatial._kernels import quat_from_matrix

Array = NDArray[np.float64]

SWAY = np.array([0.05, 0.08, 0.03])
"""Standard deviation of the head's place [m]: ahead, aside, up. A guess of someone who looks on."""
GAZE = np.array([0.0, 0.06, 0.05])
"""Of the point looked at [m]."""
SLOWEST_HZ, FASTEST_HZ = 0.05, 0.6
WAVES = 8


def swaying_head(shoulders: Array, frames: int, rate_hz: float, seed: int) -> tuple[Array, Array]:
    """Positions (n, 3) and quaternions (n, 4) of the camera before a robot with these shoulders (2, 3)."""
    rng = np.random.default_rng(seed)
    time = np.arange(frames) / rate_hz
    eye = frontal(shoulders)[0] + SWAY * _waves(rng, time)
    target = np.mean(shoulders, axis=0) + GAZE * _waves(rng, time)
    turns = np.zeros((frames, 4))
    for k in range(frames):
        quat_from_matrix(looking(eye[k], target[k]), turns[k])
    return eye, turns


def _waves(rng: np.random.Generator, time: Array) -> Array:
    """Three smooth random signals (n, 3) of standard deviation about 1."""
    hz = np.exp(rng.uniform(np.log(SLOWEST_HZ), np.log(FASTEST_HZ), (WAVES, 3)))
    phase = rng.uniform(0.0, 2 * np.pi, (WAVES, 3))
    waves: Array = np.sin(2 * np.pi * hz * time[:, None, None] + phase).sum(axis=1)
    scaled: Array = waves * np.sqrt(2.0 / WAVES)
    return scaled
