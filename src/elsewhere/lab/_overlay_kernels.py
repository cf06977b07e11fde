"""Compiled drawing of labelled triangles, and counting of what covers what.

`world._raster_kernels` draws colours and textures and leaves out faces turned away; here a pixel needs a
label and a depth only, and both sides of a face count, so that an open or mirrored mesh has no holes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel

Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Counts = NDArray[np.int64]

SEEN = 5  # columns of a point on the screen: x, y, z in the camera's frame, then column and row

NOTHING, COVERED, BARE, HUMAN, OTHER = 0, 1, 2, 3, 4
"""Classes of a pixel: background, arm under the human, bare arm, rest of the human, rest of the robot."""
LEFT_ARM, RIGHT_ARM, NO_ARM = 1, 2, 3
"""Labels of the robot's triangles."""


@kernel
def place(points: Doubles, owner: Integers, R: Doubles, p: Doubles, out: Doubles) -> None:
    """Points (n, 3) in the frames of their owners into the common frame: R[owner] x + p[owner]."""
    for i in range(points.shape[0]):
        k = owner[i]
        a, b, c = points[i, 0], points[i, 1], points[i, 2]
        for m in range(3):
            out[i, m] = R[k, m, 0] * a + R[k, m, 1] * b + R[k, m, 2] * c + p[k, m]


@kernel
def look(points: Doubles, R: Doubles, p: Doubles, focal: float, centre: Doubles, out: Doubles) -> None:
    """Points (n, 3) as a camera at `p` with the axes in the columns of `R` sees them; `out` is (n, 5)."""
    for i in range(points.shape[0]):
        a, b, c = points[i, 0] - p[0], points[i, 1] - p[1], points[i, 2] - p[2]
        x = R[0, 0] * a + R[1, 0] * b + R[2, 0] * c
        y = R[0, 1] * a + R[1, 1] * b + R[2, 1] * c
        z = R[0, 2] * a + R[1, 2] * b + R[2, 2] * c
        out[i, 0], out[i, 1], out[i, 2] = x, y, z
        if z > 0.0:
            out[i, 3], out[i, 4] = centre[0] + focal * x / z, centre[1] + focal * y / z


@kernel
def _rows(
    first: int,
    last: int,
    xa: float,
    ya: float,
    slope_a: float,
    xb: float,
    yb: float,
    slope_b: float,
    plane: Doubles,
    label: int,
    nearest: Floats,
    labels: Bytes,
) -> None:
    """Fill the rows `first` to `last` between two edges where nothing nearer is.

    A pixel belongs to the triangle that holds its centre; a centre on an edge to the triangle on its
    right or below. Each edge is computed from its upper end, so alike by both of its triangles.
    """
    width = float(labels.shape[1])
    for j in range(first, last):
        at = j + 0.5
        one, other = xa + (at - ya) * slope_a, xb + (at - yb) * slope_b
        left = math.ceil(max(min(one, other), 0.0) - 0.5)
        right = math.ceil(min(max(one, other), width) - 0.5)
        inverse = plane[0] + plane[2] * j + plane[1] * left
        for i in range(left, right):
            here = np.float32(min(inverse, plane[3]))
            if here > nearest[j, i]:
                nearest[j, i] = here
                labels[j, i] = label
            inverse += plane[1]


@kernel
def _triangle(corner: Doubles, label: int, plane: Doubles, nearest: Floats, labels: Bytes) -> None:
    """Draw one triangle; rows of `corner` are column, row and 1/z of a corner each."""
    height, width = float(labels.shape[0]), float(labels.shape[1])
    xa, xb, xc = corner[0, 0], corner[1, 0], corner[2, 0]
    ya, yb, yc = corner[0, 1], corner[1, 1], corner[2, 1]
    wa, wb, wc = corner[0, 2], corner[1, 2], corner[2, 2]
    area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
    # Also false for not-a-number: a broken mesh draws nothing.
    if not abs(area) > 0.0 or max(xa, xb, xc) < 0.0 or min(xa, xb, xc) > width:
        return
    # 1/z is linear on the screen: value at the centre of pixel (0, 0), steps along columns and rows.
    plane[1] = ((wb - wa) * (yc - ya) - (wc - wa) * (yb - ya)) / area
    plane[2] = ((wc - wa) * (xb - xa) - (wb - wa) * (xc - xa)) / area
    plane[0] = wa + plane[1] * (0.5 - xa) + plane[2] * (0.5 - ya)
    plane[3] = max(wa, wb, wc)  # a face seen edge-on is steep: never nearer than its corners
    if yb < ya:
        xa, ya, xb, yb = xb, yb, xa, ya
    if yc < yb:
        xb, yb, xc, yc = xc, yc, xb, yb
    if yb < ya:
        xa, ya, xb, yb = xb, yb, xa, ya
    first = math.ceil(max(ya, 0.0) - 0.5)
    last = math.ceil(min(yc, height) - 0.5)
    if first >= last:
        return
    bend = min(max(math.ceil(min(max(yb, 0.0), height) - 0.5), first), last)
    long = (xc - xa) / (yc - ya)
    if first < bend:
        short = (xb - xa) / (yb - ya)
        _rows(first, bend, xa, ya, long, xa, ya, short, plane, label, nearest, labels)
    if bend < last:
        short = (xc - xb) / (yc - yb)
        _rows(bend, last, xa, ya, long, xb, yb, short, plane, label, nearest, labels)


@kernel
def draw(
    seen: Doubles,
    faces: Integers,
    of_face: Bytes,
    near: float,
    focal: float,
    centre: Doubles,
    scratch: Doubles,
    nearest: Floats,
    labels: Bytes,
) -> None:
    """Draw all faces with their labels where they are nearest; `nearest` holds 1/z, 0 where nothing is.

    Faces through the plane z = `near` are cut there. `scratch` is (9, 3).
    """
    corner, cut, plane = scratch[:3], scratch[3:7], scratch.reshape(-1)[21:25]
    for f in range(faces.shape[0]):
        inside = 0
        for k in range(3):
            inside += seen[faces[f, k], 2] > near
        if inside == 0:
            continue
        if inside == 3:
            for k in range(3):
                i = faces[f, k]
                corner[k, 0], corner[k, 1], corner[k, 2] = seen[i, 3], seen[i, 4], 1.0 / seen[i, 2]
            _triangle(corner, of_face[f], plane, nearest, labels)
            continue
        count = 0
        for k in range(3):
            i, j = faces[f, k], faces[f, (k + 1) % 3]
            if seen[i, 2] > near:
                for m in range(3):
                    cut[count, m] = seen[i, m]
                count += 1
            if (seen[i, 2] > near) != (seen[j, 2] > near):
                share = (near - seen[i, 2]) / (seen[j, 2] - seen[i, 2])
                for m in range(2):
                    cut[count, m] = seen[i, m] + share * (seen[j, m] - seen[i, m])
                cut[count, 2] = near
                count += 1
        for piece in range(count - 2):
            for k in range(3):
                n = 0 if k == 0 else piece + k
                z = cut[n, 2]
                corner[k, 0] = centre[0] + focal * cut[n, 0] / z
                corner[k, 1] = centre[1] + focal * cut[n, 1] / z
                corner[k, 2] = 1.0 / z
            _triangle(corner, of_face[f], plane, nearest, labels)


@kernel
def classify(
    robot: Bytes,
    robot_nearest: Floats,
    human: Bytes,
    human_nearest: Floats,
    occlusion: bool,
    classes: Bytes,
    counts: Counts,
) -> None:
    """The class of every pixel, and how many there are: covered left, right; bare left, right; human.

    With `occlusion` the human hides the robot only where it is nearer to the eye.
    """
    for k in range(counts.shape[0]):
        counts[k] = 0
    for j in range(robot.shape[0]):
        for i in range(robot.shape[1]):
            mine = robot[j, i]
            shown = human[j, i] > 0
            if occlusion and mine > 0:
                shown = shown and human_nearest[j, i] >= robot_nearest[j, i]
            kind = NOTHING
            if mine in (LEFT_ARM, RIGHT_ARM):
                kind = COVERED if shown else BARE
                counts[mine - 1 if shown else mine + 1] += 1
            elif shown:
                kind = HUMAN
                counts[4] += 1
            elif mine > 0:
                kind = OTHER
            classes[j, i] = kind
