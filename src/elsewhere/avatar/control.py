"""The control process: one tick a millisecond, and nothing else.

    python -m elsewhere.avatar.control RIG FOLDER

Reads the newest robot state, operator frame and requests from slots in FOLDER, writes the command
and appends to the tap. Waits for nobody; ends when its parent is gone.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from elsewhere.avatar.drivers.registry import find_driver
from elsewhere.avatar.tick import SNAPSHOT, Memory, Tick
from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.pace import Pacer, ParentWatch, become_realtime
from elsewhere.records import FRAME, REQUEST, ROBOT_STATE, TAP, zeros
from elsewhere.rig import load_rig
from elsewhere.shared import Ring, Slot
from elsewhere.status import Mode

TAP_LENGTH = 4096
SNAPSHOT_LENGTH = 64
PRIORITY = 50


def warm_up(tick: Tick, body: Body) -> None:
    """Load every compiled kernel before the loop starts, by ticking a copy of the avatar at home."""
    state, frame, request = zeros(ROBOT_STATE), zeros(FRAME), zeros(REQUEST)
    for side, arm in enumerate(body.arms):
        if arm:
            state["q"][side, : arm.chain.n] = arm.home
    memory = tick.init(state)
    frame["tracked"], frame["clutch"], frame["head_tracked"] = 1, 1, 1
    for number in range(1, 13):
        now_ns = 1_000_000 * number
        state["sampled_ns"] = now_ns
        frame["seq"], frame["session"], frame["sampled_ns"] = number, 1, now_ns
        frame["way"] = number > 8
        tick.step(memory, state, frame, request, now_ns)


def inherit(memory: Memory, taps: Ring) -> None:
    """Go on where another controller ended, if there was one: with its numbers, and stopped if it was.

    Its numbers, so that the tap has no doubles. Requests are counters: a resume that the other has
    already obeyed must not end a stop that came after it.
    """
    memory.tick[0] = taps.head
    last = taps.last()
    if last is None:
        return
    watchdog = memory.watchdog
    watchdog.stop[0], watchdog.resume[0] = last["request"]["stop"], last["request"]["resume"]
    if last["mode"] == Mode.STOPPED:
        watchdog.mode[0], watchdog.reason[0] = Mode.STOPPED, last["reason"]


def run(rig: str, folder: Path) -> None:
    """The loop. `folder` holds the slots of this run."""
    body = compose(load_rig(rig))
    tick = Tick(body)
    warm_up(tick, body)
    robot = find_driver(body.rig.driver)(body, folder)
    frames, requests = Slot(folder / "frame", FRAME), Slot(folder / "request", REQUEST)
    taps = Ring(folder / "tap", TAP, TAP_LENGTH)
    snapshots = Ring(folder / "snapshot", SNAPSHOT, SNAPSHOT_LENGTH)
    parent = ParentWatch()
    while robot.read()["seq"] == 0:
        time.sleep(0.01)
        if not parent.alive():
            return
    memory = tick.init(robot.read())
    rate = body.rig.control.rate_hz
    inherit(memory, taps)
    refused = become_realtime(PRIORITY)
    (folder / "control.txt").write_text(refused)
    pacer = Pacer(1_000_000_000 // rate)
    snapshots.append(memory.record)
    before = pacer.wait()
    while True:
        now = pacer.wait()
        tap = tick.step(memory, robot.read(), frames.read(), requests.read(), now)
        robot.write(tap["command"])
        tap["period_us"] = 1e-3 * (now - before)
        tap["compute_us"] = 1e-3 * (time.monotonic_ns() - now)
        before = now
        taps.append(tap)
        if memory.tick[0] % rate == 0:
            snapshots.append(memory.record)
        if memory.tick[0] % 128 == 0 and not parent.alive():
            return


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor ends us, so that the robot brakes last
    os.environ.setdefault("MUJOCO_GL", "egl")
    run(sys.argv[1], Path(sys.argv[2]))
