"""A head with three axes that meet in one point, and two eyes at a motorised distance.

After AVATRINA (Correia Marques et al., 2024, sections 3 and 5.3): yaw, pitch and roll by Dynamixel
XM430 motors; two cameras on a rail whose distance goes from 49.44 to 69.88 mm.
"""

from __future__ import annotations

import mujoco
import numpy as np

from elsewhere.bodies.head import HeadPart
from elsewhere.bodies.registry import part
from elsewhere.bodies.shapes import (
    ACCENT,
    GLASS,
    GRAPHITE,
    SHELL,
    STEEL,
    box,
    capsule,
    cylinder,
    ellipsoid,
    feel_capsule,
    inertia,
    new_spec,
)

BASELINE = (0.04944, 0.06988)
RESTING_BASELINE = 0.06272  # mean distance of human eyes, as the paper takes it
LOWER = np.array([-1.4, -0.7, -0.6])
UPPER = np.array([1.4, 0.9, 0.6])
VELOCITY = np.full(3, 4.0)  # rad/s: XM430-W350 at 12 V turns at 46 rpm, 4.8 rad/s
CENTRE_Z = 0.10  # where the axes meet, above the neck
_EYE_X, _EYE_Z = 0.085, 0.0


@part("head", "gimbal")
def gimbal_head(fov_deg: float) -> HeadPart:
    """A gimballed stereo head; `fov_deg` is the vertical field of view of each eye."""
    made, (neck, yaw, pitch, head) = mechanism("gimbal", fov_deg)
    cylinder(neck, (0, 0, -0.02), (0, 0, 0.028), 0.036, GRAPHITE)
    _draw(yaw, pitch, head)
    feel_capsule(head, (0.0, -0.05, 0.01), (0.0, 0.05, 0.01), 0.075)
    return made


def mechanism(name: str, fov_deg: float) -> tuple[HeadPart, tuple[mujoco.MjsBody, ...]]:
    """The joints, servos and eyes of a head without its shell; neck, yaw, pitch and head bodies."""
    spec = new_spec(f"{name}_head")
    neck = spec.worldbody.add_body(name="neck")
    inertia(neck, 0.4, (0, 0, 0.03), (0.03, 0.03, 0.03))
    neck.add_site(name="centre", pos=[0, 0, CENTRE_Z], group=4)
    yaw = neck.add_body(name="yaw", pos=[0, 0, CENTRE_Z])
    inertia(yaw, 0.25, (0, 0, -0.04), (0.03, 0.03, 0.02))
    pitch = yaw.add_body(name="pitch")
    inertia(pitch, 0.25, (-0.04, 0, 0), (0.02, 0.03, 0.02))
    head = pitch.add_body(name="head")
    inertia(head, 0.7, (0.02, 0, 0.01), (0.06, 0.07, 0.045))
    for index, (joint, body, axis) in enumerate(
        (("yaw", yaw, [0, 0, 1]), ("pitch", pitch, [0, 1, 0]), ("roll", head, [1, 0, 0]))
    ):
        body.add_joint(
            name=joint,
            axis=axis,
            range=[LOWER[index], UPPER[index]],
            limited=True,
            armature=0.01,
            damping=0.1,
        )
        _add_servo(spec, joint, LOWER[index], UPPER[index], gain=60.0, damping=2.4, force=12.0)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        _add_eye(spec, head, side, sign, fov_deg)
    made = HeadPart(
        name=name,
        spec=spec,
        root="neck",
        centre="centre",
        face="head",
        cameras=("camera_left", "camera_right"),
        lower=LOWER,
        upper=UPPER,
        velocity=VELOCITY,
        baseline=BASELINE,
    )
    return made, (neck, yaw, pitch, head)


def _draw(yaw: mujoco.MjsBody, pitch: mujoco.MjsBody, head: mujoco.MjsBody) -> None:
    cylinder(yaw, (0, 0, -0.072), (0, 0, -0.052), 0.034, STEEL)
    ellipsoid(head, (0.0, 0, 0.012), (0.082, 0.092, 0.075), SHELL)
    box(head, (0.055, 0, 0.0), (0.018, 0.072, 0.026), GRAPHITE)
    capsule(head, (0.0, -0.088, 0.008), (0.0, 0.088, 0.008), 0.024, GRAPHITE)
    cylinder(head, (0.0, -0.116, 0.008), (0.0, 0.116, 0.008), 0.014, ACCENT)


def _add_eye(spec: mujoco.MjSpec, head: mujoco.MjsBody, name: str, sign: float, fov_deg: float) -> None:
    """An eye on its slide. The joint's value is half the distance of the two eyes."""
    rest = RESTING_BASELINE / 2.0
    eye = head.add_body(name=f"eye_{name}", pos=[_EYE_X, sign * rest, _EYE_Z])
    inertia(eye, 0.06, (-0.01, 0, 0), (0.015, 0.012, 0.012))
    low, high = (limit / 2.0 for limit in BASELINE)
    # `ref` makes the joint's value a half distance: at rest it is not 0 but half the baseline.
    eye.add_joint(
        name=f"eye_{name}",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[0, sign, 0],
        ref=rest,
        range=[low, high],
        limited=True,
        armature=0.05,
        damping=2.0,
    )
    _add_servo(spec, f"eye_{name}", low, high, gain=800.0, damping=20.0, force=20.0)
    cylinder(eye, (-0.02, 0, 0), (-0.004, 0, 0), 0.0195, STEEL)
    cylinder(eye, (-0.006, 0, 0), (-0.002, 0, 0), 0.0155, GLASS)
    # A camera looks along its -z with y up: here along the head's x.
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.array([0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0]))
    eye.add_camera(name=f"camera_{name}", quat=quat, fovy=fov_deg)


def _add_servo(
    spec: mujoco.MjSpec, name: str, low: float, high: float, *, gain: float, damping: float, force: float
) -> None:
    actuator = spec.add_actuator(
        name=name,
        target=name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        ctrllimited=True,
        ctrlrange=[low, high],
        forcelimited=True,
        forcerange=[-force, force],
    )
    actuator.set_to_position(kp=gain, kv=damping)
