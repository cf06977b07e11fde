"""A scripted operator on the real tick and the real simulation, in lockstep and in virtual time.

What the operator is given is what the link would give it: the scene's description at the start, a
state a hundred times a second, the referee's word. Its frames pass through the same record.
"""

from __future__ import annotations

from elsewhere.avatar.tick import Tick
from elsewhere.bodies.body import Body
from elsewhere.messages import decode_latest_down, decode_latest_up, encode, frame_record
from elsewhere.operator.scripted import ScriptedOperator
from elsewhere.operator.scripts import find_tasks
from elsewhere.records import FRAME, REQUEST, zeros
from elsewhere.server.feedback import avatar_state
from elsewhere.world.simulation import Simulation

MS = 1_000_000
FRAME_MS = 8  # from one frame of the operator to the next, as over the real link
STATE_MS = 10
LOOK_MS = 400  # from one look of the server at the scene to the next


class Lockstep:
    """An avatar at home in the room of a seed, and a scripted operator at the other end."""

    def __init__(self, body: Body, seed: int, task: str = "block"):
        self.tick, self.simulation = Tick(body), Simulation(body, "room", seed)
        self.memory = self.tick.init(self.simulation.state())
        self.hands = body.hands
        self.operator = ScriptedOperator(self.simulation.scene_description(), find_tasks(task))
        self.frame, self.request = zeros(FRAME), zeros(REQUEST)
        self.state = None
        self.phases: list[tuple[float, str]] = []
        self._ms = 0

    def step(self) -> None:
        """One millisecond."""
        now = self.simulation.time_ns
        tap = self.tick.step(self.memory, self.simulation.read_state(), self.frame, self.request, now)
        if self._ms % STATE_MS == 0:
            self.state = avatar_state(tap, self.hands, seq=self._ms, sent_ns=now)
            self.state = decode_latest_down(encode(self.state))
        if self._ms % LOOK_MS == 0:
            self.operator.eyes.goals = self.simulation.goals()
        if self._ms % FRAME_MS == 0:
            frame = decode_latest_up(encode(self.operator.step(self.state, now)))
            self.frame = frame_record(frame, session=1, offset_ns=0, received_ns=now)
            if not self.phases or self.phases[-1][1] != self.operator.phase:
                self.phases.append((round(self._ms / 1000, 2), self.operator.phase))
        self.simulation.step(tap["command"])
        self._ms += 1

    def run(self, seconds: float) -> float:
        """Until the operator has finished or the time is over; seconds that it took."""
        while not self.operator.finished and self._ms < 1000 * seconds:
            self.step()
        return self._ms / 1000
