"""The filter that is used: steady while the robot rests, prompt while it moves.

Two Kalman filters run side by side on the pose and its rate, with errors in the axes of the world: one for
a robot at rest (it averages over a second and more), one for a robot that moves with slowly changing
velocity. How well each foretold the last pictures says how probable each is, and the result is their mean
by that probability: an interacting multiple model (Blom and Bar-Shalom, IEEE Trans. Automatic Control 33,
1988). Each sighting comes with its covariance, so that a marker far away, whose depth and tilt jitter by
millimetres, is averaged longer, and one near by is believed at once; there is no constant to tune by
distance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elsewhere.presence.tracking.pose import Pose
from elsewhere.presence.tracking.pose_filter import PoseFilter, Remembered

Array = NDArray[np.float64]

REST, MOTION = 0, 1


@dataclass(frozen=True, eq=False)
class Mixed(Remembered):
    """Of each model (rest, motion): pose, rate (6,), covariance (12, 12) of both, and probability."""

    poses: tuple[Pose, ...] = ()
    rates: tuple[Array, ...] = ()
    covariances: tuple[Array, ...] = ()
    shares: tuple[float, ...] = (0.5, 0.5)


@dataclass(frozen=True)
class AdaptiveFilter(PoseFilter[Mixed]):
    """Rest or motion, by what the pictures say.

    `walk`: how far a resting base seems to wander in a second [m, rad]: the headset's own drift.
    `acceleration`: what a moving base may do within `manoeuvre_s` [m/s^2, rad/s^2].
    `speed`: how fast it may be when it is first seen to move [m/s, rad/s].
    `starts_hz`, `stops_hz`: how often it starts to move and comes to rest.
    """

    walk: tuple[float, float] = (5e-5, 1e-4)
    acceleration: tuple[float, float] = (1.5, 3.0)
    manoeuvre_s: float = 0.3
    speed: tuple[float, float] = (0.3, 0.6)
    starts_hz: float = 0.2
    stops_hz: float = 1.0

    def init(self) -> Mixed:
        """Nothing is known."""
        return Mixed()

    def moving(self, state: Mixed) -> float:
        """How probable it is that the base moves, 0 to 1."""
        return state.shares[MOTION]

    def expected(self, state: Mixed, time_s: float) -> Pose:
        """Carried on by the mean rate, for as long as pictures usually take."""
        assert state.pose is not None
        dt = min(time_s - state.time_s, 0.1)
        return state.pose.plus(dt * state.shares[MOTION] * state.rates[MOTION])

    def _start(self, time_s: float, pose: Pose, covariance: Array) -> Mixed:
        P = np.zeros((12, 12))
        P[:6, :6], P[6:, 6:] = covariance, np.diag(_pair(self.speed) ** 2)
        zero = np.zeros(6)
        return Mixed(time_s, pose, None, 0.0, (pose, pose), (zero, zero), (P, P), (0.9, 0.1))

    def _follow(self, state: Mixed, dt: float, pose: Pose, covariance: Array) -> Mixed:
        poses, rates, covariances, shares = self._interact(state, dt)
        updated = [
            _updated(*self._predicted(i, dt, poses[i], rates[i], covariances[i]), pose, covariance)
            for i in (REST, MOTION)
        ]
        fit = np.array([one[3] for one in updated])
        weights = shares * np.exp(fit - fit.max()) + 1e-12
        weights /= weights.sum()
        new_poses = tuple(one[0] for one in updated)
        mean = new_poses[REST].plus(weights[MOTION] * new_poses[MOTION].minus(new_poses[REST]))
        return Mixed(
            state.time_s + dt,
            mean,
            None,
            0.0,
            new_poses,
            tuple(one[1] for one in updated),
            tuple(one[2] for one in updated),
            (float(weights[REST]), float(weights[MOTION])),
        )

    def _interact(self, state: Mixed, dt: float) -> tuple[list[Pose], list[Array], list[Array], Array]:
        """Each model begins from a mean of both, by how probable a change from one to the other is."""
        start, stop = 1.0 - np.exp(-dt * self.starts_hz), 1.0 - np.exp(-dt * self.stops_hz)
        change = np.array([[1.0 - start, start], [stop, 1.0 - stop]]) * np.array(state.shares)[:, None]
        shares = change.sum(axis=0)
        poses, rates, covariances = [], [], []
        for to in (REST, MOTION):
            weights = change[:, to] / shares[to]
            own = state.poses[to]
            steps = [
                np.concatenate([p.minus(own), r - state.rates[to]])
                for p, r in zip(state.poses, state.rates, strict=True)
            ]
            mean = weights[0] * steps[0] + weights[1] * steps[1]
            P = sum(
                w * (C + np.outer(d - mean, d - mean))
                for w, C, d in zip(weights, state.covariances, steps, strict=True)
            )
            poses.append(own.plus(mean[:6]))
            rates.append(state.rates[to] + mean[6:])
            covariances.append(np.asarray(P))
        return poses, rates, covariances, shares

    def _predicted(
        self, model: int, dt: float, pose: Pose, rate: Array, P: Array
    ) -> tuple[Pose, Array, Array]:
        """The state `dt` later."""
        out = np.zeros((12, 12))
        if model == REST:
            out[:6, :6] = P[:6, :6] + np.diag(dt * _pair(self.walk) ** 2)
            out[6:, 6:] = np.diag(_pair(self.speed) ** 2)
            return pose, np.zeros(6), out
        F = np.eye(12)
        F[:6, 6:] = dt * np.eye(6)
        noise = np.diag(self.manoeuvre_s * _pair(self.acceleration) ** 2)
        out[:6, :6], out[6:, 6:] = dt**3 / 3.0 * noise, dt * noise
        out[:6, 6:] = out[6:, :6] = 0.5 * dt**2 * noise
        return pose.plus(dt * rate), rate, F @ P @ F.T + out


def _pair(values: tuple[float, float]) -> Array:
    """A value for positions and one for rotations, as the diagonal of six."""
    return np.repeat(np.array(values, np.float64), 3)


def _updated(pose: Pose, rate: Array, P: Array, seen: Pose, R: Array) -> tuple[Pose, Array, Array, float]:
    """The Kalman update with a seen pose, and the log-likelihood of having seen it."""
    miss = seen.minus(pose)
    S = P[:6, :6] + R
    gain = np.linalg.solve(S, P[:6]).T
    change = gain @ miss
    keep = np.eye(12)
    keep[:, :6] -= gain
    better = keep @ P @ keep.T + gain @ R @ gain.T  # Joseph's form stays symmetric and positive
    fit = -0.5 * float(miss @ np.linalg.solve(S, miss) + np.linalg.slogdet(S)[1])
    return pose.plus(change[:6]), rate + change[6:], better, fit
