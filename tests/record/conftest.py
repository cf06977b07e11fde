"""A plausible run: two arms that move, a sensor or two with noise, an operator at 100 Hz."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from elsewhere.record.names import BodyNames
from elsewhere.record.recorder import Recorder
from elsewhere.records import TAP
from elsewhere.rig import Recording, Rig, load_rig
from elsewhere.shared import Ring, run_folder

SNAPSHOT = np.dtype([("tick", "u8"), ("integrators", "f8", (40,))])
START_NS = 5_000_000_000
WALL_NS = 1_750_000_000_000_000_000


def make_ticks(count: int, first: int = 0, noise: float = 0.0) -> NDArray[np.void]:
    """`count` ticks from number `first` on, one a millisecond from START_NS."""
    random = np.random.default_rng(first)
    ticks = np.zeros(count, TAP)
    n = np.arange(first, first + count)
    t = n * 1e-3
    ticks["tick"], ticks["now_ns"] = n, START_NS + n * 1_000_000
    state, frame, command = ticks["state"], ticks["frame"], ticks["command"]
    state["seq"], state["sampled_ns"] = n + 1, ticks["now_ns"] - 300_000
    phase = 2 * np.pi * (0.2 + 0.03 * np.arange(14).reshape(2, 7)) * t[:, None, None] + np.arange(7)
    state["q"][..., :7], state["dq"][..., :7] = 0.8 * np.sin(phase), 0.8 * np.cos(phase)
    state["tau"][..., :7] = 20 * np.sin(phase) + noise * random.normal(size=(count, 2, 7))
    state["wrench"] = np.sin(t)[:, None, None] * np.arange(1, 7) + noise * random.normal(size=(count, 2, 6))
    state["motors"] = (0.5 + 0.4 * np.sin(t))[:, None, None]
    state["head"] = 0.2 * np.sin(t)[:, None] * np.arange(1, 4)
    state["base"] = np.stack([0.1 * t, 0.02 * t, 0.3 * np.sin(t)], axis=1)
    state["base_twist"] = [0.1, 0.02, 0.3]
    state["ranges"] = np.stack([2 - 0.01 * t, 0 * t - 1, 1 + 0.01 * t, 0 * t + 3], axis=1)
    tenth = n // 10
    frame["seq"], frame["session"] = tenth + 1, 1
    frame["sampled_ns"] = START_NS + tenth * 10_000_000 - 20_000_000
    frame["tracked"], frame["clutch"], frame["head_tracked"] = 1, 1, 1
    frame["hand_p"] = 0.3 * np.sin(0.01 * tenth)[:, None, None] + np.arange(6).reshape(2, 3)
    turn = np.stack([np.cos(0.001 * tenth), 0 * t, 0 * t, np.sin(0.001 * tenth)], axis=1)
    frame["hand_q"], frame["head_q"] = turn[:, None], turn
    command["seq"], command["tau"] = n + 1, state["tau"]
    ticks["mode"], ticks["fade"], ticks["clutched"] = 2, 1.0, 1
    ticks["palm_p"] = 0.4 + 0.1 * np.sin(t[:, None, None] * np.arange(1, 7).reshape(2, 3))
    ticks["target_p"] = ticks["palm_p"] + 0.01
    ticks["palm_q"] = ticks["target_q"] = np.stack([np.cos(t), np.sin(t), 0 * t, 0 * t], axis=1)[:, None]
    ticks["head_q"] = turn
    ticks["q_wanted"] = state["q"]
    ticks["period_us"], ticks["compute_us"] = 1000.0, 250.0 + (n % 7)
    return ticks


class Run:
    """A recorder on real rings, in virtual time."""

    def __init__(self, folder: Path, slots: Path, limit_mb: int = 2000, minutes: float = 10.0) -> None:
        rig = load_rig("commodity")
        self.rig = Rig(**{**vars(rig), "recording": Recording(str(folder), limit_mb, minutes)})
        self.tap = Ring(slots / "tap", TAP, 4096, create=True)
        self.snapshot = Ring(slots / "snapshot", SNAPSHOT, 64, create=True)
        self.names = BodyNames.plain()
        self.recorder = Recorder(
            self.rig, self.names, slots, snapshot=SNAPSHOT, now_ns=START_NS, wall_ns=WALL_NS, seed=7
        )

    def advance(self, ticks: NDArray[np.void], step: int = 50) -> None:
        """Let the ticks happen, with a step of the recorder every 50 ms and a snapshot every second."""
        for at in range(0, len(ticks), step):
            for tick in ticks[at : at + step]:
                if int(tick["tick"]) % 1000 == 0:
                    shot = np.zeros((), SNAPSHOT)
                    shot["tick"], shot["integrators"] = tick["tick"], np.arange(40)
                    self.snapshot.append(shot)
                self.tap.append(tick)
            self.recorder.step(int(ticks["now_ns"][min(at + step, len(ticks)) - 1]))


@pytest.fixture
def slots() -> Iterator[Path]:
    folder = run_folder()
    yield folder
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


@pytest.fixture
def run(tmp_path: Path, slots: Path) -> Run:
    return Run(tmp_path / "recordings", slots)


@pytest.fixture
def make_run(slots: Path) -> Callable[..., Run]:
    return lambda folder, **options: Run(folder, slots, **options)


@pytest.fixture
def ticks() -> Callable[..., NDArray[np.void]]:
    return make_ticks
