"""A serial chain: the joints between a root body and a tip, with the inertia they carry.

Built from the compiled MuJoCo model, so that there is one source for physics and control. What is
welded to a link, and what hangs on joints outside the chain (fingers), is lumped into that link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import _kernels
from elsewhere.errors import ModelError

Array = NDArray[np.float64]

_HINGE, _SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)


@dataclass(frozen=True)
class Chain:
    """Kinematics and inertia of n joints, in the root frame. Joints are revolute or prismatic."""

    kind: NDArray[np.int64]
    axis: Array
    R: Array
    p: Array
    mass: Array
    com: Array
    inertia: Array
    gravity: Array
    armature: Array

    @property
    def n(self) -> int:
        """How many joints."""
        return len(self.kind)

    @property
    def arrays(self) -> _kernels.ChainArrays:
        """The chain as the compiled kernels take it."""
        return (self.kind, self.axis, self.R, self.p, self.mass, self.com, self.inertia, self.gravity)

    @cached_property
    def packed(self) -> NDArray[np.void]:
        """The chain as one record of `_kernels.CHAIN`, in an array of shape (1,)."""
        record = np.zeros(1, _kernels.CHAIN)
        record["n"] = self.n
        for name in ("kind", "axis", "R", "p", "mass", "com", "inertia", "gravity"):
            values = getattr(self, name)
            record[name][0, : len(values)] = values
        return record

    def forward(self, q: Array) -> tuple[Array, Array, Array]:
        """Tip rotation, tip position and Jacobian (linear rows first) at q, in the root frame."""
        R, p, J = np.empty((3, 3)), np.empty(3), np.empty((6, self.n))
        _kernels.forward(self.arrays, np.asarray(q, float), R, p, J, scratch())
        return R, p, J

    def origins(self, q: Array) -> Array:
        """Where each joint is at q, in the root frame: (n, 3). For a hinge a point on its axis."""
        work = scratch()
        R, p, J = np.empty((3, 3)), np.empty(3), np.empty((6, self.n))
        _kernels.forward(self.arrays, np.asarray(q, float), R, p, J, work)
        return work[_kernels.MAX : _kernels.MAX + self.n].copy()

    def bias(self, q: Array, dq: Array) -> Array:
        """Gravity and Coriolis torques at (q, dq) [N m]."""
        tau = np.empty(self.n)
        _kernels.bias(self.arrays, np.asarray(q, float), np.asarray(dq, float), tau, scratch())
        return tau

    def inertia_diagonal(self, q: Array) -> Array:
        """Inertia that each joint feels at q with all others locked [kg m^2 or kg]."""
        n = self.n
        R, p = np.eye(3), np.zeros(3)
        axes, origins, centres, tensors = [], [], [], []
        for k in range(n):
            p = p + R @ self.p[k]
            R = R @ self.R[k]
            axis = R @ self.axis[k]
            if self.kind[k] == 0:
                turn = np.empty((3, 3))
                _kernels.joint_rotation(self.axis[k], float(q[k]), turn)
                R = R @ turn
            else:
                p = p + axis * q[k]
            axes.append(axis)
            origins.append(p)
            centres.append(p + R @ self.com[k])
            tensors.append(R @ self.inertia[k] @ R.T)
        felt = np.zeros(n)
        for i in range(n):
            for k in range(i, n):
                arm = np.cross(axes[i], centres[k] - origins[i])
                turned = axes[i] @ tensors[k] @ axes[i] + self.mass[k] * arm @ arm
                felt[i] += turned if self.kind[i] == 0 else self.mass[k]
        return felt + self.armature

    @classmethod
    def from_mujoco(cls, model: Any, joints: Sequence[str], tip_site: str, root_body: str) -> Chain:
        """The chain through `joints` (in order) from `root_body` to `tip_site`.

        Joints outside the chain are frozen at the model's reference pose. The root must not move
        relative to gravity's direction other than by translation and yaw.
        """
        if not 1 <= len(joints) <= _kernels.MAX:
            raise ModelError(f"A chain has 1 to {_kernels.MAX} joints, not {len(joints)}.")
        ids = [_find(model, mujoco.mjtObj.mjOBJ_JOINT, name, "joint") for name in joints]
        tip = _find(model, mujoco.mjtObj.mjOBJ_SITE, tip_site, "site")
        root = _find(model, mujoco.mjtObj.mjOBJ_BODY, root_body, "body")
        for index, name in zip(ids, joints, strict=True):
            if int(model.jnt_type[index]) not in (_HINGE, _SLIDE):
                raise ModelError(f"Joint '{name}' is neither a hinge nor a slide: it cannot be in an arm.")

        data = mujoco.MjData(model)
        for index in ids:
            data.qpos[model.jnt_qposadr[index]] = 0.0
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)

        # A frame for the root, each joint (at its anchor, turned as its body) and the tip.
        frames = [(data.xmat[root].reshape(3, 3), data.xpos[root])]
        for index in ids:
            body = model.jnt_bodyid[index]
            anchor = data.xpos[body] + data.xmat[body].reshape(3, 3) @ model.jnt_pos[index]
            frames.append((data.xmat[body].reshape(3, 3), anchor))
        frames.append((data.site_xmat[tip].reshape(3, 3), data.site_xpos[tip]))
        R = np.stack([a[0].T @ b[0] for a, b in pairwise(frames)])
        p = np.stack([a[0].T @ (b[1] - a[1]) for a, b in pairwise(frames)])

        mass, com, inertia = _lump(model, data, ids, frames[1:-1])
        kind = [0 if int(model.jnt_type[index]) == _HINGE else 1 for index in ids]
        return cls(
            kind=np.array(kind, np.int64),
            axis=np.array([model.jnt_axis[index] for index in ids]),
            R=R,
            p=p,
            mass=mass,
            com=com,
            inertia=inertia,
            gravity=frames[0][0].T @ model.opt.gravity,
            armature=np.array([model.dof_armature[model.jnt_dofadr[index]] for index in ids]),
        )


def scratch() -> Array:
    """Room for the kernels' intermediate values: make it once, outside the loop."""
    return np.zeros((_kernels.WORK_ROWS, 3))


def _find(model: Any, kind: Any, name: str, what: str) -> int:
    index = int(mujoco.mj_name2id(model, kind, name))
    if index < 0:
        raise ModelError(f"The model has no {what} named '{name}'.")
    return index


def _lump(
    model: Any, data: Any, ids: Sequence[int], frames: Sequence[tuple[Array, Array]]
) -> tuple[Array, Array, Array]:
    """Mass, centre of mass and inertia of all bodies that move with each joint but not the next."""
    owner = {int(model.jnt_bodyid[index]): link for link, index in enumerate(ids)}
    members: list[list[int]] = [[] for _ in ids]
    for body in range(model.nbody):
        above = body
        while above and above not in owner:
            above = int(model.body_parentid[above])
        if above in owner:
            members[owner[above]].append(body)
    mass, com, inertia = np.zeros(len(ids)), np.zeros((len(ids), 3)), np.zeros((len(ids), 3, 3))
    for link, (bodies, (R_link, p_link)) in enumerate(zip(members, frames, strict=True)):
        masses = model.body_mass[bodies]
        total = masses.sum()
        if total <= 0.0:
            continue
        centres = (data.xipos[bodies] - p_link) @ R_link
        centre = masses @ centres / total
        for body, m, c in zip(bodies, masses, centres, strict=True):
            R_inertial = R_link.T @ data.ximat[body].reshape(3, 3)
            offset = c - centre
            inertia[link] += R_inertial @ np.diag(model.body_inertia[body]) @ R_inertial.T
            inertia[link] += m * (offset @ offset * np.eye(3) - np.outer(offset, offset))
        mass[link], com[link] = total, centre
    return mass, com, inertia
