"""How much of the robot's arms the human model hides from a viewer: ONIA's overlay ratio (eq. 20).

    O = green / (green + red)

green: pixels of a robot arm covered by the model; red: pixels of a robot arm not covered; blue: the rest
of the model. As in the paper's augmented reality the human is drawn over the robot, so a silhouette
covers whatever lies at that pixel, at any depth. `occlusion=True` counts an arm as hidden only where the
human is nearer to the eye, as for a display that knows the depth of real things. Robot parts do hide each
other: an arm behind the robot's own trunk is no arm pixel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elsewhere.lab import _overlay_kernels as kernels
from elsewhere.lab._overlay_kernels import BARE, COVERED, HUMAN, LEFT_ARM, NO_ARM, OTHER, RIGHT_ARM
from elsewhere.lab.viewer import Viewer

Array = NDArray[np.float64]

NEAR = 0.05  # m, what is nearer to the eye is not drawn
COLOURS = {COVERED: (52, 168, 83), BARE: (217, 48, 37), HUMAN: (66, 112, 214), OTHER: (176, 182, 190)}
"""Colours of the classes as in the paper's Fig. 7: green, red, blue; and grey for the rest of the robot."""
GROUND = (246, 246, 244)


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles: points (n, 3) [m], faces (m, 3) of their numbers, a label for each face."""

    points: Array
    faces: NDArray[np.int32]
    labels: NDArray[np.uint8]

    @classmethod
    def labelled(cls, points: Array, faces: NDArray[np.integer], label: int = NO_ARM) -> Mesh:
        """A mesh with one label for all faces: LEFT_ARM, RIGHT_ARM or NO_ARM of a robot, any of a human."""
        whole = np.ascontiguousarray(faces, np.int32)
        return cls(np.ascontiguousarray(points, np.float64), whole, np.full(len(whole), label, np.uint8))


@dataclass(frozen=True)
class Overlap:
    """Pixels of each class; pairs are (left, right)."""

    covered: tuple[int, int]
    bare: tuple[int, int]
    human: int

    @property
    def ratio(self) -> float | None:
        """O of both arms together (eq. 20); None where no arm pixel is in view: drop such a frame."""
        return _share(sum(self.covered), sum(self.bare))

    @property
    def arms(self) -> tuple[float | None, float | None]:
        """O of each arm alone."""
        left, right = (_share(c, b) for c, b in zip(self.covered, self.bare, strict=True))
        return left, right


def _share(covered: int, bare: int) -> float | None:
    return covered / (covered + bare) if covered + bare else None


class _Layer:
    """Depth and labels of what was drawn last."""

    def __init__(self, height: int, width: int) -> None:
        self.nearest = np.zeros((height, width), np.float32)
        self.labels = np.zeros((height, width), np.uint8)
        self._seen = np.zeros((0, kernels.SEEN))
        self._scratch = np.zeros((9, 3))

    def draw(self, viewer: Viewer, mesh: Mesh) -> None:
        self.nearest[:] = 0.0
        self.labels[:] = 0
        if len(self._seen) < len(mesh.points):
            self._seen = np.zeros((len(mesh.points), kernels.SEEN))
        seen, centre, focal = self._seen[: len(mesh.points)], viewer.centre, viewer.focal
        kernels.look(mesh.points, viewer.R, viewer.p, focal, centre, seen)
        kernels.draw(
            seen,
            mesh.faces,
            mesh.labels,
            NEAR,
            focal,
            centre,
            self._scratch,
            self.nearest,
            self.labels,
        )


class OverlayView:
    """A picture of the robot and, over it, of the human. Memory is taken once.

    The robot is drawn once for a frame (`see_robot`), then any number of humans over it (`over`): solvers
    are compared on the same picture.
    """

    def __init__(self, width: int = 640, height: int = 480, *, occlusion: bool = False) -> None:
        self.occlusion = occlusion
        self._shape = (height, width)
        self._robot, self._human = _Layer(height, width), _Layer(height, width)
        self._viewer: Viewer | None = None
        self.classes = np.zeros((height, width), np.uint8)
        self._counts = np.zeros(5, np.int64)

    def see_robot(self, viewer: Viewer, robot: Mesh) -> None:
        """Draw the robot as this viewer sees it."""
        if (viewer.height, viewer.width) != self._shape:
            raise ValueError(
                f"This view is {self._shape[1]} x {self._shape[0]} pixels, the viewer's is not."
            )
        self._viewer = viewer
        self._robot.draw(viewer, robot)

    def over(self, human: Mesh) -> Overlap:
        """Draw a human over the robot seen last, and count."""
        assert self._viewer is not None, "see_robot comes first"
        self._human.draw(self._viewer, human)
        kernels.classify(
            self._robot.labels,
            self._robot.nearest,
            self._human.labels,
            self._human.nearest,
            self.occlusion,
            self.classes,
            self._counts,
        )
        a, b, c, d, e = (int(count) for count in self._counts)
        return Overlap((a, b), (c, d), e)

    def picture(self) -> NDArray[np.uint8]:
        """The classes of the last `over` in colours, (height, width, 3)."""
        table = np.tile(np.array(GROUND, np.uint8), (5, 1))
        for kind, colour in COLOURS.items():
            table[kind] = colour
        image: NDArray[np.uint8] = table[self.classes]
        return image


def overlap(viewer: Viewer, robot: Mesh, human: Mesh, *, occlusion: bool = False) -> Overlap:
    """Pixels of each class in one picture."""
    view = OverlayView(viewer.width, viewer.height, occlusion=occlusion)
    view.see_robot(viewer, robot)
    return view.over(human)


def joined(*meshes: Mesh) -> Mesh:
    """Several meshes as one, each with its own labels."""
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    faces = [mesh.faces + np.int32(start) for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate(faces).astype(np.int32),
        np.concatenate([mesh.labels for mesh in meshes]),
    )


__all__ = ["LEFT_ARM", "NO_ARM", "RIGHT_ARM", "Mesh", "Overlap", "OverlayView", "joined", "overlap"]
