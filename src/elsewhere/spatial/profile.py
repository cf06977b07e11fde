"""Velocity profile with different acceleration and deceleration (AVATRINA, section 4.4)."""

from __future__ import annotations

import math

from elsewhere.kernel import kernel


@kernel
def ramp(now: float, wanted: float, acceleration: float, deceleration: float, dt: float) -> float:
    """The next velocity on the way from `now` to `wanted`.

    Speeding up is bounded by `acceleration`, slowing down (towards zero, also on the way to the
    other direction) by `deceleration`. Invariant: |next - now| <= max(a, d) dt, and no overshoot.
    """
    slowing = now * (wanted - now) < 0.0
    rate = deceleration if slowing else acceleration
    step = wanted - now
    most = rate * dt
    if abs(step) > most:
        step = math.copysign(most, step)
    after = now + step
    # A change of direction passes through zero, where the bound changes: stop there for one step.
    return 0.0 if slowing and after * now < 0.0 else after
