"""Trajectory scripts: a therapy programme as waypoints in joint space, read from TOML.

    name = "therapy"
    arm = "yumi"                     # the arm it was written for
    mirror = [-1, 1, -1, ...]        # signs that turn the right arm's angles into the left arm's

    [[waypoints]]
    name = "ready"
    seconds = 4.0                    # how long the way there takes
    hold = 1.0                       # how long to stay
    opening = 1.0                    # of the grippers, 0 closed .. 1 open
    right = [116.0, -109.0, ...]     # degrees; `left` where it does not mirror the right one

Everything is checked when a script is read, and again against the robot that is to follow it: what is
wrong is one sentence.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.arm import Arm
from elsewhere.bodies.body import Body
from elsewhere.errors import ScriptError, UnknownNameError
from elsewhere.motion.ik.base import Reserve
from elsewhere.records import MAX_JOINTS
from elsewhere.spatial.minimum_jerk import PEAK
from elsewhere.status import SIDES

Array = NDArray[np.float64]
Joints = tuple[Array | None, Array | None]
"""Angles [rad] of the left and the right arm; None where an arm stays where it is."""

FOLDER = Path(__file__).resolve().parent / "scripts"
MOST_WAYPOINTS = 500
MOST_SECONDS = 600.0
PEAK_ACCELERATION = 10.0 / math.sqrt(3.0)
"""Peak acceleration of a minimum-jerk motion, for a way of 1 in a time of 1."""
_SHARE = 0.9  # of what the tick allows, so that the arm keeps up with its way
_KEYS = ("name", "title", "arm", "mirror", "waypoints")
_WAYPOINT_KEYS = ("name", "seconds", "hold", "opening", "left", "right")


@dataclass(frozen=True, eq=False)
class Waypoint:
    """Where the arms go, how long the way takes and how long they stay [s]."""

    name: str
    seconds: float
    hold: float
    opening: float
    joints: Joints


@dataclass(frozen=True, eq=False)
class Script:
    """A trajectory script: waypoints in order, for an arm by its part's name (empty: any)."""

    name: str
    title: str
    arm: str
    waypoints: tuple[Waypoint, ...]

    @property
    def seconds(self) -> float:
        """How long it takes when nothing interrupts it."""
        return sum(waypoint.seconds + waypoint.hold for waypoint in self.waypoints)


def script_names() -> list[str]:
    """Names of the scripts that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_script(name: str | Path) -> Script:
    """The script of that name, or in that file. Raises ScriptError or UnknownNameError."""
    path = Path(name)
    if path.suffix != ".toml":
        if str(name) not in script_names():
            raise UnknownNameError("script", str(name), script_names())
        path = FOLDER / f"{name}.toml"
    try:
        data = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ScriptError(f"The script {path.name} cannot be read as TOML: {error}.") from error
    return parse_script(data, where=path.name)


def parse_script(data: dict[str, Any], *, where: str = "script") -> Script:
    """A script from already parsed TOML. Raises ScriptError."""
    _known(data, _KEYS, where)
    mirror = _numbers(data["mirror"], f"{where}: mirror") if "mirror" in data else None
    rows = data.get("waypoints")
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_WAYPOINTS:
        raise ScriptError(f"{where}: a script needs 1 to {MOST_WAYPOINTS} [[waypoints]].")
    waypoints = tuple(_waypoint(row, mirror, f"{where}: waypoint {i + 1}") for i, row in enumerate(rows))
    name = _text(data, "name", where) or Path(where).stem
    return Script(name, _text(data, "title", where) or name, _text(data, "arm", where), waypoints)


def _waypoint(row: Any, mirror: Array | None, where: str) -> Waypoint:
    if not isinstance(row, dict):
        raise ScriptError(f"{where} must be a table, not {row!r}.")
    _known(row, _WAYPOINT_KEYS, where)
    sides: list[Array | None] = []
    for side in SIDES:
        sides.append(np.radians(_numbers(row[side], f"{where}: {side}")) if side in row else None)
    left, right = sides
    if right is None and left is None:
        raise ScriptError(f"{where} names no joints. Give right = [degrees], left = [degrees] or both.")
    if left is None and right is not None and mirror is not None:
        if len(mirror) != len(right):
            raise ScriptError(f"{where} has {len(right)} joints, but mirror has {len(mirror)} signs.")
        left = right * mirror
    return Waypoint(
        name=_text(row, "name", where),
        seconds=_number(row, "seconds", where, None, 0.05, MOST_SECONDS),
        hold=_number(row, "hold", where, 0.0, 0.0, MOST_SECONDS),
        opening=_number(row, "opening", where, 1.0, 0.0, 1.0),
        joints=(left, right),
    )


def check_script(script: Script, body: Body) -> None:
    """Raise ScriptError where this robot cannot be where the script wants it."""
    for index, waypoint in enumerate(script.waypoints):
        for side, goal in enumerate(waypoint.joints):
            if goal is not None:
                label = f"'{waypoint.name}'" if waypoint.name else str(index + 1)
                _check_goal(script, f"{script.name}: waypoint {label}", body.arms[side], side, goal)


def _check_goal(script: Script, where: str, arm: Arm | None, side: int, goal: Array) -> None:
    if arm is None:
        raise ScriptError(f"{where} moves the {SIDES[side]} arm, which this robot does not have.")
    if script.arm and arm.part != script.arm:
        raise ScriptError(
            f"The script '{script.name}' is for the arm '{script.arm}', and this robot's {SIDES[side]} arm "
            f"is '{arm.part}'. Choose another script, or the rig 'overlay'."
        )
    if len(goal) != arm.chain.n:
        raise ScriptError(
            f"{where} gives {len(goal)} angles to the {SIDES[side]} arm, which has {arm.chain.n} joints."
        )
    margin = np.minimum(Reserve.margin, 0.25 * (arm.limits.upper - arm.limits.lower))
    low, high = arm.limits.lower + margin, arm.limits.upper - margin
    for joint in np.flatnonzero((goal < low) | (goal > high)):
        name, ends = arm.joints[joint], np.degrees([low[joint], high[joint]])
        raise ScriptError(
            f"{where}: joint {name} cannot go to {np.degrees(goal[joint]):.1f} degrees. "
            f"It goes from {ends[0]:.1f} to {ends[1]:.1f}."
        )


def least_seconds(arm: Arm, start: Array, goal: Array) -> float:
    """The shortest time in which the tick lets an arm go from `start` to `goal` by minimum jerk."""
    way = np.abs(goal - start)
    reserve = Reserve()
    speed = _SHARE * reserve.share * arm.limits.velocity
    acceleration = _SHARE * reserve.braking * arm.limits.acceleration
    slow = PEAK * way / speed
    heavy = np.sqrt(PEAK_ACCELERATION * way / acceleration)
    return float(max(slow.max(), heavy.max()))


def _known(table: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in keys:
            raise ScriptError(f"{where}: {UnknownNameError('key', key, keys)}")


def _text(table: dict[str, Any], key: str, where: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str) or len(value) > 200:
        raise ScriptError(f"{where}: {key} must be a short text, not {value!r}.")
    return value


def _number(
    table: dict[str, Any], key: str, where: str, default: float | None, least: float, most: float
) -> float:
    value: Any = table.get(key, default)
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if not plain or not least <= float(value) <= most:
        raise ScriptError(f"{where}: {key} must be a number from {least:g} to {most:g}, not {value!r}.")
    return float(value)


def _numbers(value: Any, where: str) -> Array:
    good = isinstance(value, list) and 1 <= len(value) <= MAX_JOINTS
    if not good or not all(isinstance(x, int | float) and math.isfinite(x) for x in value):
        raise ScriptError(f"{where} must be a list of 1 to {MAX_JOINTS} finite numbers, not {value!r}.")
    return np.array(value, float)
