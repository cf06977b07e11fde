"""The topics that people look at, filled from ticks: joints, poses, wrenches, ranges.

Every message of a topic is a copy of one template with a few numbers changed. All templates lie side
by side in one row of bytes, and a map says which byte of a tick goes to which byte of the row. So
all topics of several ticks are made by a single NumPy assignment.

Frames: `room` (z up, where the avatar started), `base`, `{side}_palm`, `{side}_wrist_sensor`, `head`,
and `operator` (the operator's own room).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from elsewhere.record import cdr
from elsewhere.record.container import TICK_LANE, TOPIC_LANE, VIDEO_LANE, Topic
from elsewhere.record.names import BodyNames
from elsewhere.records import TAP
from elsewhere.status import SIDES

RANGE_NAMES = ("front", "left", "back", "right")
RANGE_LIMITS = (0.0, 10.0)  # metres; what a message claims, not a clamp

FIXED = (
    Topic("/ticks", "elsewhere_msgs/TickBatch", TICK_LANE),
    Topic("/snapshots", "elsewhere_msgs/Snapshot", TICK_LANE),
    Topic("/events", "rcl_interfaces/Log", TOPIC_LANE),
    Topic("/status", "std_msgs/String", TOPIC_LANE),
    Topic("/video/stereo", "foxglove_msgs/CompressedVideo", VIDEO_LANE),
)
TICKS, SNAPSHOTS, EVENTS, STATUS, VIDEO = range(1, len(FIXED) + 1)

_DERIVED = np.dtype(
    [
        # What a message needs and a tick does not hold in that form.
        ("state_time", [("sec", "<i4"), ("nanosec", "<u4")]),
        ("now_time", [("sec", "<i4"), ("nanosec", "<u4")]),
        ("frame_time", [("sec", "<i4"), ("nanosec", "<u4")]),
        ("base_q", "<f8", (4,)),
        ("head_p", "<f8", (3,)),
        ("ranges", "<f4", (4,)),
    ]
)
_XYZW = [1, 2, 3, 0]  # ROS puts the real part last


def _places(dtype: np.dtype[np.void], path: str, base: int = 0) -> NDArray[np.intp]:
    """Byte offsets of the elements of a field such as `state.q`, in the field's own shape."""
    for name in path.split("."):
        assert dtype.fields is not None
        inner, offset = dtype.fields[name][:2]
        base, dtype = base + offset, inner
    shape = dtype.shape
    count = int(np.prod(shape, dtype=int))
    return (base + dtype.base.itemsize * np.arange(count, dtype=np.intp)).reshape(shape)


def _tap(path: str) -> NDArray[np.intp]:
    return _places(TAP, path)


def _derived(path: str) -> NDArray[np.intp]:
    return _places(_DERIVED, path, TAP.itemsize)


class Sheet:
    """The map from ticks to messages. `topics` are numbered from `first`, in order."""

    def __init__(self, names: BodyNames, first: int) -> None:
        self._first = first
        self.topics: list[Topic] = []
        self._row = bytearray()
        self._spans: list[tuple[int, int, int]] = []  # topic number, first byte, end
        self._to: list[NDArray[np.intp]] = []
        self._from: list[NDArray[np.intp]] = []
        self._operator: dict[int, int] = {}  # index of a topic -> side, or 2 for the head
        self._head = np.asarray(names.head_position)
        self._joints(names)
        self._transforms(names)
        for side in names.sides:
            self._side(side)
        self._rest()
        self._template = np.frombuffer(bytes(self._row), np.uint8)
        self._target, self._source = np.concatenate(self._to), np.concatenate(self._from)

    def _add(
        self, name: str, kind: str, template: cdr.Template, links: dict[str, NDArray[np.intp]], stamp: str
    ) -> None:
        """A topic whose slots are linked to bytes of the source. `stamp`: state, now or frame."""
        start = len(self._row)
        for slot in template.slots:
            if slot.endswith("stamp.sec"):
                links[slot] = _derived(f"{stamp}_time.sec")
            elif slot.endswith("stamp.nanosec"):
                links[slot] = _derived(f"{stamp}_time.nanosec")
        for slot, source in links.items():
            offsets, size = template.slots[slot]
            if source.size != offsets.size:
                raise ValueError(f"{name}: {slot} has {offsets.size} places for {source.size} numbers")
            each = np.arange(size)
            self._to.append((start + offsets[:, None] + each).ravel())
            self._from.append((source.reshape(-1, 1) + each).ravel())
        self._row += template.data
        self._spans.append((self._first + len(self.topics), start, len(self._row)))
        self.topics.append(Topic(name, kind, TOPIC_LANE))

    def _joints(self, names: BodyNames) -> None:
        listed: list[str] = []
        links: dict[str, list[NDArray[np.intp]]] = {"position": [], "velocity": [], "effort": []}
        unknown = np.array([], np.intp)
        fields = {"position": "state.q", "velocity": "state.dq", "effort": "state.tau"}
        for side in range(2):
            count, motors = len(names.joints[side]), len(names.motors[side])
            listed += [*names.joints[side], *names.motors[side]]
            for slot, path in fields.items():
                links[slot].append(_tap(path)[side, :count])
            links["position"].append(_tap("state.motors")[side, :motors])
            for slot in ("velocity", "effort"):
                links[slot].append(np.full(motors, -1))
        listed += names.head
        links["position"].append(_tap("state.head")[: len(names.head)])
        for slot in ("velocity", "effort"):
            links[slot].append(np.full(len(names.head), -1))
        template = cdr.joint_state(listed)
        known: dict[str, NDArray[np.intp]] = {}
        for slot, parts in links.items():
            # Only measured places are linked; the others keep the template's not-a-number.
            source = np.concatenate([unknown, *parts])
            offsets, size = template.slots[slot]
            template.slots[slot] = (offsets[source >= 0], size)
            known[slot] = source[source >= 0]
        self._add("/joint_states", "sensor_msgs/JointState", template, known, "state")

    def _transforms(self, names: BodyNames) -> None:
        pairs = [("room", "base"), ("base", "head")]
        links = {
            "base.p": _tap("state.base")[:2],
            "base.q": _derived("base_q"),
            "head.p": _derived("head_p"),
            "head.q": _tap("head_q")[_XYZW],
        }
        for side in names.sides:
            child = f"{SIDES[side]}_palm"
            pairs.append(("base", child))
            links[f"{child}.p"] = _tap("palm_p")[side]
            links[f"{child}.q"] = _tap("palm_q")[side][_XYZW]
        template = cdr.transforms(pairs)
        template.slots["base.p"] = _plane(template.slots["base.p"])
        self._add("/tf", "tf2_msgs/TFMessage", template, links, "state")

    def _side(self, side: int) -> None:
        name = SIDES[side]
        wrench = {"wrench": _tap("state.wrench")[side]}
        self._add(
            f"/{name}/wrench",
            "geometry_msgs/WrenchStamped",
            cdr.wrench_stamped(f"{name}_wrist_sensor"),
            wrench,
            "state",
        )
        for topic, field, stamp in (("palm", "palm", "state"), ("target", "target", "now")):
            self._pose(f"/{name}/{topic}", "base", f"{field}_p", f"{field}_q", side, stamp)
        self._operator[len(self.topics)] = side
        self._pose(f"/operator/{name}", "operator", "frame.hand_p", "frame.hand_q", side, "frame")

    def _pose(self, name: str, frame: str, position: str, quaternion: str, side: int, stamp: str) -> None:
        links = {"pose.p": _tap(position)[side], "pose.q": _tap(quaternion)[side][_XYZW]}
        self._add(name, "geometry_msgs/PoseStamped", cdr.pose_stamped(frame), links, stamp)

    def _rest(self) -> None:
        self._operator[len(self.topics)] = 2
        template = cdr.pose_stamped("operator")
        links = {"pose.q": _tap("frame.head_q")[_XYZW]}
        self._add("/operator/head", "geometry_msgs/PoseStamped", template, links, "frame")
        template = cdr.odometry("room", "base")
        template.slots["pose.p"] = _plane(template.slots["pose.p"])
        offsets, size = template.slots["twist"]
        template.slots["twist"] = (offsets[[0, 1, 5]], size)
        links = {
            "pose.p": _tap("state.base")[:2],
            "pose.q": _derived("base_q"),
            "twist": _tap("state.base_twist"),
        }
        self._add("/base", "nav_msgs/Odometry", template, links, "state")
        for number, name in enumerate(RANGE_NAMES):
            template = cdr.range_reading(
                f"range_{name}", field_of_view=0.01, least=RANGE_LIMITS[0], most=RANGE_LIMITS[1]
            )
            source = {"range": _derived("ranges")[number]}
            self._add(f"/ranges/{name}", "sensor_msgs/Range", template, source, "state")

    def fill(self, ticks: NDArray[np.void], wall_offset_ns: int) -> list[list[tuple[int, bytes]]]:
        """For every tick of the array its messages, as (topic number, message).

        `wall_offset_ns`: nanoseconds since 1970 minus the avatar's clock. A hand or head of the
        operator that is not tracked gives no message.
        """
        count = len(ticks)
        derived = self._derive(ticks, wall_offset_ns).view(np.uint8).reshape(count, -1)
        source = np.concatenate((ticks.view(np.uint8).reshape(count, -1), derived), axis=1)
        rows = np.empty((count, len(self._template)), np.uint8)
        rows[:] = self._template
        rows[:, self._target] = source[:, self._source]
        frame = ticks["frame"]
        present = np.concatenate((frame["tracked"], frame["head_tracked"][:, None]), axis=1) != 0
        present &= (frame["seq"] > 0)[:, None]
        filled = []
        for row in range(count):
            data = rows[row].tobytes()
            absent = {index for index, side in self._operator.items() if not present[row, side]}
            spans = enumerate(self._spans)
            filled.append([(number, data[a:b]) for index, (number, a, b) in spans if index not in absent])
        return filled

    def _derive(self, ticks: NDArray[np.void], wall_offset_ns: int) -> NDArray[np.void]:
        derived = np.zeros(len(ticks), _DERIVED)
        times = {
            "state_time": ticks["state"]["sampled_ns"],
            "now_time": ticks["now_ns"],
            "frame_time": ticks["frame"]["sampled_ns"],
        }
        for name, monotonic_ns in times.items():
            seconds, nanoseconds = np.divmod(monotonic_ns + wall_offset_ns, cdr.NANO)
            derived[name]["sec"], derived[name]["nanosec"] = seconds, nanoseconds
        half = ticks["state"]["base"][:, 2] / 2.0
        derived["base_q"][:, 2], derived["base_q"][:, 3] = np.sin(half), np.cos(half)
        derived["head_p"] = self._head
        # REP 117: nothing seen is plus infinity. The sensors say -1 then.
        ranges = ticks["state"]["ranges"]
        derived["ranges"] = np.where(ranges < 0.0, np.inf, ranges)
        return derived


def _plane(slot: tuple[NDArray[np.intp], int]) -> tuple[NDArray[np.intp], int]:
    """x and y of a position: the base does not leave the floor."""
    offsets, size = slot
    return offsets[:2], size
