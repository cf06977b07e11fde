"""A stand for a table-top robot: a narrow column with a top plate, and a tag on its front.

It does not move. What an avatar's base has by contract (three joints, their servos, range finders) is
there, each joint held by a stiff spring, so that every part of the system meets a base like any other.
"""

from __future__ import annotations

import mujoco
import numpy as np

from elsewhere.bodies.marker import add_marker
from elsewhere.bodies.registry import part
from elsewhere.bodies.shapes import (
    GRAPHITE,
    RUBBER,
    SHADE,
    box,
    cylinder,
    feel_box,
    inertia,
    new_spec,
)
from elsewhere.bodies.trunk import BasePart

HEIGHT = 0.95  # m: puts a YuMi's shoulders where those of a standing person are
MASS = 120.0
_SPRING = (2.0e6, 2.0e6, 4.0e5)  # N/m, N/m, N m/rad: 50 N move it by 25 um
_GAIN = (6.0e4, 6.0e4, 1.0e4)
_FRONT = 0.115  # m, where the column's front is
MARKER_Z = 0.62  # low enough that no hand at work hides it from a visitor
# x to the right and y up as one faces the plate, z ahead.
MARKER_R = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


@part("base", "pedestal")
def pedestal() -> BasePart:
    """A fixed column."""
    spec = new_spec("pedestal")
    base = spec.worldbody.add_body(name="base")
    inertia(base, MASS, (0, 0, 0.4), (0.2, 0.2, 0.45))
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    axes = (("base_x", slide, [1, 0, 0]), ("base_y", slide, [0, 1, 0]), ("base_yaw", hinge, [0, 0, 1]))
    for (name, kind, axis), spring, gain in zip(axes, _SPRING, _GAIN, strict=True):
        joint = base.add_joint(name=name, type=kind, axis=axis)
        joint.stiffness[0] = spring
        actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_velocity(kv=gain)
    _draw(base)
    feel_box(base, (-0.03, 0, 0.5 * HEIGHT - 0.02), (0.14, 0.12, 0.5 * HEIGHT - 0.04))
    feel_box(base, (-0.03, 0, HEIGHT - 0.02), (0.22, 0.22, 0.02))
    marker = add_marker(base, spec, MARKER_R, np.array([_FRONT + 0.004, 0.0, MARKER_Z]))
    base.add_site(name="base_top", pos=[0, 0, HEIGHT], group=4)
    return BasePart(name="pedestal", spec=spec, top="base_top", ranges=(), marker=marker)


def _draw(base: mujoco.MjsBody) -> None:
    box(base, (-0.03, 0, HEIGHT - 0.016), (0.22, 0.22, 0.016), SHADE)
    box(base, (-0.03, 0, HEIGHT - 0.036), (0.205, 0.205, 0.004), GRAPHITE)
    box(base, (-0.03, 0, 0.5 * HEIGHT - 0.005), (0.145, 0.115, 0.5 * HEIGHT - 0.035), GRAPHITE)
    box(base, (-0.03, 0, 0.022), (0.26, 0.26, 0.016), GRAPHITE)
    for x in (-0.24, 0.18):
        for y in (-0.21, 0.21):
            cylinder(base, (x, y, 0.0), (x, y, 0.008), 0.03, RUBBER)
