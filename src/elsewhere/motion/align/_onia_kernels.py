"""Compiled ONIA: elbow and wrist points to rotations and stretches of an arm, in closed form.

R_s takes the human's upper arm to the robot's and the human's elbow axis to the robot's. Swing and twist
(eq. 8-14) together are one frame to another, F_r F_h^T, with F = (upper arm, elbow axis normal to it,
their cross product); so the swing itself is needed only where the twist is undefined. R_e and R_s share
F_h: a rotation is kept as its image of F_h, and written out as a matrix at the end.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from elsewhere.kernel import inlined, kernel
from elsewhere.motion.align._packed_kernels import (
    FOLDED,
    MODEL,
    OK,
    POSE,
    REFERENCE,
    STRAIGHT,
    Frame,
    Model,
    Robot,
    Settings,
    read_model,
    read_robot,
    read_settings,
    usable,
    write_pose,
    write_rest,
)
from elsewhere.motion.align._vector_kernels import (
    Vec,
    along,
    carry_two,
    cross,
    dot,
    mul,
    norm,
    normal_to,
    smooth,
    sub,
    turn,
    upright,
)

Array = NDArray[np.float64]

CANCELLED = 1e-6
"""A mixture of two opposite axes shorter than this has no direction."""
NOWHERE = (0.0, 0.0, 0.0)


@inlined
def image(own: Frame, new: Frame, v: Vec) -> Vec:
    """R v of the rotation R that takes frame `own` to frame `new`."""
    return along(along(mul(dot(own[0], v), new[0]), dot(own[1], v), new[1]), dot(own[2], v), new[2])


@inlined
def mixed(a: Vec, b: Vec, weight: float) -> Vec:
    """Unit vector between the unit vectors a (weight 0) and b (weight 1); a where they cancel."""
    m = along(a, weight, sub(b, a))
    length = norm(m)
    return mul(1.0 / length, m) if length > CANCELLED else a


@kernel
def faded_axis(g: Settings, m: Model, u: Vec, a: Vec, weight: float, hint: Vec) -> Vec:
    """The elbow axis where u x f = a says little (weight < 1), or the model's annotation nothing.

    It fades towards `hint`, another's u x f, and where that says nothing either, to where the swing alone
    brings the axis: no twist.
    """
    axis = carry_two(m.own[0], u, m.own[1], m.own[1], m.own[0])[0]
    if m.marked:
        hinted = smooth(norm(hint), g.straight, g.bent)
        if hinted > 0.0:
            axis = mixed(axis, normal_to(mul(1.0 / norm(hint), hint), u), hinted)
        if weight > 0.0:
            axis = mixed(axis, mul(1.0 / norm(a), a), weight)
    # Exactly normal to u: a cross product of nearly parallel vectors is not, to the last digits.
    return normal_to(axis, u)


@inlined
def forearm_turn(g: Settings, f: Vec, mine: Vec, theirs: Vec) -> float:
    """Angle by which the forearm is twisted about f (eq. 17, 18): a share of that between the palm normals.

    Faded out where either normal lies nearly along the forearm (wrist bent by a right angle).
    """
    mine, theirs = upright(mine, f), upright(theirs, f)
    angle = g.alpha * math.atan2(dot(f, cross(mine, theirs)), dot(mine, theirs))
    least = min(dot(mine, mine), dot(theirs, theirs))
    if least < g.fade * g.fade:
        angle *= smooth(math.sqrt(least), g.straight, g.fade)
    return angle


@inlined
def forearm_frame(g: Settings, m: Model, r: Robot, new: Frame, f: Vec) -> Frame:
    """R_e's image of F_h when R_s's is `new` and the forearm points along f.

    R_s swung to f about the elbow axis (eq. 15), then twisted by a share of the wrist's twist (eq. 17-19).
    """
    p, q = carry_two(image(m.own, new, m.fore), f, new[1], new[0], new[1])
    x, y, z = r.hand
    theirs = (dot(x, m.palm), dot(y, m.palm), dot(z, m.palm))
    angle = forearm_turn(g, f, image(m.own, (p, q, cross(p, q)), m.palm), theirs)
    c, s = math.cos(angle), math.sin(angle)
    p, q = turn(p, f, c, s), turn(q, f, c, s)
    return (p, q, cross(p, q))


@inlined
def pose_at(g: Settings, m: Model, r: Robot, e: Vec, w: Vec, hint: Vec, out: Array, at: int) -> None:
    """Write the pose with the elbow at e and the wrist at w: eq. 6-19 with these as reference points."""
    u, f = sub(e, m.shoulder), sub(w, e)
    upper, fore = norm(u), norm(f)
    u, f = mul(1.0 / upper, u), mul(1.0 / fore, f)
    a = cross(u, f)
    sine = norm(a)
    weight = smooth(sine, g.straight, g.bent)
    clear = weight >= 1.0 and m.marked
    axis = mul(1.0 / sine, a) if clear else faded_axis(g, m, u, a, weight, hint)
    new = (u, axis, cross(u, axis))
    turned = forearm_frame(g, m, r, new, f)
    write_pose(m.own, new, turned, r.hand, upper / m.upper_length, fore / m.fore_length, out, at)
    if weight >= 1.0:
        out[at + 29] = OK
    else:
        out[at + 29] = STRAIGHT if dot(u, f) > 0.0 else FOLDED


@inlined
def onia_row(g: Settings, m: Model, r: Robot, out: Array, at: int) -> None:
    """The pose whose elbow and wrist are the robot's."""
    if usable(m, r):
        pose_at(g, m, r, r.elbow, r.wrist, NOWHERE, out, at)
    else:
        write_rest(r.hand, out, at)


@kernel
def onia_into(settings: Array, arm: Array, reference: Array, out: Array) -> None:
    """One arm."""
    onia_row(read_settings(settings), read_model(arm, 0), read_robot(reference, 0), out, 0)


@kernel
def onia_batch(settings: Array, arms: Array, references: Array, out: Array) -> None:
    """Many references (n, 18), and as many arms (n, 15) or one (1, 15)."""
    g = read_settings(settings)
    models, robots, found = arms.reshape(-1), references.reshape(-1), out.reshape(-1)
    m, many = read_model(models, 0), len(arms) > 1
    for i in range(len(references)):
        if many:
            m = read_model(models, MODEL * i)
        onia_row(g, m, read_robot(robots, REFERENCE * i), found, POSE * i)
