"""Move the right hand up by 10 cm in virtual time, without any process or network."""

import numpy as np

from elsewhere import SimulatedRobot, Tick, compose, load_rig
from elsewhere.records import FRAME, REQUEST, zeros

body = compose(load_rig("commodity"))
robot, tick = SimulatedRobot(body), Tick(body)
memory = tick.init(robot.read())
frame, request = zeros(FRAME), zeros(REQUEST)
frame["session"], frame["tracked"] = 1, 1

for millisecond in range(6000):
    now_ns = robot.simulation.time_ns
    seconds = millisecond / 1000
    frame["seq"], frame["sampled_ns"] = millisecond + 1, now_ns
    frame["clutch"][1] = seconds > 3.2  # the avatar fades in for three seconds first
    frame["hand_p"][1, 2] = 0.1 * np.clip(seconds - 3.5, 0.0, 1.0)
    tap = tick.step(memory, robot.read(), frame, request, now_ns)
    robot.write(tap["command"])
    if millisecond % 500 == 0:
        print(f"{seconds:4.1f} s  palm {tap['palm_p'][1].round(3)}  target {tap['target_p'][1].round(3)}")
