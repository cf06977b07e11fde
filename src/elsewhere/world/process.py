"""The world in real time, as its own process: it keeps going whoever else dies.

A thousand times a second it takes the newest command, advances the simulation by 1 ms and writes
the state; four times less often the positions of everything, for cameras and the referee. It ends
with its parent.

    python -m elsewhere.world.process RIG FOLDER SEED
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from elsewhere.bodies.compose import compose
from elsewhere.pace import Pacer, ParentWatch, become_realtime
from elsewhere.records import COMMAND, REQUEST, ROBOT_STATE, Views, scene_record, zeros
from elsewhere.rig import load_rig
from elsewhere.shared import Slot
from elsewhere.world.simulation import STEP_NS, Simulation

# Less is made good by shorter waits; more is dropped, or the loop would fall ever further behind.
TOO_LATE_NS = 50_000_000
PRIORITY = 20


def main(rig: str | Path, folder: str | Path, seed: int = 0) -> None:
    """Run a rig's world on the slots in `folder` until the parent process is gone."""
    parent = ParentWatch()
    chosen = load_rig(rig)
    world = World(Simulation(compose(chosen), chosen.world.scene, seed), Path(folder))
    become_realtime(PRIORITY)
    pacer = Pacer(STEP_NS, TOO_LATE_NS)
    while parent.alive():
        world.tick(pacer.wait())


class World:
    """A simulation on its slots. `tick` is one millisecond; the caller keeps the time."""

    def __init__(self, simulation: Simulation, folder: Path) -> None:
        self.simulation = simulation
        self._command = Slot(folder / "command", COMMAND, create=True)
        self._state = Slot(folder / "state", ROBOT_STATE, create=True)
        self._request = Slot(folder / "request", REQUEST, create=True)
        layout = scene_record(simulation.model.nq)
        self._scene = Slot(folder / "scene", layout, create=True)
        self._picture = zeros(layout)
        self._views = Views(self._picture)
        self._qpos = simulation.data.qpos
        self._asked = int(self._request.read()["reset"])

    def tick(self, now_ns: int) -> None:
        """Serve a reset if one was asked for, advance 1 ms, tell everyone."""
        simulation = self.simulation
        if self._request.fresh:
            request = self._request.read()
            if int(request["reset"]) != self._asked:
                self._asked = int(request["reset"])
                # The command that lies in the slot was meant for the arms where they were.
                last = int(self._command.read()["seq"])
                simulation.reset(int(request["seed"]), command_seq=max(last, simulation.firmware.seq))
        simulation.step(self._command.read())
        simulation.time_ns = now_ns
        self._state.write(simulation.read_state())
        views = self._views
        views.sampled_ns[0], views.seed[0] = now_ns, simulation.seed
        views.resets[0], views.qpos[:] = simulation.resets, self._qpos
        self._scene.write(self._picture)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor ends us, after the controller
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
