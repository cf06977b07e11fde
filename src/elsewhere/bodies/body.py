"""A whole avatar: one model for physics, control and drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco

from elsewhere.bodies.arm import Arm
from elsewhere.bodies.hand import Hand
from elsewhere.bodies.head import Head
from elsewhere.bodies.marker import Marker
from elsewhere.bodies.pinocchio_model import pinocchio_model
from elsewhere.rig import Rig

if TYPE_CHECKING:
    import pinocchio as pin


@dataclass(frozen=True)
class Body:
    """An avatar as composed from a rig.

    `spec` is the avatar alone, to be copied or attached into a scene; `model` is its compiled form.
    `home` gives the value of every joint that does not rest at its model's zero, by name.
    `marker` is the tag that a viewer's camera finds, with its pose in the base frame.
    Pairs are left, right; None where the rig has no such part.
    """

    rig: Rig
    spec: mujoco.MjSpec
    model: mujoco.MjModel
    arms: tuple[Arm | None, Arm | None]
    hands: tuple[Hand | None, Hand | None]
    head: Head
    home: dict[str, float]
    marker: Marker | None = None

    def go_home(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Put the avatar in `data` (of any model that contains it) to its home, at rest."""
        for name, value in self.home.items():
            joint = model.joint(name)
            data.qpos[joint.qposadr[0]] = value
            data.qvel[joint.dofadr[0]] = 0.0

    def pinocchio(self) -> pin.Model:
        """The same avatar for pinocchio, with the arms' limits. Frames are named as bodies and sites."""
        made = pinocchio_model(self.model)
        for arm in self.arms:
            if arm is None:
                continue
            for index, name in enumerate(arm.joints):
                at = made.joints[made.getJointId(name)].idx_v
                made.velocityLimit[at] = arm.limits.velocity[index]
                made.effortLimit[at] = arm.limits.torque[index]
        return made
