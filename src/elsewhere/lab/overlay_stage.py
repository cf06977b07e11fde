"""The robot of an overlay as triangles, with its arms apart from the rest, for any joints."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.bodies.body import Body
from elsewhere.errors import RigError
from elsewhere.lab import _overlay_kernels as kernels
from elsewhere.lab.overlay_ratio import LEFT_ARM, NO_ARM, RIGHT_ARM, Mesh
from elsewhere.world.tessellate import tessellate

Array = NDArray[np.float64]


class RobotMesh:
    """All visible geoms of a robot. A robot arm is what its first joint moves, the gripper included."""

    def __init__(self, body: Body) -> None:
        model = body.model
        self.arms = both_arms(body)
        self._model, self._data = model, mujoco.MjData(model)
        body.go_home(model, self._data)
        self._joints = [[int(model.joint(name).qposadr[0]) for name in arm.joints] for arm in self.arms]
        self._fingers = [_finger_range(model, hand.motors) if hand else [] for hand in body.hands]
        shape = tessellate(model)
        counts = np.diff(shape.first_point)
        self._geoms = shape.geoms
        self._points = shape.points.astype(np.float64)
        self._owner = np.repeat(np.arange(len(shape.geoms)), counts).astype(np.int32)
        labels = _labels(model, self.arms)[model.geom_bodyid[shape.geoms]]
        of_face = np.repeat(labels, np.diff(shape.first_face)).astype(np.uint8)
        self._mesh = Mesh(np.zeros((len(self._points), 3)), shape.faces, of_face)

    @property
    def triangles(self) -> int:
        """How many triangles there are."""
        return len(self._mesh.faces)

    def posed(self, q: Array, opening: Array) -> Mesh:
        """The robot in its base frame with joints `q` (2, joints) and grippers `opening` (2,), 1 is open.

        The mesh is the same object each time, with its points changed.
        """
        data = self._data
        for side in range(2):
            data.qpos[self._joints[side]] = q[side][: len(self._joints[side])]
            for place, shut, wide in self._fingers[side]:
                data.qpos[place] = shut + float(np.clip(opening[side], 0.0, 1.0)) * (wide - shut)
        mujoco.mj_kinematics(self._model, data)
        R = data.geom_xmat[self._geoms].reshape(-1, 3, 3)
        kernels.place(self._points, self._owner, R, data.geom_xpos[self._geoms], self._mesh.points)
        return self._mesh


def both_arms(body: Body) -> tuple[Arm, Arm]:
    """The two arms of a body. Raises RigError where one is missing."""
    left, right = body.arms
    if left is None or right is None:
        raise RigError(f"The rig '{body.rig.name}' has one arm only. The overlay needs a robot with two.")
    return left, right


def _labels(model: mujoco.MjModel, arms: tuple[Arm, Arm]) -> NDArray[np.uint8]:
    """Label of every body of the model."""
    roots = [int(model.joint(arm.joints[0]).bodyid[0]) for arm in arms]
    first = dict(zip(roots, (LEFT_ARM, RIGHT_ARM), strict=True))
    labels = np.full(model.nbody, NO_ARM, np.uint8)
    for index in range(1, model.nbody):
        # A parent comes before its children.
        labels[index] = first.get(index, labels[model.body_parentid[index]])
    return labels


def _finger_range(model: mujoco.MjModel, motors: tuple[str, ...]) -> list[tuple[int, float, float]]:
    """Joints that the motors move: place in qpos, value closed, value open (motors: 0 open .. 1 closed)."""
    found = []
    for name in motors:
        for joint, gear in _driven(model, model.actuator(name).id):
            low, high = model.jnt_range[joint]
            shut, wide = (high, low) if gear > 0 else (low, high)
            found.append((int(model.jnt_qposadr[joint]), float(shut), float(wide)))
    return found


def _driven(model: mujoco.MjModel, actuator: int) -> list[tuple[int, float]]:
    target = int(model.actuator_trnid[actuator, 0])
    kind = int(model.actuator_trntype[actuator])
    if kind == mujoco.mjtTrn.mjTRN_JOINT:
        return [(target, float(model.actuator_gear[actuator, 0]))]
    if kind == mujoco.mjtTrn.mjTRN_TENDON:
        first, count = int(model.tendon_adr[target]), int(model.tendon_num[target])
        return [(int(model.wrap_objid[k]), float(model.wrap_prm[k])) for k in range(first, first + count)]
    return []
