"""Fixed-size records that cross a process boundary through shared memory.

Sizes do not depend on the rig: an arm has at most `MAX_JOINTS` joints and a hand at most
`MAX_MOTORS` motors, unused places stay zero, and the first axis of every paired field is the side
(0 left, 1 right). So one dtype serves every rig, every recording and every test, and a record can
be copied, compared and stored as plain bytes.

Units: metres, radians, seconds, newtons; times in nanoseconds of the avatar's monotonic clock.
Quaternions w, x, y, z; twists and wrenches linear first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_JOINTS = 8
MAX_MOTORS = 6
FINGERS = 6  # thumb, index, middle, ring, little, thumb rotation
FINGERTIPS = 5
RANGES = 4  # front, left, back, right
TERMS = (
    "stiffness",
    "damping",
    "gravity",
    "coriolis",
    "position_barrier",
    "velocity_barrier",
    "null_space",
    "power_cut",
)
"""What a joint torque is the sum of, whatever the law. One that has no such term leaves it at zero."""

Record = NDArray[np.void]
"""A zero-dimensional structured array of one of the dtypes below."""

ROBOT_STATE = np.dtype(
    [
        ("seq", "u8"),
        ("sampled_ns", "i8"),  # when the joints were read
        ("command_seq", "u8"),  # newest command that the firmware has applied
        ("firmware", "i8"),  # status.Firmware
        ("resets", "u8"),  # how often the robot was put somewhere else (a simulated one can be)
        ("q", "f8", (2, MAX_JOINTS)),
        ("dq", "f8", (2, MAX_JOINTS)),
        ("tau", "f8", (2, MAX_JOINTS)),  # joint torque sensors
        ("wrench", "f8", (2, 6)),  # wrist sensor, on the hand by its surroundings, sensor frame
        ("motors", "f8", (2, MAX_MOTORS)),  # finger motors, 0 open .. 1 closed
        ("fingertips", "f8", (2, FINGERTIPS)),  # normal force
        ("head", "f8", (3,)),  # yaw, pitch, roll
        ("baseline", "f8"),  # distance of the two eyes
        ("base", "f8", (3,)),  # x, y, yaw in the room
        ("base_twist", "f8", (3,)),  # vx, vy, wz in the base frame
        ("ranges", "f8", (RANGES,)),
    ]
)

COMMAND = np.dtype(
    [
        ("seq", "u8"),
        ("made_ns", "i8"),
        ("tau", "f8", (2, MAX_JOINTS)),
        ("motors", "f8", (2, MAX_MOTORS)),  # 0 open .. 1 closed
        ("head", "f8", (3,)),  # yaw, pitch, roll
        ("baseline", "f8"),
        ("base_twist", "f8", (3,)),  # vx, vy, wz in the base frame
    ]
)

FRAME = np.dtype(
    [
        ("seq", "u8"),  # strictly increasing within a session; 0 means: never written
        ("session", "u8"),
        ("sampled_ns", "i8"),  # when the operator moved, in the avatar's clock
        ("received_ns", "i8"),
        ("tracked", "i8", (2,)),
        ("clutch", "i8", (2,)),
        ("hand_p", "f8", (2, 3)),  # operator's room: z up, x forward
        ("hand_q", "f8", (2, 4)),
        ("fingers", "f8", (2, FINGERS)),  # 0 open .. 1 closed
        ("head_tracked", "i8"),
        ("head_q", "f8", (4,)),
        ("base_twist", "f8", (3,)),  # wanted vx, vy, wz
        # A way in joint space for each arm, instead of its hand: of a trajectory script (motion.way).
        ("way", "i8", (2,)),  # whether the arm follows it
        ("way_from", "f8", (2, MAX_JOINTS)),
        ("way_to", "f8", (2, MAX_JOINTS)),
        ("way_begin_ns", "i8"),
        ("way_end_ns", "i8"),
    ]
)

REQUEST = np.dtype(
    [
        # Counters, so that a request is made by adding one and can be neither lost nor repeated.
        ("reset", "u8"),
        ("seed", "u8"),
        ("stop", "u8"),
        ("resume", "u8"),
        ("rehome", "u8"),
        ("baseline", "f8"),
    ]
)

TAP = np.dtype(
    [
        # One tick, whole: what it was given, what it decided, what it sent. The recorder, the pages
        # and the metrics read only this, and a replay feeds the first five fields back in.
        ("tick", "u8"),
        ("now_ns", "i8"),
        ("state", ROBOT_STATE),
        ("frame", FRAME),  # newest frame that the tick was given, valid or not
        ("request", REQUEST),
        ("command", COMMAND),  # what the guard released
        ("mode", "i8"),  # status.Mode
        ("status", "i8"),  # status.Status, the gravest of this tick
        ("reason", "i8"),  # status.Reason: why the mode is what it is
        ("fade", "f8"),
        ("arm_status", "i8", (2,)),
        ("clutched", "i8", (2,)),
        ("target_p", "f8", (2, 3)),  # palm target in the base frame
        ("target_q", "f8", (2, 4)),
        ("palm_p", "f8", (2, 3)),  # measured palm in the base frame
        ("palm_q", "f8", (2, 4)),
        ("q_wanted", "f8", (2, MAX_JOINTS)),  # the reference that the torque law follows
        ("terms", "f4", (2, len(TERMS), MAX_JOINTS)),  # of the wanted torque, at the outer rate
        ("wrench_estimate", "f4", (2, 6)),  # on the palm by its surroundings, base frame
        ("head_q", "f8", (4,)),  # measured head in the base frame
        ("period_us", "f8"),
        ("compute_us", "f8"),
    ]
)


class Views:
    """The fields of a record by attribute, as arrays that share its memory.

    Made once and used in loops, where looking a field up by name would cost more than the work on
    it. Scalars have shape (1,); a field that is a record is a `Views`, an array of records a list.
    `whole` is all of it as an array of records, as kernels take it: one argument, whatever its size.
    """

    def __init__(self, record: Record) -> None:
        self.whole = np.atleast_1d(record)
        for name in record.dtype.names or ():
            field = record[name]
            value: Any
            if field.dtype.names is None:
                value = field.reshape(1) if field.ndim == 0 else field
            elif field.ndim == 0:
                value = Views(field)
            else:
                value = [Views(field[i : i + 1].reshape(())) for i in range(len(field))]
            self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"The record has no field '{name}'. It has: {', '.join(self.__dict__)}.")


def scene_record(nq: int) -> np.dtype[np.void]:
    """The simulator's whole configuration, for cameras and the referee: `nq` generalised positions."""
    return np.dtype([("sampled_ns", "i8"), ("seed", "u8"), ("resets", "u8"), ("qpos", "f8", (nq,))])


def byte_view(record: Record) -> memoryview:
    """The memory of a record as bytes: `byte_view(a)[:] = b.tobytes()` is the cheapest whole copy."""
    return record.reshape(1).view(np.uint8).data


def zeros(dtype: np.dtype[np.void]) -> Record:
    """A record with every field zero and every quaternion the identity."""
    record = np.zeros((), dtype)
    for name in dtype.names or ():
        if name in ("hand_q", "head_q", "target_q", "palm_q"):
            record[name][..., 0] = 1.0
    return record
