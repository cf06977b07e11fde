"""A whole avatar: one model for physics, control and drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco

from elsewhere.bodies.arm import Arm
from elsewhere.bodies.hand import Hand
from elsewhere.bodies.head import Head
from elsewhere.rig import Rig

if TYPE_CHECKING:
    import pinocchio as pin


@dataclass(frozen=True)
class Body:
    """An avatar as composed from a rig.

    `spec` is the avatar alone, to be copied or attached into a scene; `model` is its compiled form.
    `home` gives the value of every joint that does not rest at its model's zero, by name.
    Pairs are left, right; None where the rig has no such part.
    """

    rig: Rig
    spec: mujoco.MjSpec
    model: mujoco.MjModel
    arms: tuple[Arm | None, Arm | None]
    hands: tuple[Hand | None, Hand | None]
    head: Head
    home: dict[str, float]

    def go_home(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Put the avatar in `data` (of any model that contains it) to its home, at rest."""
        for name, value in self.home.items():
            joint = model.joint(name)
            data.qpos[joint.qposadr[0]] = value
            data.qvel[joint.dofadr[0]] = 0.0

    def pinocchio(self) -> pin.Model:
        """The same avatar for pinocchio. Frames carry the names of bodies and sites."""
        return pinocchio_model(self.spec)


def pinocchio_model(spec: mujoco.MjSpec) -> pin.Model:
    """A pinocchio model of what a spec describes, through its MJCF."""
    import pinocchio as pin

    copy = spec.copy()
    # Each body's inertia as numbers, so that pinocchio need not know how MuJoCo weighs shapes.
    copy.compiler.saveinertial = True
    copy.compile()
    return pin.buildModelFromMJCF(copy.to_xml())
