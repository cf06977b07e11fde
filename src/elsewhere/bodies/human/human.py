"""A person as a model: skeleton, skin and the annotations that an overlay needs.

T-pose with the palms down, origin on the floor between the hip joints, z up, x forward, y left. Pairs
are (left, right). The joints of every human that is made here, each listed after its parent:

    hips, spine, chest, neck, head
    {left,right}_shoulder (the clavicle), _upper_arm, _forearm, _hand
    {left,right}_{thumb,index,middle,ring,little}_{1,2,3}
    {left,right}_thigh, _shin, _foot

and the helpers of `Helper`, which keep the skin round where an arm bends and twists. A scan may lack
fingers and legs, and has joints of its own besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.bodies.human.mesh import Array, SkinnedMesh
from elsewhere.errors import ModelError, UnknownNameError

SIDES = ("left", "right")
DIGITS = ("thumb", "index", "middle", "ring", "little")
FINGER_GROUPS = ("thumb", "index", "others")
"""The three angles that move the fingers of one hand, in this order."""

HelperKind = Literal["twist", "halfway"]


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint of the skeleton. All rest frames are parallel to the body frame."""

    name: str
    parent: int
    """Index of the parent, less than the joint's own; -1 for a root."""
    position: Array
    """Centre in the rest pose [m]."""


@dataclass(frozen=True)
class Helper:
    """A joint that nobody drives: `dress` works out where it is from the arm's own joints.

    `twist`: at `share` of `bone` (0 its root, 1 its end), turned about the bone by the twist there.
    `halfway`: at the elbow, half way between the upper arm's and the forearm's turn.
    """

    joint: int
    kind: HelperKind
    side: int
    bone: Literal["upper_arm", "forearm"]
    share: float


@dataclass(frozen=True, eq=False)
class Finger:
    """A digit and its hinges. An angle a turns joint k by `shares[k]` a about `axes[k]` (rest frame).

    Positive angles close the hand. `shares` sum to one: the angle is that of the fingertip.
    """

    digit: str
    joints: tuple[int, ...]
    axes: Array  # (joints, 3)
    shares: tuple[float, ...]
    open_rad: float
    closed_rad: float

    @property
    def group(self) -> int:
        """Which of the three angles of `FINGER_GROUPS` moves it."""
        return {"thumb": 0, "index": 1}.get(self.digit, 2)


@dataclass(frozen=True, eq=False)
class Human:
    """A rigged person with the annotations of both arms (ONIA, section II)."""

    name: str
    joints: tuple[Joint, ...]
    mesh: SkinnedMesh
    arms: tuple[HumanArm, HumanArm]
    hand_frames: tuple[Array, Array]
    """Palm frames (3, 3) in the rest pose: x towards the fingertips, z out of the back of the hand."""
    fingers: tuple[tuple[Finger, ...], tuple[Finger, ...]] = ((), ())
    helpers: tuple[Helper, ...] = ()
    notes: tuple[str, ...] = field(default=())
    """What an import guessed or changed, for people."""

    def __post_init__(self) -> None:
        for i, joint in enumerate(self.joints):
            if not -1 <= joint.parent < i:
                raise ModelError(f"The joint '{joint.name}' is listed before its parent.")
        if len(self.index_of) != len(self.joints):
            raise ModelError("Two joints of the human model have the same name.")
        if len(self.mesh.skin_joints) and int(self.mesh.skin_joints.max()) >= len(self.joints):
            raise ModelError("The skin of the human model names a joint that does not exist.")

    @cached_property
    def index_of(self) -> Mapping[str, int]:
        """Index of each joint by name."""
        return {joint.name: i for i, joint in enumerate(self.joints)}

    @cached_property
    def rest(self) -> Array:
        """Joint centres in the rest pose (joints, 3)."""
        return np.array([joint.position for joint in self.joints], dtype=np.float64)

    @property
    def height(self) -> float:
        """Height of the mesh with hair and shoes [m]."""
        return float(np.ptp(self.mesh.vertices[:, 2]))

    def scaled(self, scale: float) -> Human:
        """The same person larger or smaller as a whole, by a factor, about the origin on the floor."""
        arms = [
            replace(arm, shoulder=scale * arm.shoulder, elbow=scale * arm.elbow, wrist=scale * arm.wrist)
            for arm in self.arms
        ]
        return replace(
            self,
            joints=tuple(replace(joint, position=scale * joint.position) for joint in self.joints),
            mesh=replace(self.mesh, vertices=scale * self.mesh.vertices),
            arms=(arms[0], arms[1]),
        )

    def joint(self, name: str) -> int:
        """Index of a joint; the error lists the valid names."""
        if name not in self.index_of:
            raise UnknownNameError("joint", name, self.index_of)
        return self.index_of[name]
