"""Compiled drawing of triangles, for machines without a graphics card.

Two steps. `cover` finds for each pixel the nearest triangle (a depth buffer of inverse distances, eight
pixels in one instruction); `shade` then colours each pixel once, however many triangles lie behind
it. A general OpenGL in software does all its work for every triangle at every pixel instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Integers = NDArray[np.int32]
Bytes = NDArray[np.uint8]

Single = Any
"""A 32-bit number inside compiled code, whose arithmetic type checkers widen."""

P = ParamSpec("P")
R = TypeVar("R")

# A triangle on the screen: value + along x + along y of 1/z, red, green, blue, u/z, v/z.
PLANES = 6
COLUMNS = 3 * PLANES
VERTEX = 9  # a point on its way to the screen: x, y, depth, screen x, screen y, red, green, blue, unused
SEGMENT = 16  # pixels between two exact texture coordinates
EDGE = np.float32(0.01)  # texels: how far from the far edge of a texture the last look-up stays
SHARPNESS = np.float32(1.6)  # texels a pixel may span before a smaller texture is taken
SHINE_FROM = 0.8  # cosine below which a highlight is not worth a power


def _nogil(function: Callable[P, R]) -> Callable[P, R]:
    # Not `elsewhere.kernel`: these run beside asyncio in one process and must let it go on meanwhile.
    return cast(Callable[P, R], numba.njit(cache=True, nogil=True, error_model="numpy")(function))


@_nogil
def light(
    start: int,
    end: int,
    points: Floats,
    normals: Floats,
    turn: Doubles,
    shift: Doubles,
    sun: Doubles,
    half: Doubles,
    head: Doubles,
    lights: Doubles,
    colour: Doubles,
    gloss: Doubles,
    centre: Doubles,
    focal: float,
    out: Floats,
) -> None:
    """Points of one geom into camera and screen coordinates, with their colours (0..255).

    `turn`, `shift` bring the geom into the camera's frame (x right, y down, z forward). `sun`, `half`,
    `head` are directions in the geom's frame: to the light, half way to the eye, and to the eye.
    `lights` holds ambient, head and sun colour and the sun's highlight; `gloss` emission, specular
    reflection and its exponent. Lambert and Blinn, per vertex, as OpenGL's fixed pipeline.
    """
    for i in range(start, end):
        a, b, c = points[i, 0], points[i, 1], points[i, 2]
        x = turn[0, 0] * a + turn[0, 1] * b + turn[0, 2] * c + shift[0]
        y = turn[1, 0] * a + turn[1, 1] * b + turn[1, 2] * c + shift[1]
        z = turn[2, 0] * a + turn[2, 1] * b + turn[2, 2] * c + shift[2]
        out[i, 0], out[i, 1], out[i, 2] = x, y, z
        if z > 1e-6:
            out[i, 3], out[i, 4] = centre[0] + focal * x / z, centre[1] + focal * y / z
        n0, n1, n2 = normals[i, 0], normals[i, 1], normals[i, 2]
        from_sun = max(0.0, n0 * sun[0] + n1 * sun[1] + n2 * sun[2])
        from_head = max(0.0, n0 * head[0] + n1 * head[1] + n2 * head[2])
        shine = n0 * half[0] + n1 * half[1] + n2 * half[2]
        gleam = 0.0
        if gloss[1] > 0.0 and from_sun > 0.0 and shine > SHINE_FROM:
            gleam = gloss[1] * math.exp(gloss[2] * math.log(min(shine, 1.0)))
        for k in range(3):
            got = gloss[0] + lights[0, k] + lights[1, k] * from_head + lights[2, k] * from_sun
            # Beyond 1 the light is lost, as on a graphics card.
            out[i, 5 + k] = 255.0 * min(1.0, min(1.0, colour[k] * got) + lights[3, k] * gleam)


@_nogil
def _plane(
    a0: float, a1: float, a2: float, corner: Doubles, over: float, rows: Floats, number: int, at: int
) -> None:
    """Write the plane through three values over the screen, for pixel centres."""
    x0, y0 = corner[0, 0], corner[1, 0]
    x1, x2, y1, y2 = corner[0, 1] - x0, corner[0, 2] - x0, corner[1, 1] - y0, corner[1, 2] - y0
    dx = ((a1 - a0) * y2 - (a2 - a0) * y1) * over
    dy = ((a2 - a0) * x1 - (a1 - a0) * x2) * over
    rows[number, at] = a0 + dx * (0.5 - x0) + dy * (0.5 - y0)
    rows[number, at + 1], rows[number, at + 2] = dx, dy


@_nogil
def _fill(
    first: int,
    last: int,
    xa: float,
    ya: float,
    slope_a: float,
    xb: float,
    yb: float,
    slope_b: float,
    start: Single,
    step_x: Single,
    step_y: Single,
    most: Single,
    mine: Single,
    width: int,
    nearest: Integers,
    which: Integers,
) -> bool:
    """Draw the rows `first` to `last` between two edges, where nothing nearer is; whether there were any.

    A pixel belongs to the triangle that holds its centre. Two triangles compute a shared edge alike, so
    that no pixel between them is lost or drawn twice.
    """
    drawn = False
    for j in range(first, last):
        at = j + 0.5
        one, other = xa + (at - ya) * slope_a, xb + (at - yb) * slope_b
        left = math.ceil(max(min(one, other), 0.0) - 0.5)
        right = math.ceil(min(max(one, other), float(width)) - 0.5)
        if left < right:
            drawn = True
            # Unsigned: an index that could count from the end is not vectorised.
            base = np.uint64(j * width + left)
            edge = start + step_x * np.float32(left) + step_y * np.float32(j)
            for i in range(right - left):
                k = base + np.uint64(i)
                # Positive floats are ordered as the integers of the same bits, whose largest is found
                # without a branch.
                value = np.float32(min(edge + step_x * np.float32(np.int32(i)), most))
                here = value.view(np.int32)
                before, owner = nearest[k], which[k]
                better = -np.int32(here > before)
                nearest[k] = max(here, before)
                which[k] = owner ^ ((owner ^ mine) & better)
    return drawn


@_nogil
def _cover_one(
    corner: Doubles,
    textured: bool,
    number: int,
    rows: Floats,
    width: int,
    height: int,
    nearest: Integers,
    which: Integers,
) -> int:
    """Draw one triangle into the depth buffer. `corner`: (8, 3) of screen x, y, 1/z, colour, u, v.

    Returns the number of the next triangle. Faces turned away, and those between pixels, are left out.
    """
    xa, xb, xc = corner[0, 0], corner[0, 1], corner[0, 2]
    ya, yb, yc = corner[1, 0], corner[1, 1], corner[1, 2]
    area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
    if not area < 0.0:  # y points down: what we see runs clockwise
        return number
    if max(xa, xb, xc) < 0.0 or min(xa, xb, xc) > width:
        return number
    # Corners from the top down: the long edge runs from a to c, the short ones meet at b.
    if yb < ya:
        xa, ya, xb, yb = xb, yb, xa, ya
    if yc < yb:
        xb, yb, xc, yc = xc, yc, xb, yb
    if yb < ya:
        xa, ya, xb, yb = xb, yb, xa, ya
    first = math.ceil(max(ya, 0.0) - 0.5)
    last = math.ceil(min(yc, float(height)) - 0.5)
    if first >= last:
        return number
    bend = math.ceil(min(max(yb, 0.0), float(height)) - 0.5)
    bend = min(max(bend, first), last)
    over = 1.0 / area
    _plane(corner[2, 0], corner[2, 1], corner[2, 2], corner, over, rows, number, 0)
    w, wx, wy, mine = rows[number, 0], rows[number, 1], rows[number, 2], np.int32(number)
    # A triangle seen edge-on has a steep plane: rounding must not bring it nearer than its corners.
    most = np.float32(max(corner[2, 0], corner[2, 1], corner[2, 2]))
    long = (xc - xa) / (yc - ya)
    drawn = False
    if first < bend:
        slope = (xb - xa) / (yb - ya)
        drawn |= _fill(
            first, bend, xa, ya, long, xa, ya, slope, w, wx, wy, most, mine, width, nearest, which
        )
    if bend < last:
        slope = (xc - xb) / (yc - yb)
        drawn |= _fill(
            bend, last, xa, ya, long, xb, yb, slope, w, wx, wy, most, mine, width, nearest, which
        )
    if not drawn:
        return number
    for k in range(3, 6):
        _plane(corner[k, 0], corner[k, 1], corner[k, 2], corner, over, rows, number, 3 * k - 6)
    if textured:
        for k in range(6, 8):
            # Over z, to be divided by 1/z at each pixel: so a texture lies right in perspective.
            u0, u1, u2 = (
                corner[k, 0] * corner[2, 0],
                corner[k, 1] * corner[2, 1],
                corner[k, 2] * corner[2, 2],
            )
            _plane(u0, u1, u2, corner, over, rows, number, 3 * k - 6)
    return number + 1


@_nogil
def cover(
    first: int,
    end: int,
    faces: Integers,
    seen: Floats,
    uv: Floats,
    texture: int,
    near: float,
    centre: Doubles,
    focal: float,
    number: int,
    rows: Floats,
    paint: Integers,
    width: int,
    height: int,
    nearest: Integers,
    which: Integers,
    corner: Doubles,
    cut: Doubles,
) -> int:
    """Draw the triangles `first` to `end` of one geom; those through the near plane are cut there.

    `rows` gets the planes of each triangle drawn, `paint` its texture, `which` its number where it is
    nearest. `corner` (8, 3) and `cut` (4, 8) are scratch. Returns the next number.
    """
    textured = texture >= 0
    for face in range(first, end):
        a, b, c = faces[face, 0], faces[face, 1], faces[face, 2]
        inside = (seen[a, 2] > near) + (seen[b, 2] > near) + (seen[c, 2] > near)
        if inside == 0:
            continue
        if number + 2 >= rows.shape[0]:
            return number
        if inside == 3:
            for k in range(3):
                p = faces[face, k]
                corner[0, k], corner[1, k], corner[2, k] = seen[p, 3], seen[p, 4], 1.0 / seen[p, 2]
                for m in range(3):
                    corner[3 + m, k] = seen[p, 5 + m]
                corner[6, k], corner[7, k] = uv[p, 0], uv[p, 1]
            after = _cover_one(corner, textured, number, rows, width, height, nearest, which)
            paint[number] = texture
            number = after
            continue
        # Cut off what lies before the near plane: three or four corners remain.
        count = 0
        for k in range(3):
            p, q = faces[face, k], faces[face, k + 1 if k < 2 else 0]
            if seen[p, 2] > near:
                _copy_corner(seen, uv, p, cut[count])
                count += 1
            if (seen[p, 2] > near) != (seen[q, 2] > near):
                share = (near - seen[p, 2]) / (seen[q, 2] - seen[p, 2])
                _mix_corner(seen, uv, p, q, share, cut[count])
                count += 1
        for piece in range(count - 2):
            for k in range(3):
                source = cut[0 if k == 0 else piece + k]
                z = max(source[2], near)
                corner[0, k], corner[1, k] = (
                    centre[0] + focal * source[0] / z,
                    centre[1] + focal * source[1] / z,
                )
                corner[2, k] = 1.0 / z
                for m in range(5):
                    corner[3 + m, k] = source[3 + m]
            after = _cover_one(corner, textured, number, rows, width, height, nearest, which)
            paint[number] = texture
            number = after
    return number


@_nogil
def _copy_corner(seen: Floats, uv: Floats, p: int, out: Doubles) -> None:
    for m in range(3):
        out[m], out[3 + m] = seen[p, m], seen[p, 5 + m]
    out[6], out[7] = uv[p, 0], uv[p, 1]


@_nogil
def _mix_corner(seen: Floats, uv: Floats, p: int, q: int, share: float, out: Doubles) -> None:
    for m in range(3):
        out[m] = seen[p, m] + share * (seen[q, m] - seen[p, m])
        out[3 + m] = seen[p, 5 + m] + share * (seen[q, 5 + m] - seen[p, 5 + m])
    for m in range(2):
        out[6 + m] = uv[p, m] + share * (uv[q, m] - uv[p, m])


@_nogil
def _fixed(value: Single, top: Single) -> Single:
    """A value within 0..top as an integer with 16 binary places."""
    return np.int32(min(max(value, np.float32(0.0)), top) * np.float32(65536.0))


@_nogil
def shade(
    rows: Floats,
    paint: Integers,
    width: int,
    height: int,
    which: Integers,
    background: Bytes,
    texels: Bytes,
    levels: Integers,
    out: Bytes,
    first: int,
    stride: int,
) -> None:
    """Colour every pixel of one eye, into the bytes `out` from `first` on, `stride` bytes a row.

    Runs of one triangle are coloured together. `levels` (textures, steps, 3) tells where in `texels`
    (4 bytes each) each size of a texture starts, its width and its height; a step halves it.
    """
    for j in range(height):
        y, row_start = np.float32(j), np.uint64(j * width)
        i = 0
        while i < width:
            mine = which[row_start + np.uint64(i)]
            end = i + 1
            while end < width and which[row_start + np.uint64(end)] == mine:
                end += 1
            at = first + j * stride + 3 * i
            if mine < 0:
                for k in range(end - i):
                    for m in range(3):
                        out[np.uint64(at + 3 * k + m)] = background[m]
            elif paint[mine] >= 0:
                _textured(rows, mine, levels, paint[mine], texels, i, end, y, out, at)
            else:
                _plain(rows, mine, i, end, y, out, at)
            i = end


@_nogil
def _plain(rows: Floats, t: int, i: int, end: int, y: Single, out: Bytes, at: int) -> None:
    """Colours are exact at both ends of the run and linear between: no pixel needs a bound of its own."""
    x0, x1, top = np.float32(i), np.float32(end - 1), np.float32(255.0)
    red, green, blue = (
        rows[t, 3] + rows[t, 5] * y,
        rows[t, 6] + rows[t, 8] * y,
        rows[t, 9] + rows[t, 11] * y,
    )
    r, g, b = (
        _fixed(red + rows[t, 4] * x0, top),
        _fixed(green + rows[t, 7] * x0, top),
        _fixed(blue + rows[t, 10] * x0, top),
    )
    share = np.float32(1.0) / np.float32(max(1, end - i - 1))
    dr = np.int32((_fixed(red + rows[t, 4] * x1, top) - r) * share)
    dg = np.int32((_fixed(green + rows[t, 7] * x1, top) - g) * share)
    db = np.int32((_fixed(blue + rows[t, 10] * x1, top) - b) * share)
    k = np.uint64(at)
    for _ in range(end - i):
        out[k], out[k + np.uint64(1)], out[k + np.uint64(2)] = r >> 16, g >> 16, b >> 16
        r, g, b = r + dr, g + dg, b + db
        k += np.uint64(3)


@_nogil
def _textured(
    rows: Floats,
    t: int,
    levels: Integers,
    texture: int,
    texels: Bytes,
    i: int,
    end: int,
    y: Single,
    out: Bytes,
    at: int,
) -> None:
    """Texture coordinates are exact at the first and last pixel of each segment and linear between."""
    one, least, top = np.float32(1.0), np.float32(1e-3), np.float32(255.0)
    w, u, v = (
        rows[t, 0] + rows[t, 2] * y,
        rows[t, 12] + rows[t, 14] * y,
        rows[t, 15] + rows[t, 17] * y,
    )
    wx, ux, vx = rows[t, 1], rows[t, 13], rows[t, 16]
    out_k = np.uint64(at)
    while i < end:
        stop = min(i + SEGMENT, end)
        x0, x1 = np.float32(i), np.float32(stop - 1)
        w0 = w + wx * x0
        z0, z1 = one / max(w0, least), one / max(w + wx * x1, least)
        u0, v0, u1, v1 = (u + ux * x0) * z0, (v + vx * x0) * z0, (u + ux * x1) * z1, (v + vx * x1) * z1
        # The size of a pixel on the surface: along the row, and one row further down.
        share = one / np.float32(max(1, stop - i - 1))
        down = one / max(w0 + rows[t, 2], least)
        eu, ev = (u + ux * x0 + rows[t, 14]) * down - u0, (v + vx * x0 + rows[t, 17]) * down - v0
        across = (abs(u1 - u0) * share + abs(eu)) * np.float32(levels[texture, 0, 1])
        along = (abs(v1 - v0) * share + abs(ev)) * np.float32(levels[texture, 0, 2])
        spread, level = max(across, along), 0
        while spread > SHARPNESS and level < levels.shape[1] - 1:
            spread *= np.float32(0.5)
            level += 1
        start, wide = levels[texture, level, 0], levels[texture, level, 1]
        fw, fh = np.float32(wide), np.float32(levels[texture, level, 2])
        p, q = _fixed(u0 * fw, fw - EDGE), _fixed(v0 * fh, fh - EDGE)
        dp = np.int32((_fixed(u1 * fw, fw - EDGE) - p) * share)
        dq = np.int32((_fixed(v1 * fh, fh - EDGE) - q) * share)
        # Colour times texture; a surface large enough for a texture is lit evenly over a segment.
        r = np.int32(min(max(rows[t, 3] + rows[t, 4] * x0 + rows[t, 5] * y, np.float32(0.0)), top)) + 1
        g = np.int32(min(max(rows[t, 6] + rows[t, 7] * x0 + rows[t, 8] * y, np.float32(0.0)), top)) + 1
        b = np.int32(min(max(rows[t, 9] + rows[t, 10] * x0 + rows[t, 11] * y, np.float32(0.0)), top)) + 1
        for _ in range(stop - i):
            texel = np.uint64(4 * (start + (q >> 16) * wide + (p >> 16)))
            out[out_k] = (texels[texel] * r) >> 8
            out[out_k + np.uint64(1)] = (texels[texel + np.uint64(1)] * g) >> 8
            out[out_k + np.uint64(2)] = (texels[texel + np.uint64(2)] * b) >> 8
            p, q = p + dp, q + dq
            out_k += np.uint64(3)
        i = stop


@_nogil
def draw(
    view: Doubles,
    eye: Doubles,
    focal: float,
    near: float,
    geom_x: Doubles,
    geom_R: Doubles,
    reach: Doubles,
    geoms: Integers,
    first_point: Integers,
    first_face: Integers,
    points: Floats,
    normals: Floats,
    uv: Floats,
    faces: Integers,
    textures: Integers,
    colours: Doubles,
    gloss: Doubles,
    sun: Doubles,
    lights: Doubles,
    seen: Floats,
    rows: Floats,
    paint: Integers,
    width: int,
    height: int,
    nearest: Integers,
    which: Integers,
    scratch: Doubles,
) -> int:
    """Find the nearest triangle of every pixel of one eye; how many triangles were drawn.

    `view` rows are the camera's right, down and forward in the room; `geom_x`, `geom_R` (n, 3) and
    (n, 9) the geoms' poses and `reach` their radii. A geom outside the field of view costs nothing.
    `scratch` (40, 3) is overwritten.
    """
    nearest[:] = 0
    which[:] = -1
    turn, shift, centre = scratch[0:3], scratch[3], scratch[4]
    to_sun, half, head, middle = scratch[5], scratch[6], scratch[7], scratch[8]
    corner, cut = scratch[9:17], scratch[17:28].reshape(33)[:32].reshape(4, 8)
    centre[0], centre[1] = 0.5 * width, 0.5 * height
    # Half way between the light and the eye, in the room.
    size = 0.0
    for k in range(3):
        middle[k] = sun[k] - view[2, k]
        size += middle[k] * middle[k]
    size = math.sqrt(size)
    slope_x, slope_y = centre[0] / focal, centre[1] / focal
    lean_x, lean_y = math.sqrt(1.0 + slope_x * slope_x), math.sqrt(1.0 + slope_y * slope_y)
    number = 0
    for g in range(geoms.shape[0]):
        geom = geoms[g]
        for k in range(3):
            shift[k] = 0.0
            for m in range(3):
                shift[k] += view[k, m] * (geom_x[geom, m] - eye[m])
        r = reach[geom]
        if shift[2] + r < near:
            continue
        if (
            abs(shift[0]) - slope_x * shift[2] > r * lean_x
            or abs(shift[1]) - slope_y * shift[2] > r * lean_y
        ):
            continue
        for k in range(3):
            to_sun[k] = half[k] = head[k] = 0.0
            for m in range(3):
                turn[k, m] = 0.0
                to_sun[k] += geom_R[geom, 3 * m + k] * sun[m]
                half[k] += geom_R[geom, 3 * m + k] * middle[m] / size
                head[k] -= geom_R[geom, 3 * m + k] * view[2, m]
                for n in range(3):
                    turn[k, m] += view[k, n] * geom_R[geom, 3 * n + m]
        light(
            first_point[g],
            first_point[g + 1],
            points,
            normals,
            turn,
            shift,
            to_sun,
            half,
            head,
            lights,
            colours[g],
            gloss[g],
            centre,
            focal,
            seen,
        )
        number = cover(
            first_face[g],
            first_face[g + 1],
            faces,
            seen,
            uv,
            textures[g],
            near,
            centre,
            focal,
            number,
            rows,
            paint,
            width,
            height,
            nearest,
            which,
            corner,
            cut,
        )
    return number
