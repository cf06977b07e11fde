"""Corners of a dark square on light ground, to a small part of a pixel.

A corner by itself is rounded by every blur, and is pulled inwards. An edge is not: blur widens it to both
sides alike. So each edge is found as a line through the places of steepest change, measured across it at
many points, and the corners are where the lines meet. On rendered pictures with blur, noise and JPEG the
error is 0.05 to 0.1 px, where OpenCV's own refinement of corners leaves 0.4 px
(tests/presence/tracking/test_corners.py).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SAMPLES = 48  # points along an edge
MARGIN = 0.08  # share of the edge at either end that is left out: there the corner's rounding begins
ACROSS = 17  # places across the edge at each of these points
WIDEST_PX = 4.0
ROUNDS = 3
LEAST_STEP = 8.0  # grey levels between inside and outside
OUTLIER = 2.5  # points further from the line than this many median distances are left out

_SHARE = np.linspace(MARGIN, 1.0 - MARGIN, SAMPLES)[:, None]
_OFFSETS = np.linspace(-1.0, 1.0, ACROSS)
_BETWEEN = 0.5 * (_OFFSETS[1:] + _OFFSETS[:-1])


def refine_corners(grey: NDArray[np.uint8], corners: Array, cell_px: float) -> Array | None:
    """The four corners (4, 2) of a square [px], in order around it, from corners good to about one pixel.

    `cell_px` is how far from an edge it is surely dark inside and light outside. None where an edge is not
    to be seen over most of its length.
    """
    start = np.asarray(corners, np.float64)
    found, reach = start, min(0.8 * cell_px, WIDEST_PX)
    for _ in range(ROUNDS):
        lines = _edges(grey, found, reach)
        if lines is None:
            return None
        better = _meet(np.roll(lines, 1, axis=0), lines)
        if better is None or np.abs(better - start).max() > max(2.0, cell_px):
            return None
        found = better
        reach = max(1.5, 0.75 * reach)  # nearer to the true edge, less of the surroundings is needed
    return found


def _edges(grey: NDArray[np.uint8], corners: Array, reach: float) -> Array | None:
    """The four lines (nx, ny, d), n . x = d with unit n, each along the edge from a corner to the next."""
    along = np.roll(corners, -1, axis=0) - corners
    length = np.sqrt((along * along).sum(axis=1, keepdims=True))
    if length.min() < 4.0:
        return None
    outward = np.stack([along[:, 1], -along[:, 0]], axis=1) / length
    inward = ((corners.sum(axis=0) / 4 - corners) * outward).sum(axis=1, keepdims=True)
    outward = np.where(inward > 0.0, -outward, outward)
    points = corners[:, None] + _SHARE * along[:, None]
    where = points[:, :, None] + (reach * _OFFSETS)[:, None] * outward[:, None, None]
    flat = where.reshape(4 * SAMPLES, ACROSS, 2).astype(np.float32)
    levels = cv2.remap(grey, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    levels = levels.reshape(4, SAMPLES, ACROSS).astype(np.float64)
    # Dark to light, going outwards: what changes the other way is noise or a neighbour.
    steps = np.maximum(levels[..., 1:] - levels[..., :-1], 0.0)
    weight = steps.sum(axis=2)
    typical = np.sort(weight, axis=1)[:, SAMPLES // 2, None]
    seen = (weight > np.maximum(LEAST_STEP, 0.4 * typical)).astype(np.float64)
    if seen.sum(axis=1).min() < SAMPLES // 2:
        return None
    place = reach * (steps @ _BETWEEN) / np.maximum(weight, 1e-9)
    return _lines(points + place[..., None] * outward[:, None], seen)


def _lines(points: Array, seen: Array) -> Array:
    """Lines through four rows of points, least squares across them, without points that lie far off."""
    for last in (False, True):
        count = seen.sum(axis=1, keepdims=True)
        middle = (seen[..., None] * points).sum(axis=1) / count
        x, y = np.moveaxis(points - middle[:, None], 2, 0)
        xx, xy, yy = ((seen * a * b).sum(axis=1) for a, b in ((x, x), (x, y), (y, y)))
        # The direction of the points' greatest spread, a quarter turn on.
        angle = 0.5 * np.arctan2(2.0 * xy, xx - yy)
        normal = np.stack([-np.sin(angle), np.cos(angle)], axis=1)
        if not last:
            off = np.abs(x * normal[:, :1] + y * normal[:, 1:])
            typical = np.sort(off, axis=1)[:, SAMPLES // 2, None]
            seen = seen * (off <= OUTLIER * np.maximum(typical, 0.02))
    return np.column_stack([normal, (normal * middle).sum(axis=1)])


def _meet(one: Array, two: Array) -> Array | None:
    """Where pairs of lines cross; None where a pair hardly does."""
    det = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    if np.abs(det).min() < 0.1:
        return None
    x = (one[:, 2] * two[:, 1] - two[:, 2] * one[:, 1]) / det
    y = (two[:, 2] * one[:, 0] - one[:, 2] * two[:, 0]) / det
    return np.stack([x, y], axis=1)
