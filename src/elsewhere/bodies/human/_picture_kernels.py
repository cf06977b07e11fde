"""Compiled drawing of coloured triangles, seen from afar: no perspective, nearest wins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel

Array = NDArray[np.float64]


@kernel
def draw(points: Array, colours: Array, triangles: NDArray[np.int32], depth: Array, image: Array) -> None:
    """Fill `image` (rows, columns, 3) from `points` (n, 3): column, row and nearness of each vertex.

    `depth` starts at minus infinity; larger is nearer. Triangles that face away are drawn too.
    """
    rows, columns = depth.shape
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay = points[a, 0], points[a, 1]
        bx, by = points[b, 0], points[b, 1]
        cx, cy = points[c, 0], points[c, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-12:
            continue
        first = max(0, int(np.floor(min(ax, bx, cx))))
        last = min(columns - 1, int(np.ceil(max(ax, bx, cx))))
        top = max(0, int(np.floor(min(ay, by, cy))))
        bottom = min(rows - 1, int(np.ceil(max(ay, by, cy))))
        for row in range(top, bottom + 1):
            for column in range(first, last + 1):
                u = ((bx - column) * (cy - row) - (by - row) * (cx - column)) / area
                v = ((cx - column) * (ay - row) - (cy - row) * (ax - column)) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                z = u * points[a, 2] + v * points[b, 2] + w * points[c, 2]
                if z > depth[row, column]:
                    depth[row, column] = z
                    for i in range(3):
                        image[row, column, i] = u * colours[a, i] + v * colours[b, i] + w * colours[c, i]
