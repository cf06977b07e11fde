"""Compiled steps of an arm that follows a way in joint space."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel

Array = NDArray[np.float64]

PULL = 12.0  # 1/s: how fast what the arm lags behind its way is made good


@kernel
def way_velocity(
    frame: NDArray[np.void],
    side: int,
    now_ns: int,
    share: float,
    q: Array,
    bounds: Array,
    dt: float,
    velocity: Array,
) -> None:
    """Joint velocities that keep commanded joints `q` on the way of a FRAME at `now_ns`.

    The way is a minimum-jerk motion from way_from to way_to (Flash and Hogan, 1985):
    w(s) = from + (10 s^3 - 15 s^4 + 6 s^5)(to - from), s = (now - begin) / (end - begin) in 0..1, and
    velocity = share (dw/dt + k (w - q)). `bounds` (4, n): least and greatest angle, speed, deceleration.

    Invariants, whatever the frame holds: all joints slow down together where one would be too fast, so
    that the arm stays on its line; no velocity leads out of the range of a joint.
    """
    f: Any = frame[0]
    n = bounds.shape[1]
    span = (float(f.way_end_ns) - float(f.way_begin_ns)) * 1e-9
    s, rate = 1.0, 0.0
    if span > 0.0:
        s = min(max((float(now_ns) - float(f.way_begin_ns)) * 1e-9 / span, 0.0), 1.0)
        rate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / span
    done = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)
    excess = 1.0
    for i in range(n):
        first = min(max(f.way_from[side, i], bounds[0, i]), bounds[1, i])
        last = min(max(f.way_to[side, i], bounds[0, i]), bounds[1, i])
        v = rate * (last - first) + PULL * (first + done * (last - first) - q[i])
        velocity[i] = v if math.isfinite(v) else 0.0
        excess = max(excess, abs(velocity[i]) / bounds[2, i])
    for i in range(n):
        v = share * velocity[i] / excess
        up, down = max(bounds[1, i] - q[i], 0.0), max(q[i] - bounds[0, i], 0.0)
        v = min(v, min(math.sqrt(2.0 * bounds[3, i] * up), up / dt))
        velocity[i] = max(v, -min(math.sqrt(2.0 * bounds[3, i] * down), down / dt))
