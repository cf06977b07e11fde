"""Arms, references and a plain NumPy form of ONIA's equations, for the tests of the alignment."""

from __future__ import annotations

import numpy as np

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.motion.align import ArmReference

LEFT = HumanArm([0.0, 0.19, 1.42], [0.0, 0.49, 1.42], [0.0, 0.75, 1.42], [0.0, 0.0, -1.0], [0.0, 0.0, -1.0])
"""A left arm in T-pose: bending the elbow brings the hand forward; the palm looks down."""


def mirrored_arm(arm: HumanArm) -> HumanArm:
    """The arm of the other side. An axis of rotation turns against its mirror image."""
    M = np.diag([1.0, -1.0, 1.0])
    points = (M @ point for point in (arm.shoulder, arm.elbow, arm.wrist))
    return HumanArm(*points, -M @ arm.elbow_axis, M @ arm.wrist_vector)


def unit(v):
    return v / np.linalg.norm(v)


def rotations(random, n):
    """Random proper rotations (n, 3, 3)."""
    Q = np.linalg.qr(random.normal(size=(n, 3, 3)))[0]
    return Q * np.linalg.det(Q)[:, None, None]


def rotation(axis, angle):
    """Rodrigues' formula."""
    k = unit(np.asarray(axis, float))
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def random_references(random, n, arm=LEFT, spread=0.2):
    """Packed references (n, 18): elbows about the shoulder, wrists about the elbows, any hand."""
    rows = np.full((n, 18), np.nan)
    rows[:, 0:3] = arm.shoulder + spread * random.normal(size=(n, 3))
    rows[:, 3:6] = rows[:, 0:3] + spread * random.normal(size=(n, 3))
    rows[:, 6:15] = rotations(random, n).reshape(n, 9)
    return rows


def random_arms(random, n):
    """Models with bones of all directions and lengths, and any annotation."""
    arms = []
    for _ in range(n):
        shoulder, u, f, a, w = random.normal(size=(5, 3))
        elbow = shoulder + unit(u) * random.uniform(0.1, 0.6)
        arms.append(HumanArm(shoulder, elbow, elbow + unit(f) * random.uniform(0.1, 0.6), a, w))
    return arms


def points(arm, poses):
    """Elbows and wrists (n, 3) that packed poses (n, 30) give to a packed arm (15,) or arms (n, 15)."""
    arm = np.atleast_2d(arm)
    n = len(poses)
    R_s, R_e = poses[:, 0:9].reshape(n, 3, 3), poses[:, 9:18].reshape(n, 3, 3)
    upper, fore = arm[:, 3:6] - arm[:, 0:3], arm[:, 6:9] - arm[:, 3:6]
    elbow = arm[:, 0:3] + poses[:, 27, None] * np.einsum("nij,nj->ni", R_s, np.broadcast_to(upper, (n, 3)))
    return elbow, elbow + poses[:, 28, None] * np.einsum("nij,nj->ni", R_e, np.broadcast_to(fore, (n, 3)))


def shortest(x, y, spare):
    """The rotation about x cross y from the direction of x to that of y (eq. 4)."""
    x, y = unit(x), unit(y)
    c = np.cross(x, y)
    s = np.linalg.norm(c)
    if s < 1e-9:
        return np.eye(3) if x @ y > 0 else rotation(spare, np.pi)
    return rotation(c, np.arctan2(s, x @ y))


def perpendicular(v, k):
    """(v) normal to k (eq. 5)."""
    return v - (v @ k) / (k @ k) * k


def signed(x, y, axis):
    """Angle from x to y about the unit vector `axis`."""
    return np.arctan2(axis @ np.cross(x, y), x @ y)


def onia(arm: HumanArm, reference: ArmReference, alpha=0.4):
    """Eq. 6-19 line by line, as corrected; no edge cases. R_s, R_e, S_u, S_f."""
    d_u_r = reference.elbow - arm.shoulder  # (7)
    d_f_r = reference.wrist - reference.elbow
    R_swing = shortest(arm.upper, d_u_r, perpendicular(arm.elbow_axis, arm.upper))  # (8), human to robot
    S_u = np.linalg.norm(d_u_r) / np.linalg.norm(arm.upper)  # (9)
    a_r = np.cross(d_u_r, d_f_r)  # (11)
    a_h = perpendicular(R_swing @ arm.elbow_axis, d_u_r)  # (13)
    R_s = rotation(d_u_r, signed(a_h, a_r, unit(d_u_r))) @ R_swing  # (12), (14)
    R_e_swing = shortest(R_s @ arm.fore, d_f_r, a_r) @ R_s  # (15)
    S_f = np.linalg.norm(d_f_r) / np.linalg.norm(arm.fore)  # (16)
    mine = perpendicular(R_e_swing @ arm.wrist_vector, d_f_r)  # (18)
    theirs = perpendicular(reference.hand @ arm.wrist_vector, d_f_r)
    R_e = rotation(d_f_r, alpha * signed(mine, theirs, unit(d_f_r))) @ R_e_swing  # (17), (19)
    return R_s, R_e, S_u, S_f


def angle_between(R, Q):
    """Angle of the rotation between two [rad]."""
    return float(np.linalg.norm(R - Q) / np.sqrt(2.0))
