"""A scripted operator on the real tick and the real simulation, in lockstep and in virtual time.

Between them is the loopback link with all that passes over the real one: the scene's description,
states, the referee's word and what has moved come down, frames go up through the gate.
"""

from __future__ import annotations

from collections.abc import Callable

from elsewhere.avatar.tick import Tick
from elsewhere.bodies.body import Body
from elsewhere.link.gate import FrameGate
from elsewhere.link.impairment import Impairment
from elsewhere.link.loopback import Loopback
from elsewhere.messages import (
    AvatarState,
    OperatorFrame,
    SceneDescription,
    TaskState,
    ThingsMoved,
    decode_latest_down,
    decode_latest_up,
    decode_reliable_down,
    encode,
)
from elsewhere.operator.scripted import ScriptedOperator
from elsewhere.operator.scripts.task import Task
from elsewhere.records import FRAME, REQUEST, scene_record, zeros
from elsewhere.server.feedback import avatar_state
from elsewhere.server.place import Place
from elsewhere.world.simulation import Simulation

MS = 1_000_000
FRAME_MS = 8  # from one frame of the operator to the next, as over the real link
STATE_MS = 10
LOOK_MS = 400  # from one look of the server at the scene to the next


class Lockstep:
    """An avatar at home in the room of a seed, and a scripted operator at the other end."""

    def __init__(
        self,
        body: Body,
        seed: int,
        tasks: tuple[Task, ...],
        *,
        network: Impairment | None = None,
        mistaken: Callable[[SceneDescription], SceneDescription] = lambda scene: scene,
    ) -> None:
        """`mistaken` changes what the operator believes to see."""
        self.tick, self.simulation = Tick(body), Simulation(body, "room", seed)
        self.memory = self.tick.init(self.simulation.state())
        self.operator = ScriptedOperator(mistaken(self.simulation.scene_description()), tasks)
        self.phases: list[str] = []
        self.state: AvatarState | None = None
        self.cut = False  # no frame gets through while this is so
        self._hands = body.hands
        self._frame, self._request = zeros(FRAME), zeros(REQUEST)
        self._place = Place(self.simulation.model, self.simulation.scene)
        self._picture = zeros(scene_record(self.simulation.model.nq))
        self._link, self._gate = Loopback(network, seed=seed), FrameGate(1)
        self._link.avatar.latest.on_message(self._frame_came)
        self._link.operator.latest.on_message(self._state_came)
        self._link.operator.reliable.on_message(self._word_came)
        self._ms = 0

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> float:
        """Until the operator has finished, `until` or the time is over; seconds since the start."""
        last = self._ms + 1000 * seconds
        while not self.operator.finished and self._ms < last and not until():
            self.step()
        return self._ms / 1000

    def step(self) -> None:
        """One millisecond."""
        simulation, now = self.simulation, self.simulation.time_ns
        self._link.advance(now)
        tap = self.tick.step(self.memory, simulation.read_state(), self._frame, self._request, now)
        if self._ms % STATE_MS == 0:
            state = avatar_state(tap, self._hands, seq=self._ms, sent_ns=now)
            self._link.avatar.latest.send(encode(state))
        if self._ms % LOOK_MS == 0:
            self._look_around(now)
        if self._ms % FRAME_MS == 0:
            frame = self.operator.step(self.state, now)
            if not self.cut:
                self._link.operator.latest.send(encode(frame))
            if self.phases[-1:] != [self.operator.phase]:
                self.phases.append(self.operator.phase)
        simulation.step(tap["command"])
        self._ms += 1

    def _look_around(self, now_ns: int) -> None:
        picture = self._picture
        picture["sampled_ns"], picture["qpos"] = now_ns + 1, self.simulation.data.qpos
        self._place.follow(picture)
        reliable = self._link.avatar.reliable
        reliable.send(encode(TaskState(self._place.goals)))
        if moved := self._place.moved():
            reliable.send(encode(ThingsMoved(moved)))

    def _frame_came(self, data: bytes) -> None:
        frame = decode_latest_up(data)
        assert isinstance(frame, OperatorFrame)
        _, record = self._gate.admit(frame, offset_ns=0, now_ns=self._link.now_ns)
        self._frame = self._frame if record is None else record

    def _state_came(self, data: bytes) -> None:
        state = decode_latest_down(data)
        assert isinstance(state, AvatarState)
        if self.state is None or state.seq > self.state.seq:
            self.state = state

    def _word_came(self, data: bytes) -> None:
        match decode_reliable_down(data):
            case TaskState(goals=goals):
                self.operator.eyes.goals = dict(goals)
            case ThingsMoved(things=things):
                self.operator.eyes.look(things)
