"""An arm that follows a hand's path in the simplest way: one iteration of the solver a sample.

No dynamics, no link, no guard: the joints move by the solver's velocity for the sampling period, as
AVATRINA simulated its arms for its design metrics (Correia Marques et al., 2024, section 4.1.1).
"""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies import home
from elsewhere.bodies.arm import Arm
from elsewhere.bodies.body import Body
from elsewhere.lab.floor import OFF, TURNED
from elsewhere.lab.hand_path import RATE_HZ, HandPath, stored
from elsewhere.motion.arm_motion import SMOOTH_S
from elsewhere.motion.ik._kernels import target_twist
from elsewhere.motion.ik.base import NO_RESERVE, Solver
from elsewhere.motion.ik.registry import find_solver
from elsewhere.motion.ik.scout import Gains, Scout
from elsewhere.rig import Control
from elsewhere.status import LEFT, SIDES

Array = NDArray[np.float64]

DEFAULT = Control().solver
NEAR_START = 1e-3  # m + rad, an error of the first pose that is as good as none


def hand_path(name: str, side: int, samples: int | None = None) -> HandPath:
    """Path A or B for one arm, or its first samples; the left one's is mirrored."""
    path = stored(name)
    path = path.mirrored() if side == LEFT else path
    return HandPath(name, path.t[:samples], path.p[:samples], path.q[:samples])


def pitched(path: HandPath, up_deg: float, name: str) -> HandPath:
    """The same places, but every hand turned up by an angle about its own y axis."""
    half = -0.5 * np.radians(up_deg)
    turn, quats = np.array([np.cos(half), 0.0, np.sin(half), 0.0]), np.zeros_like(path.q)
    for k, quat in enumerate(path.q):
        mujoco.mju_mulQuat(quats[k], quat, turn)
    return dataclasses.replace(path, name=name, q=quats)


def kinematic(arm: Arm, name: str, bias: str, dt: float) -> Solver:
    """A solver under the whole limits of the data sheet, for an arm without inertia."""
    kind = find_solver(name)
    gains = np.array(Gains.kinematic(dt)) if kind is Scout else None
    return kind(arm, dt, bias, NO_RESERVE, gains)


class Pursuit:
    """A solver on one arm without inertia: joints `q`, moved towards a target by each `step`.

    The solver may use all that the data sheet allows, and closes the whole error at once if it can. It is
    told the target's velocity, smoothed as in the avatar.
    """

    def __init__(self, arm: Arm, dt: float, name: str = DEFAULT, bias: str = Control().bias) -> None:
        self.arm, self.dt = arm, dt
        self.solver = kinematic(arm, name, bias, dt)
        self.q, self.velocity = arm.home.copy(), np.zeros(arm.chain.n)
        self._motion = np.zeros(arm.chain.n)
        self._state, self._feed = self.solver.new_state(), np.zeros(6)
        self._last_p, self._last_q, self._work = np.zeros(3), np.zeros(4), np.zeros((3, 4))

    def start(self, q: Array) -> None:
        """Begin at joints q, at rest."""
        self.q[:], self.velocity[:], self._last_q[:] = q, 0.0, 0.0
        self.solver.init(self._state, self.q)

    def step(self, p: Array, q: Array) -> None:
        """One iteration, and the motion of one period."""
        if not self._last_q.any():
            self._last_p[:], self._last_q[:], self._feed[:] = p, q, 0.0
        last = self._last_p, self._last_q
        target_twist(p, q, *last, self.dt, SMOOTH_S, self._feed, self._work)
        self.solver.step(self._state, self.q, p, q, self._feed, self.velocity)
        np.multiply(self.velocity, self.dt, self._motion)
        self.q += self._motion


def start_joints(body: Body, side: int, path: HandPath) -> Array:
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


def follow(
    arm: Arm, path: HandPath, start: Array, solver: str = DEFAULT, bias: str = Control().bias
) -> Array:
    """The joints (n, joints) of an arm that follows a path from `start` on."""
    pursuit = Pursuit(arm, 1.0 / RATE_HZ, solver, bias)
    pursuit.start(start)
    joints = np.zeros((len(path.p), arm.chain.n))
    for k in range(len(path.p)):
        pursuit.step(path.p[k], path.q[k])
        joints[k] = pursuit.q
    return joints


def lost(arm: Arm, path: HandPath, joints: Array) -> NDArray[np.bool_]:
    """Which samples are lost: e_t of AVATRINA's eq. 1. Their mean is M_track."""
    away = np.zeros(len(joints), np.bool_)
    R_target = np.zeros(9)
    for k, q in enumerate(joints):
        R, p, _ = arm.chain.forward(q)
        mujoco.mju_quat2Mat(R_target, path.q[k])
        cosine = 0.5 * (float(np.sum(R * R_target.reshape(3, 3))) - 1.0)
        angle = np.arccos(min(1.0, max(-1.0, cosine)))
        away[k] = np.linalg.norm(p - path.p[k]) > OFF or angle > TURNED
    return away
