"""Finds the joints that put a palm at a wanted pose: used once, when a body is composed."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from elsewhere.bodies.limits import JointLimits
from elsewhere.bodies.mounts import Array, Pose

_ROUNDS = 200


def starts(limits: JointLimits, count: int = 12) -> tuple[Array, ...]:
    """The middle of the joint ranges, then `count` poses around it. The same ones each time."""
    spread = 0.35 * (limits.upper - limits.lower)
    random = np.random.default_rng(0)
    tries = tuple(limits.middle + spread * random.uniform(-1.0, 1.0, len(spread)) for _ in range(count))
    return (limits.middle, *tries)


def reach(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    joints: Sequence[str],
    site: str,
    target: Pose,
    seed: Array,
    limits: JointLimits,
    margin: float = 0.3,
) -> tuple[Array, float]:
    """Joints near `seed` that bring `site` to `target` (in the world), and the remaining error.

    Damped least squares, J^T (J J^T + l I)^-1 e, with a pull towards the seed in the null space and
    each joint kept `margin` away from its limits. Deterministic. Error: metres plus radians.
    """
    addresses = [model.joint(name).qposadr[0] for name in joints]
    columns = [model.joint(name).dofadr[0] for name in joints]
    identity = model.site(site).id
    space = np.minimum(margin, 0.2 * (limits.upper - limits.lower))
    lower, upper = limits.lower + space, limits.upper - space
    q = np.clip(seed, lower, upper)
    full, best, least = np.zeros((6, model.nv)), q.copy(), np.inf
    for _ in range(_ROUNDS):
        data.qpos[addresses] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacSite(model, data, full[:3], full[3:], identity)
        error = pose_error(data.site_xmat[identity].reshape(3, 3), data.site_xpos[identity], target)
        size = float(np.linalg.norm(error[:3]) + np.linalg.norm(error[3:]))
        if size < least:
            best, least = q.copy(), size
        if size < 1e-9:
            break
        J = full[:, columns]
        pinv = J.T @ np.linalg.inv(J @ J.T + 1e-5 * np.eye(6))
        step = pinv @ error + 0.1 * (np.eye(len(q)) - pinv @ J) @ (seed - q)
        q = np.clip(q + step * min(1.0, 0.3 / (np.abs(step).max() + 1e-12)), lower, upper)
    return best, least


def pose_error(R: Array, p: Array, target: Pose) -> Array:
    """Twist (linear first) that carries a pose to the target: position error, rotation vector."""
    quat, turn = np.zeros(4), np.zeros(3)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(target[0] @ R.T).ravel())
    mujoco.mju_quat2Vel(turn, quat, 1.0)
    return np.concatenate([target[1] - p, turn])
