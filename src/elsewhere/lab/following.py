"""An arm that follows a hand's path in the simplest way: one iteration of the solver a sample.

No dynamics, no link, no guard: the joints move by the solver's velocity for the sampling period, as
AVATRINA simulated its arms for its design metrics (Correia Marques et al., 2024, section 4.1.1).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import home
from elsewhere.bodies.arm import Arm
from elsewhere.bodies.body import Body
from elsewhere.motion.arm_motion import SMOOTH_S
from elsewhere.motion.ik._kernels import target_twist
from elsewhere.motion.ik.damped import Damped
from elsewhere.spatial._kernels import quat_from_matrix
from elsewhere.status import LEFT, SIDES

Array = NDArray[np.float64]

RATE_HZ = 125
EPS_X, EPS_THETA = 0.05, 0.3
"""A palm farther than this [m, rad] from its target counts as lost (AVATRINA, eq. 1)."""
NEAR_START = 1e-3  # m + rad, an error of the first pose that is as good as none


@dataclass(frozen=True)
class Poses:
    """Where a palm should be, in the base frame: `p` (n, 3), `q` (n, 4), at 125 Hz."""

    name: str
    p: Array
    q: Array

    def first(self, count: int) -> Poses:
        """The path up to its sample `count`."""
        return Poses(self.name, self.p[:count], self.q[:count])


def hand_path(name: str, side: int) -> Poses:
    """Path A or B for one arm; the left one's is mirrored."""
    p, q = _stand_in(name)
    if side == LEFT:
        return Poses(name, p * [1.0, -1.0, 1.0], q * [1.0, -1.0, 1.0, -1.0])
    return Poses(name, p, q)


def pitched(path: Poses, up_deg: float, name: str) -> Poses:
    """The same places, but every hand turned up by an angle about its own y axis."""
    half = -0.5 * np.radians(up_deg)
    turn, quats = np.array([np.cos(half), 0.0, np.sin(half), 0.0]), np.zeros_like(path.q)
    for k, quat in enumerate(path.q):
        mujoco.mju_mulQuat(quats[k], quat, turn)
    return dataclasses.replace(path, name=name, q=quats)


class Pursuit:
    """The default solver on one arm: joints `q`, moved towards a target by each `step`."""

    def __init__(self, arm: Arm, dt: float) -> None:
        self.arm, self.dt = arm, dt
        self.solver = Damped(arm, dt)
        self.q, self.velocity = arm.home.copy(), np.zeros(arm.chain.n)
        self._feed, self._last_p, self._last_q = np.zeros(6), np.zeros(3), np.zeros(4)
        self._turns = np.zeros((3, 4))

    def start(self, q: Array) -> None:
        """Begin at joints q, at rest."""
        R, p, _ = self.arm.chain.forward(q)
        self.q[:], self.velocity[:], self._feed[:] = q, 0.0, 0.0
        self._last_p[:] = p
        quat_from_matrix(R, self._last_q)

    def step(self, p: Array, q: Array) -> None:
        """One iteration, and the motion of one period."""
        target_twist(p, q, self._last_p, self._last_q, self.dt, SMOOTH_S, self._feed, self._turns)
        self.solver.step(self.q, p, q, self._feed, self.velocity)
        self.q += self.velocity * self.dt


def start_joints(body: Body, side: int, path: Poses) -> Array:
    """Joints that hold the palm where a path begins, in the posture nearest to home; home otherwise."""
    arm = body.arms[side]
    assert arm is not None, "only arms that exist are asked for"
    data = mujoco.MjData(body.model)
    mujoco.mj_kinematics(body.model, data)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, path.q[0])
    target, best, least = (R.reshape(3, 3), path.p[0]), arm.home, np.inf
    for seed in (arm.home, *home.starts(arm.limits)):
        q, error = home.reach(
            body.model, data, arm.joints, f"{SIDES[side]}_palm", target, seed, arm.limits, 0.1
        )
        if error < least:
            best, least = q, error
        if error < NEAR_START:
            break
    return best


def follow(arm: Arm, path: Poses, start: Array) -> Array:
    """The joints (n, joints) of an arm that follows a path from `start` on."""
    pursuit = Pursuit(arm, 1.0 / RATE_HZ)
    pursuit.start(start)
    joints = np.zeros((len(path.p), arm.chain.n))
    for k in range(len(path.p)):
        pursuit.step(path.p[k], path.q[k])
        joints[k] = pursuit.q
    return joints


def lost(arm: Arm, path: Poses, joints: Array) -> NDArray[np.bool_]:
    """Which samples are lost: e_t of AVATRINA's eq. 1. Their mean is M_track."""
    away = np.zeros(len(joints), np.bool_)
    R_target = np.zeros(9)
    for k, q in enumerate(joints):
        R, p, _ = arm.chain.forward(q)
        mujoco.mju_quat2Mat(R_target, path.q[k])
        cosine = 0.5 * (float(np.sum(R * R_target.reshape(3, 3))) - 1.0)
        angle = np.arccos(min(1.0, max(-1.0, cosine)))
        away[k] = np.linalg.norm(p - path.p[k]) > EPS_X or angle > EPS_THETA
    return away


def _stand_in(name: str) -> tuple[Array, Array]:
    """A seeded path of minimum-jerk reaches in front of the body; B also goes far to the right."""
    random = np.random.default_rng({"A": 1, "B": 2}[name])
    places = [np.array([0.5, -0.22, 1.0])]
    turns = [np.array([0.0, 80.0, 0.0])]
    p, q = [], []
    for reach in range(24):
        out = name == "B" and reach % 6 == 4
        place = random.uniform([0.42, -0.4, 0.78], [0.7, -0.05, 1.05])
        turn = random.uniform([-20.0, 30.0, -20.0], [20.0, 90.0, 20.0])
        if out:
            place, turn = np.array([0.3, -1.5, 1.05]), np.array([-70.0, 20.0, 30.0])
        samples = RATE_HZ * 3 // 4 if out else RATE_HZ * 5 // 4
        for k in range(samples):
            s = (k + 1) / samples
            s = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
            p.append(places[-1] + s * (place - places[-1]))
            q.append(_quat(turns[-1] + s * (turn - turns[-1])))
        p += [p[-1]] * (RATE_HZ // 2)
        q += [q[-1]] * (RATE_HZ // 2)
        places.append(place)
        turns.append(turn)
    return np.array(p), np.array(q)


def _quat(yaw_pitch_roll_deg: Array) -> Array:
    quat = np.zeros(4)
    yaw, pitch, roll = np.radians(yaw_pitch_roll_deg)
    mujoco.mju_euler2Quat(quat, np.array([yaw, pitch, roll]), "zyx")
    return quat
