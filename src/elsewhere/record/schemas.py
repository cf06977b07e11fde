"""The message types of a recording as ros2msg text, so that ROS tools read a file without us.

The standard definitions are those of ROS 2 Jazzy (`Range` got its variance there; older readers
ignore the trailing bytes). `elsewhere_msgs` are our own two: raw ticks and controller snapshots.
"""

from __future__ import annotations

from elsewhere.errors import UnknownNameError

_HEADER = "std_msgs/Header header\n"

DEFINITIONS: dict[str, str] = {
    "builtin_interfaces/Time": "int32 sec\nuint32 nanosec\n",
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "std_msgs/String": "string data\n",
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Quaternion": "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n",
    "geometry_msgs/Pose": "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n",
    "geometry_msgs/PoseStamped": _HEADER + "geometry_msgs/Pose pose\n",
    "geometry_msgs/PoseWithCovariance": "geometry_msgs/Pose pose\nfloat64[36] covariance\n",
    "geometry_msgs/Transform": "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n",
    "geometry_msgs/TransformStamped": _HEADER
    + "string child_frame_id\ngeometry_msgs/Transform transform\n",
    "geometry_msgs/Twist": "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n",
    "geometry_msgs/TwistWithCovariance": "geometry_msgs/Twist twist\nfloat64[36] covariance\n",
    "geometry_msgs/Wrench": "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque\n",
    "geometry_msgs/WrenchStamped": _HEADER + "geometry_msgs/Wrench wrench\n",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms\n",
    "sensor_msgs/JointState": _HEADER
    + "string[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n",
    "sensor_msgs/Range": "uint8 ULTRASOUND=0\nuint8 INFRARED=1\n"
    + _HEADER
    + "uint8 radiation_type\nfloat32 field_of_view\nfloat32 min_range\nfloat32 max_range\n"
    + "float32 range\nfloat32 variance\n",
    "nav_msgs/Odometry": _HEADER
    + "string child_frame_id\n"
    + "geometry_msgs/PoseWithCovariance pose\ngeometry_msgs/TwistWithCovariance twist\n",
    "rcl_interfaces/Log": "uint8 DEBUG=10\nuint8 INFO=20\nuint8 WARN=30\nuint8 ERROR=40\nuint8 FATAL=50\n"
    + "builtin_interfaces/Time stamp\nuint8 level\nstring name\nstring msg\n"
    + "string file\nstring function\nuint32 line\n",
    "foxglove_msgs/CompressedVideo": "builtin_interfaces/Time timestamp\nstring frame_id\n"
    + "uint8[] data\nstring format\n",
    "elsewhere_msgs/TickBatch": "# Ticks in a row. The file's metadata 'elsewhere' gives their layout\n"
    + "# (tick_dtype) and how 'delta' is undone (delta_encoding); 'raw' is the records.\n"
    + "uint64 first_tick\nuint32 count\nuint32 record_size\nstring encoding\nuint8[] data\n",
    "elsewhere_msgs/Snapshot": "# The controller's whole state at a tick. Layout: snapshot_dtype.\n"
    + "uint64 tick\nuint8[] data\n",
}


def schema_text(name: str) -> str:
    """The definition of `package/Type` and, after it, of every type that it uses."""
    if name not in DEFINITIONS:
        raise UnknownNameError("message type", name, DEFINITIONS)
    parts, waiting, seen = [DEFINITIONS[name]], _used(name), {name}
    while waiting:
        inner = waiting.pop(0)
        if inner not in seen:
            seen.add(inner)
            parts.append(f"MSG: {inner}\n{DEFINITIONS[inner]}")
            waiting += _used(inner)
    return ("=" * 80 + "\n").join(parts)


def schema_name(name: str) -> str:
    """`package/Type` as ROS 2 names it in a file: `package/msg/Type`."""
    package, kind = name.split("/")
    return f"{package}/msg/{kind}"


def _used(name: str) -> list[str]:
    types = (line.split(" ", 1)[0].split("[", 1)[0] for line in DEFINITIONS[name].splitlines())
    return [kind for kind in types if "/" in kind]
