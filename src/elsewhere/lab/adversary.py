"""Experiment `adversary`: whatever the operator sends, no limit is exceeded.

Random and hostile operators drive the real tick and the simulated robot in lockstep, in virtual time,
on an empty floor: there is nothing to run into but the avatar itself, so the measured joints, not
only the commanded ones, must keep every limit. What is checked is computed here from what was sent
and felt, not asked of the parts that are to keep it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from elsewhere.avatar.tick import Memory, Tick
from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.lab._adversary_kernels import CHECKS, FAULTS, LIMITS, MEMORY, inspect
from elsewhere.lab.experiment import Experiment, Progress, Result, option
from elsewhere.lab.plots import Histogram
from elsewhere.lab.registry import experiment
from elsewhere.lab.statistics import Row, percentile
from elsewhere.operator.adversaries import ADVERSARIES
from elsewhere.records import MAX_JOINTS, REQUEST, zeros
from elsewhere.rig import load_rig
from elsewhere.status import Mode, Reason
from elsewhere.world.simulation import Simulation

EPISODE = 5_000  # ticks of one operator before the next takes over
FADE_NS = 200_000_000  # so that most of a run is spent in full motion
GAP_EVERY = 4  # ticks between two looks at the gaps between the avatar's own parts
TRIPS = (Reason.EXCESS_TORQUE, Reason.EXCESS_VELOCITY, Reason.EXCESS_FORCE, Reason.BAD_REFERENCE)
BUDGET_US = 350.0


@dataclass
class Ledger:
    """What a run has used of each limit, and how often it used too much."""

    worst: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(CHECKS)))
    violations: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(len(CHECKS) + len(FAULTS), np.int64)
    )
    least_gap: float = np.inf
    touched: int = 0
    stops: int = 0
    tracking: int = 0
    compute_us: list[float] = field(default_factory=list)
    by_operator: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All violations, a protective stop included: nothing here gives cause for one."""
        return int(self.violations.sum()) + self.touched + self.stops


class Arena:
    """An avatar and its simulated robot in lockstep, with every tick inspected."""

    def __init__(self, body: Body, seed: int) -> None:
        self.body, self.tick = body, Tick(body)
        self.tick.watchdog.fade_ns = FADE_NS
        self.sim = Simulation(body, "empty", seed)
        self.memory: Memory = self.tick.init(self.sim.state())
        self.request = zeros(REQUEST)
        self.dt = 1.0 / body.rig.control.rate_hz
        self.joints = np.array([arm.chain.n if arm else 0 for arm in body.arms])
        self.limits = np.ones((len(LIMITS), 2, MAX_JOINTS))
        for side, arm in enumerate(body.arms):
            if arm:
                for row, name in enumerate(LIMITS):
                    self.limits[row, side, : arm.chain.n] = getattr(arm.limits, name)
        self._seen = np.zeros(1, MEMORY)
        self._session = 1

    def episode(self, name: str, seed: int, ticks: int, ledger: Ledger) -> None:
        """Let one operator drive a robot that was just put home."""
        sim, tick, memory = self.sim, self.tick, self.memory
        sim.reset(seed, command_seq=int(memory.command.seq[0]))
        # A session is newer than all that the last operator may have claimed.
        self._session = int(memory.watchdog.frame.session[0]) + 1
        operator = ADVERSARIES[name](seed, self._session)
        capsules, before = tick.self_collision.capsules, ledger.total
        self._seen["ticks"] = 0
        tap = tick.tap
        for number in range(ticks):
            now = sim.time_ns
            frame = operator.step(now, tap)
            state = sim.read_state()
            began = time.thread_time_ns()
            tap = tick.step(memory, state, frame, self.request, now)
            ledger.compute_us.append(1e-3 * (time.thread_time_ns() - began))
            inspect(
                tap.reshape(1),
                self.limits,
                self.joints,
                self.dt,
                self._seen,
                ledger.worst,
                ledger.violations,
            )
            if number % GAP_EVERY == 0:
                gap = capsules.least_gap(state["q"], (self.body.head.position, state["head"]))[0]
                ledger.least_gap = min(ledger.least_gap, gap)
                ledger.touched += gap < 0.0 or sim.data.ncon > 0  # the floor is empty: it is itself
            ledger.stops += int(memory.guard.trip[0]) in TRIPS
            ledger.tracking += int(memory.watchdog.mode[0]) == Mode.TRACK
            sim.step(tap["command"])
        ledger.by_operator[name] = ledger.by_operator.get(name, 0) + ledger.total - before


@experiment("adversary")
@dataclass(frozen=True)
class AdversaryExperiment(Experiment):
    """Every limit, every tick, ten operators that nobody wishes for."""

    title = "Limits under hostile operators"
    question = "Does any joint leave any limit, or the avatar touch itself, whatever the operator sends?"
    paper = "NimbRo, table 3: safety stops by torque and by velocity in the semifinal. Asked: none."

    rig: str = option("commodity", "name or file of the rig")
    ticks: int = option(100_000, "how many ticks of a millisecond")
    seed: int = option(0, "seed of the first operators")
    torque: str = option("", "torque law, instead of the rig's")

    def run(self, progress: Progress) -> Result:
        """Drive, inspect, count."""
        rig = load_rig(self.rig)
        if self.torque:
            rig = replace(rig, control=replace(rig.control, torque=self.torque))
        progress("Composing the avatar…")
        arena, ledger = Arena(compose(rig), self.seed), Ledger()
        done, number, began = 0, 0, time.perf_counter()
        while done < self.ticks:
            names = list(ADVERSARIES)
            name, seed = names[number % len(names)], self.seed + number // len(names)
            count = min(EPISODE, self.ticks - done)
            arena.episode(name, seed, count, ledger)
            done, number = done + count, number + 1
            rate = done / (time.perf_counter() - began)
            progress(f"{done:,} of {self.ticks:,} ticks, {rate:,.0f} a second, {ledger.total} violations…")
        return conclude(ledger, done, done / (time.perf_counter() - began))


def conclude(ledger: Ledger, ticks: int, rate: float) -> Result:
    """The table: the greatest share of each limit that was ever used."""
    asked = "issue: none, whatever comes in"
    rows = [Row("violations", ledger.total, "", 0, "at most", asked)]
    for name, share in zip(CHECKS, ledger.worst, strict=True):
        rows.append(Row(f"{name}, most of its limit", 100.0 * float(share), "%", 100.0, "at most"))
    for name, count in zip(FAULTS, ledger.violations[len(CHECKS) :], strict=True):
        rows.append(Row(name, int(count), "", 0, "at most"))
    rows.append(Row("least gap between own parts", 1e3 * ledger.least_gap, "mm", 0.0, "at least"))
    rows.append(
        Row("ticks in a protective stop", ledger.stops, "", 0, "at most", "NimbRo, table 3: two stops")
    )
    p50, p99 = (percentile(ledger.compute_us, share) for share in (50, 99))
    rows.append(Row("computation of a tick, p50", p50, "us"))
    rows.append(Row("computation of a tick, p99", p99, "us", BUDGET_US, "at most", "issue"))
    summary = {
        "violations": ledger.total,
        "ticks": ticks,
        "worst": {name: float(share) for name, share in zip(CHECKS, ledger.worst, strict=True)},
        "counts": {
            name: int(count) for name, count in zip((*CHECKS, *FAULTS), ledger.violations, strict=True)
        },
        "self_collisions": ledger.touched,
        "protective_stops": ledger.stops,
        "by_operator": ledger.by_operator,
        "least_gap_mm": 1e3 * ledger.least_gap,
        "tracking_share": ledger.tracking / max(ticks, 1),
        "compute_us_p50": p50,
        "compute_us_p99": p99,
        "ticks_per_s": rate,
    }
    notes = (
        f"violations: {ledger.total} in {ticks:,} ticks, {100 * ledger.tracking / max(ticks, 1):.0f} % of "
        f"them in full motion; {rate:,.0f} ticks a second.",
        "By operator: " + ", ".join(f"{name} {count}" for name, count in ledger.by_operator.items()) + ".",
        "Virtual time. Computation is processor time of the real tick, outside its real-time process.",
    )
    plots = (
        Histogram(
            "Computation of a tick",
            "processor time [us]",
            {"tick": np.array(ledger.compute_us)},
            limits=(0.0, 2.0 * BUDGET_US),
            marks={"asked p99": BUDGET_US},
        ),
    )
    return Result(tuple(rows), plots, notes, summary)
