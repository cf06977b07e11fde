"""Wave the left hand of a running avatar (`elsewhere run`), over the same link as the page."""

import asyncio
import math

from elsewhere import connect
from elsewhere.messages import HandInput, HeadInput, OperatorFrame, Stamp

STILL = (1.0, 0.0, 0.0, 0.0)
OPEN = (0.0,) * 6


async def main() -> None:
    """Connect, and send a hundred frames a second for ten seconds."""
    async with connect("http://127.0.0.1:8765") as avatar:
        print("driving", avatar.welcome.title)
        idle = HandInput(False, False, (0.0, 0.0, 0.0), STILL, OPEN)
        for step in range(1, 1000):
            now = avatar.now_ns()
            height = 0.05 * math.sin(0.03 * step)
            waving = HandInput(True, True, (0.0, 0.0, height), STILL, OPEN)
            avatar.send(
                OperatorFrame(step, Stamp(now, now), waving, idle, HeadInput(True, STILL), (0.0, 0.0, 0.0))
            )
            if step % 100 == 0 and (state := avatar.latest()):
                print(state.mode, [round(value, 3) for value in state.left.position])
            await asyncio.sleep(0.01)


asyncio.run(main())
