"""Pictures of a human: shaded views from any direction, and the sheet for annotation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.bodies.human import _picture_kernels as kernels
from elsewhere.bodies.human.human import SIDES, Human
from elsewhere.bodies.human.mesh import Array, Integers
from elsewhere.bodies.human.palette import to_screen

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BACKGROUND = (0.93, 0.94, 0.95)
SUN = (0.35, 0.55, 0.75)  # where the light comes from: right, up, and from the eye
SAMPLES = 2  # per pixel and direction


@dataclass(frozen=True)
class View:
    """An orthographic look: `towards` points from the body to the eye, `up` is upwards in the picture."""

    towards: tuple[float, float, float] = (1.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def axes(self) -> Array:
        """Rows: right, up and towards the eye."""
        z = np.array(self.towards) / np.linalg.norm(self.towards)
        x = np.cross(self.up, z)
        x /= np.linalg.norm(x)
        return np.stack([x, np.cross(z, x), z])


FRONT, LEFT, BACK = View(), View((0.0, 1.0, 0.0)), View((-1.0, 0.0, 0.0))
TOP = View((0.0, 0.0, 1.0), (-1.0, 0.0, 0.0))
"""From above, the front of the body downwards, so that left and right are as in the front view."""


def shaded(
    vertices: Array, normals: Array, triangles: Integers, colours: Array,
    view: View, centre: ArrayLike, width: int, height: int, pixels_per_metre: float,
) -> NDArray[np.uint8]:  # fmt: skip
    """A picture (height, width, 3) of a coloured surface (linear RGB), `centre` in its middle."""
    axes = view.axes()
    scale = pixels_per_metre * SAMPLES
    seen = (vertices - np.asarray(centre, np.float64)) @ axes.T
    points = np.stack(
        [
            0.5 * SAMPLES * width + scale * seen[:, 0],
            0.5 * SAMPLES * height - scale * seen[:, 1],
            seen[:, 2],
        ],
        axis=1,
    )
    sun = np.clip(normals @ (axes.T @ np.array(SUN)), 0.0, 1.0)
    sky = 0.5 + 0.5 * normals[:, 2]
    lit = colours * (0.28 + 0.22 * sky + 0.62 * sun)[:, None]
    image = np.empty((height * SAMPLES, width * SAMPLES, 3))
    image[:] = np.array(BACKGROUND) ** 2.2
    depth = np.full(image.shape[:2], -np.inf)
    kernels.draw(np.ascontiguousarray(points), lit, triangles, depth, image)
    small = image.reshape(height, SAMPLES, width, SAMPLES, 3).mean(axis=(1, 3))
    return np.round(255.0 * to_screen(small)).astype(np.uint8)


def annotation_sheet(human: Human, path: Path | str) -> Path:
    """Write a picture to check annotations by: front and top view, joints, elbow axes and wrist vectors."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 13), dpi=90, layout="constrained")
    upper, lower = figure.subplots(2, 1, height_ratios=(2.1, 1.0))
    middle = 0.5 * (human.mesh.vertices.min(axis=0) + human.mesh.vertices.max(axis=0))
    span = np.ptp(human.mesh.vertices, axis=0) + 0.16
    _annotate(upper, human, FRONT, middle, float(span[1]), float(span[2]))
    _annotate(lower, human, TOP, middle, float(span[1]), float(span[0] + 0.35))
    upper.set_title(f"{human.name}: front (the person's left is to the right)")
    lower.set_title("top (the front is below)")
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    FigureCanvasAgg(figure).print_figure(str(target))
    return target


def _annotate(axes: Axes, human: Human, view: View, middle: Array, width: float, height: float) -> None:
    mesh, scale = human.mesh, 500.0
    columns, rows = int(width * scale), int(height * scale)
    picture = shaded(
        mesh.vertices, mesh.normals, mesh.triangles, mesh.colours, view, middle, columns, rows, scale
    )
    look = view.axes()

    def seen(point: Array) -> Array:
        return np.asarray(look[:2] @ point)

    left, low = seen(middle) - (0.5 * width, 0.5 * height)

    axes.imshow(picture, extent=(left, left + width, low, low + height), alpha=0.75)
    for joint in human.joints:
        helper = any(human.joints[h.joint] is joint for h in human.helpers)
        x, y = seen(joint.position)
        axes.plot(x, y, "o", color="#8a8a8a" if helper else "#111111", markersize=2 if helper else 4)
        if joint.parent >= 0 and not helper:
            px, py = seen(human.joints[joint.parent].position)
            axes.plot([px, x], [py, y], color="#111111", linewidth=0.8)
        # From above the trunk's joints lie over each other.
        shown = view is FRONT or any(word in joint.name for word in ("arm", "hand"))
        if shown and not helper and not joint.name[-1].isdigit():
            axes.annotate(joint.name, (x, y), xytext=(3, 4), textcoords="offset points", fontsize=7)
    for side, arm in zip(SIDES, human.arms, strict=True):
        for start, vector, colour, label in (
            (arm.elbow, arm.elbow_axis, "#c02020", f"{side} elbow axis"),
            (arm.wrist, arm.wrist_vector, "#1050c0", f"{side} wrist vector"),
        ):
            _arrow(axes, seen(start), look @ vector, colour, label)
    axes.set_aspect("equal")
    axes.set_xlabel("m")


def _arrow(axes: Axes, start: Array, vector: Array, colour: str, label: str) -> None:
    """An arrow of 15 cm; a ring with a dot or a cross where it points to the eye or away."""
    if np.hypot(vector[0], vector[1]) > 0.15:
        end = start + 0.15 * vector[:2]
        axes.annotate(
            "",
            (end[0], end[1]),
            (start[0], start[1]),
            arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.8},
        )
    else:
        end = start
        axes.plot(*start, "o", color=colour, markersize=13, fillstyle="none", markeredgewidth=1.8)
        axes.plot(*start, "." if vector[2] > 0 else "x", color=colour, markersize=8, markeredgewidth=1.8)
    axes.annotate(
        label, (end[0], end[1]), xytext=(4, -14), textcoords="offset points", fontsize=8, color=colour
    )
