"""Our arm for other programs: as URDF text and as a MuJoCo model of nothing but that arm.

Both are made from `bodies.chain.Chain`, kinematics and limits only, so that a peer pays for seven
joints and not for a whole avatar. The palm is a link (URDF) or a site (MuJoCo) named `palm`.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm

Array = NDArray[np.float64]

PALM = "palm"


def joint_names(arm: Arm) -> list[str]:
    return [f"joint{index + 1}" for index in range(arm.chain.n)]


def urdf(arm: Arm) -> str:
    """The arm from the base frame to the palm, each number to the last digit."""
    chain, limits = arm.chain, arm.limits
    lines = ['<?xml version="1.0"?>', '<robot name="arm">', '<link name="base"/>']
    parent = "base"
    for k, name in enumerate(joint_names(arm)):
        child = f"link{k + 1}"
        kind = "revolute" if chain.kind[k] == 0 else "prismatic"
        lines += [
            f'<link name="{child}"/>',
            f'<joint name="{name}" type="{kind}">',
            f'<parent link="{parent}"/><child link="{child}"/>',
            _origin(chain.R[k], chain.p[k]),
            f'<axis xyz="{_text(chain.axis[k])}"/>',
            f'<limit lower="{float(limits.lower[k])!r}" upper="{float(limits.upper[k])!r}" '
            f'velocity="{float(limits.velocity[k])!r}" effort="{float(limits.torque[k])!r}"/>',
            "</joint>",
        ]
        parent = child
    lines += [
        f'<link name="{PALM}"/>',
        f'<joint name="{PALM}_mount" type="fixed"><parent link="{parent}"/><child link="{PALM}"/>',
        _origin(chain.R[-1], chain.p[-1]),
        "</joint>",
        "</robot>",
    ]
    return "\n".join(lines)


def mujoco_model(arm: Arm) -> mujoco.MjModel:
    """The arm alone, compiled without a detour through text, which is rounded to six digits."""
    chain, limits = arm.chain, arm.limits
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    parent = spec.worldbody
    for k, name in enumerate(joint_names(arm)):
        parent = parent.add_body(name=f"link{k + 1}", pos=chain.p[k], quat=_quat(chain.R[k]))
        # Kinematics ask for no mass, but a moving body must have one.
        parent.explicitinertial = True
        parent.mass, parent.inertia = 1.0, [1e-2, 1e-2, 1e-2]
        parent.add_joint(
            name=name,
            type=mujoco.mjtJoint.mjJNT_HINGE if chain.kind[k] == 0 else mujoco.mjtJoint.mjJNT_SLIDE,
            axis=chain.axis[k],
            range=[limits.lower[k], limits.upper[k]],
            limited=True,
        )
    parent.add_site(name=PALM, pos=chain.p[-1], quat=_quat(chain.R[-1]))
    return spec.compile()


def _origin(R: Array, p: Array) -> str:
    """Fixed-axis roll, pitch, yaw of R = Rz Ry Rx. At a pitch of 90 degrees the roll is set to zero."""
    sine = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], sine)
    if sine > 1e-9:
        roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
    else:
        roll, yaw = 0.0, math.atan2(-R[0, 1], R[1, 1])
    return f'<origin xyz="{_text(p)}" rpy="{_text((roll, pitch, yaw))}"/>'


def _text(values: Array | tuple[float, ...]) -> str:
    return " ".join(repr(float(value)) for value in values)


def _quat(R: Array) -> Array:
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(R).ravel())
    return quat
