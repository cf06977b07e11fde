"""Compiled rotations and profiles. Quaternions are w, x, y, z; results go into `out`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import kernel

Array = NDArray[np.float64]


@kernel
def quat_multiply(a: Array, b: Array, out: Array) -> None:
    """out = a * b: the rotation b, then a. `out` may be neither a nor b."""
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]


@kernel
def quat_normalise(q: Array) -> None:
    """Scale q to unit length, in place; a vanishing q becomes the identity."""
    norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if norm < 1e-12:
        q[0], q[1], q[2], q[3] = 1.0, 0.0, 0.0, 0.0
    else:
        for i in range(4):
            q[i] /= norm


@kernel
def quat_rotate(q: Array, v: Array, out: Array) -> None:
    """out = R(q) v. `out` may not be v."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    out[0] = v[0] + w * tx + y * tz - z * ty
    out[1] = v[1] + w * ty + z * tx - x * tz
    out[2] = v[2] + w * tz + x * ty - y * tx


@kernel
def quat_log(q: Array, out: Array) -> None:
    """Rotation vector of q, of length at most pi (the shorter way round)."""
    sign = 1.0 if q[0] >= 0.0 else -1.0
    n = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    # atan2 keeps full precision near both zero and pi, where acos of w would not.
    scale = 2.0 if n < 1e-12 else 2.0 * math.atan2(n, abs(q[0])) / n
    for i in range(3):
        out[i] = sign * scale * q[i + 1]


@kernel
def quat_exp(v: Array, out: Array) -> None:
    """Quaternion of the rotation vector v."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    scale = 0.5 - angle * angle / 48.0 if angle < 1e-6 else math.sin(0.5 * angle) / angle
    out[0] = math.cos(0.5 * angle)
    for i in range(3):
        out[i + 1] = scale * v[i]


@kernel
def matrix_from_quat(q: Array, out: Array) -> None:
    """Rotation matrix of the unit quaternion q."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    out[0, 1] = 2.0 * (x * y - w * z)
    out[0, 2] = 2.0 * (x * z + w * y)
    out[1, 0] = 2.0 * (x * y + w * z)
    out[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    out[1, 2] = 2.0 * (y * z - w * x)
    out[2, 0] = 2.0 * (x * z - w * y)
    out[2, 1] = 2.0 * (y * z + w * x)
    out[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def quat_from_matrix(m: Array, out: Array) -> None:
    """Unit quaternion of the rotation matrix m, by its largest component (never divides by ~0)."""
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if trace > 0.0:
        s = 2.0 * math.sqrt(trace + 1.0)
        out[0] = 0.25 * s
        out[1] = (m[2, 1] - m[1, 2]) / s
        out[2] = (m[0, 2] - m[2, 0]) / s
        out[3] = (m[1, 0] - m[0, 1]) / s
    elif m[0, 0] > m[1, 1] and m[0, 0] > m[2, 2]:
        s = 2.0 * math.sqrt(1.0 + m[0, 0] - m[1, 1] - m[2, 2])
        out[0] = (m[2, 1] - m[1, 2]) / s
        out[1] = 0.25 * s
        out[2] = (m[0, 1] + m[1, 0]) / s
        out[3] = (m[0, 2] + m[2, 0]) / s
    elif m[1, 1] > m[2, 2]:
        s = 2.0 * math.sqrt(1.0 + m[1, 1] - m[0, 0] - m[2, 2])
        out[0] = (m[0, 2] - m[2, 0]) / s
        out[1] = (m[0, 1] + m[1, 0]) / s
        out[2] = 0.25 * s
        out[3] = (m[1, 2] + m[2, 1]) / s
    else:
        s = 2.0 * math.sqrt(1.0 + m[2, 2] - m[0, 0] - m[1, 1])
        out[0] = (m[1, 0] - m[0, 1]) / s
        out[1] = (m[0, 2] + m[2, 0]) / s
        out[2] = (m[1, 2] + m[2, 1]) / s
        out[3] = 0.25 * s


@kernel
def quat_heading(q: Array) -> float:
    """Yaw of the forward (x) axis of q about z [rad]; nan when it points straight up or down."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    fx = 1.0 - 2.0 * (y * y + z * z)
    fy = 2.0 * (x * y + w * z)
    if fx * fx + fy * fy < 1e-6:
        return math.nan
    return math.atan2(fy, fx)


@kernel
def quat_to_yaw_pitch_roll(q: Array, out: Array) -> None:
    """Angles of q = Rz(yaw) Ry(pitch) Rx(roll) [rad]; roll is 0 where pitch is a right angle."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = max(-1.0, min(1.0, 2.0 * (w * y - z * x)))
    if abs(s) > 1.0 - 1e-9:
        out[0] = 2.0 * math.atan2(z, w)
        out[1] = math.copysign(0.5 * math.pi, s)
        out[2] = 0.0
    else:
        out[0] = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        out[1] = math.asin(s)
        out[2] = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))


@kernel
def quat_from_yaw_pitch_roll(angles: Array, out: Array) -> None:
    """q = Rz(yaw) Ry(pitch) Rx(roll)."""
    cy, sy = math.cos(0.5 * angles[0]), math.sin(0.5 * angles[0])
    cp, sp = math.cos(0.5 * angles[1]), math.sin(0.5 * angles[1])
    cr, sr = math.cos(0.5 * angles[2]), math.sin(0.5 * angles[2])
    out[0] = cy * cp * cr + sy * sp * sr
    out[1] = cy * cp * sr - sy * sp * cr
    out[2] = cy * sp * cr + sy * cp * sr
    out[3] = sy * cp * cr - cy * sp * sr


@kernel
def approach_speed(distance: float, gain: float, top: float, deceleration: float) -> float:
    """Speed at which to close a distance so that one can still stop at its end.

    min(gain d, top, sqrt(2 a d)): proportional when near, braking parabola further out.
    """
    return min(gain * distance, top, math.sqrt(2.0 * deceleration * distance))
