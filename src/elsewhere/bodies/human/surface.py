"""The left half of a body's surface under construction: rings of points, joined by triangles.

Only the half with y >= 0 is built. Its open border lies in the plane y = 0, so that `mirrored` gives a
closed surface which is symmetric to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.human.mesh import Array, Integers

Indices = NDArray[np.int64]
Colour = tuple[float, float, float]


class Part(IntEnum):
    """What a vertex belongs to; the skin weights depend on it."""

    TRUNK = 0
    HEAD = 1
    ARM = 2
    LEG = 3
    THUMB = 4
    INDEX = 5
    MIDDLE = 6
    RING = 7
    LITTLE = 8


@dataclass(frozen=True, eq=False)
class Whole:
    """Both halves together. `along` is a digit's arc length [m]; `twin` the mirrored vertex."""

    vertices: Array
    triangles: Integers
    colours: Array
    parts: NDArray[np.int64]
    along: Array
    seam: Array
    twin: Indices


class Surface:
    """Points are added in rings, then rings are joined. A ring runs counter-clockwise about its advance."""

    def __init__(self) -> None:
        self._points: list[Array] = []
        self._colours: list[Array] = []
        self._parts: list[int] = []
        self._along: list[float] = []
        self._seam: list[float] = []
        self._triangles: list[tuple[int, int, int]] = []

    def add(
        self, points: Array, colour: Colour, part: Part, along: float = 0.0, seam: float = 0.0
    ) -> Indices:
        """New points (k, 3); `seam` in 0..1 says how much smoothing they get at the end."""
        first = len(self._points)
        points = np.asarray(points, np.float64).reshape(-1, 3)
        self._points.extend(points)
        count = len(points)
        self._colours.extend([np.array(colour)] * count)
        self._parts.extend([int(part)] * count)
        self._along.extend([along] * count)
        self._seam.extend([seam] * count)
        return np.arange(first, first + count)

    def point(self, index: int) -> Array:
        """Where a point is."""
        return self._points[index]

    def points(self, indices: Indices) -> Array:
        """Where some points are (k, 3)."""
        return np.array([self._points[i] for i in indices])

    def paint(self, indices: Indices, colour: Colour) -> None:
        """Give points another colour."""
        for i in indices:
            self._colours[i] = np.array(colour)

    def soften(self, indices: Indices, seam: float) -> None:
        """Let points take part in the smoothing."""
        for i in indices:
            self._seam[i] = max(self._seam[i], seam)

    def join(self, near: Indices, far: Indices, *, closed: bool, flip: bool = False) -> None:
        """A band of triangles between two rings of equal length, `far` further along the advance."""
        count = len(near)
        for k in range(count if closed else count - 1):
            n = (k + 1) % count
            self.quad((near[k], near[n], far[n], far[k]), flip=flip)

    def quad(self, corners: Sequence[int], *, flip: bool = False) -> None:
        """Two triangles, cut along the shorter diagonal."""
        a, b, c, d = (int(i) for i in corners)
        p = self._points
        if np.sum((p[a] - p[c]) ** 2) <= np.sum((p[b] - p[d]) ** 2):
            self.triangle(a, b, c, flip=flip)
            self.triangle(a, c, d, flip=flip)
        else:
            self.triangle(a, b, d, flip=flip)
            self.triangle(b, c, d, flip=flip)

    def triangle(self, a: int, b: int, c: int, *, flip: bool = False) -> None:
        """One triangle."""
        self._triangles.append((int(a), int(c), int(b)) if flip else (int(a), int(b), int(c)))

    def fan(self, ring: Indices, apex: int, *, closed: bool, flip: bool = False) -> None:
        """Close a ring with one point, further along the advance."""
        count = len(ring)
        for k in range(count if closed else count - 1):
            self.triangle(ring[k], ring[(k + 1) % count], apex, flip=flip)

    def mirrored(self) -> Whole:
        """The whole body: points with y = 0 are shared, the others come twice."""
        # Points inside the arms' holes belong to no triangle.
        used, flat = np.unique(np.array(self._triangles), return_inverse=True)
        triangles = flat.reshape(-1, 3)
        left = np.array(self._points)[used]
        left[np.abs(left[:, 1]) < 1e-9, 1] = 0.0
        middle = left[:, 1] == 0.0
        count = len(left)
        twin_of_left = np.arange(count)
        twin_of_left[~middle] = count + np.arange(int((~middle).sum()))
        right = left[~middle] * (1.0, -1.0, 1.0)
        other = twin_of_left[triangles][:, [0, 2, 1]]
        twin = np.concatenate([twin_of_left, np.flatnonzero(~middle)])
        both = used[np.concatenate([np.arange(count), np.flatnonzero(~middle)])]
        return Whole(
            np.concatenate([left, right]),
            np.concatenate([triangles, other]).astype(np.int32),
            np.array(self._colours)[both],
            np.array(self._parts)[both],
            np.array(self._along)[both],
            np.array(self._seam)[both],
            twin,
        )


def circle(count: int, start: float = 0.0) -> tuple[Array, Array]:
    """Cosines and sines of equally spaced angles."""
    angles = start + 2.0 * np.pi * np.arange(count) / count
    return np.cos(angles), np.sin(angles)


def super_ellipse(angles: Array, exponent: float) -> tuple[Array, Array]:
    """Points of |c|^n + |s|^n = 1 at the given angles: n = 2 is a circle, larger is squarer."""
    c, s = np.cos(angles), np.sin(angles)
    # The sine of pi is not quite zero, and its small power is not small.
    c, s = np.where(np.abs(c) < 1e-12, 0.0, c), np.where(np.abs(s) < 1e-12, 0.0, s)
    power = 2.0 / exponent
    return np.sign(c) * np.abs(c) ** power, np.sign(s) * np.abs(s) ** power


def perimeter(width: float, front: float, back: float, exponent: float) -> float:
    """Length of a ring of half width `width` and depths `front` and `back`."""
    c, s = super_ellipse(np.linspace(0.0, 2.0 * np.pi, 129), exponent)
    points = np.stack([np.where(c > 0, front, back) * c, width * s], axis=1)
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def smooth_step(value: Array | float, low: float, high: float) -> Array:
    """0 below `low`, 1 above `high`, smooth between."""
    t = np.clip((np.asarray(value, np.float64) - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def relax(vertices: Array, triangles: Integers, strength: Array, rounds: int) -> Array:
    """Move each vertex towards the mean of its neighbours by its strength (0..1), some rounds."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    moved = vertices.copy()
    degree = np.bincount(edges[:, 0], minlength=len(vertices))[:, None]
    for _ in range(rounds):
        total = np.zeros_like(moved)
        np.add.at(total, edges[:, 0], moved[edges[:, 1]])
        moved += strength[:, None] * (total / degree - moved)
    return moved


def next_ring(
    s: Surface, last: Indices, points: Array, colour: tuple[float, float, float], part: Part,
    *, flip: bool = False, along: float = 0.0, seam: float = 0.0,
) -> Indices:  # fmt: skip
    """One more ring of a tube."""
    ring = s.add(points, colour, part, along, seam)
    s.join(last, ring, closed=True, flip=flip)
    return ring
