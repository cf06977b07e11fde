"""Drivers of the simulated avatar: in lockstep with it, or beside its own process."""

from __future__ import annotations

from pathlib import Path

from elsewhere.avatar.drivers.base import Robot
from elsewhere.bodies.body import Body
from elsewhere.records import COMMAND, ROBOT_STATE, Record
from elsewhere.shared import Slot
from elsewhere.world.simulation import Simulation


class SimulatedRobot:
    """Lockstep: every `write` advances the simulation by 1 ms of virtual time."""

    def __init__(self, body: Body, simulation: Simulation | None = None, *, seed: int = 0) -> None:
        self.body = body
        self.simulation = simulation or Simulation(body, body.rig.world.scene, seed)

    def read(self) -> Record:
        """The robot's state now (ROBOT_STATE)."""
        return self.simulation.state()

    def write(self, command: Record) -> Record:
        """Send a COMMAND. Returns what was sent."""
        self.simulation.step(command)
        return command


class SharedRobot(Robot):
    """The world's own process (`elsewhere.world.process`), through the slots of a run's folder."""

    simulated = True

    def __init__(self, body: Body, folder: Path) -> None:
        super().__init__(body, folder)
        self._state = Slot(folder / "state", ROBOT_STATE)
        self._command = Slot(folder / "command", COMMAND)

    def read(self) -> Record:
        """The newest state (ROBOT_STATE), in a buffer that the next read overwrites."""
        return self._state.read()

    def write(self, command: Record) -> Record:
        """Send a COMMAND. Returns what was sent."""
        self._command.write(command)
        return command
