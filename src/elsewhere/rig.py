"""A rig file (TOML) as frozen dataclasses: which parts an avatar has, and where they are mounted.

A rig names parts; `elsewhere.bodies.compose` builds the body from them. Every key is checked here,
every part name there, so that a typing error is one sentence, not a traceback.
"""

from __future__ import annotations

import dataclasses
import os
import tomllib
import typing
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any

from elsewhere.errors import RigError, UnknownNameError
from elsewhere.status import SIDES


@dataclass(frozen=True)
class Mount:
    """Where a part sits on its parent: position [m] and roll, pitch, yaw [degrees], in that order."""

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rpy_deg: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class PartChoice:
    """A part by name, or a model file by path, and its mount by name or as a pose.

    `tip` names the body or site of a user's own model that carries the hand.
    """

    part: str
    mount: str | Mount = "default"
    tip: str = ""


@dataclass(frozen=True)
class Sensors:
    """Which sensors the avatar carries beyond joint encoders."""

    wrist_wrench: bool = True
    joint_torque: bool = True
    fingertips: bool = True
    ranges: bool = True
    wrist_camera: str = "right"


@dataclass(frozen=True)
class Control:
    """Rates and gains of the tick. The outer rate must divide the inner one."""

    rate_hz: int = 1000
    outer_hz: int = 250
    watchdog_ms: float = 100.0
    fade_s: float = 3.0
    mapping: str = "clutched"  # of the operator's hands; see MAPPINGS
    clutches: int = 2  # 1: either clutch holds both hands
    scale: float = 1.0
    solver: str = "scout"  # inverse kinematics; see elsewhere.motion.ik.registry
    bias: str = "home"  # the posture it prefers; see elsewhere.motion.ik.biases
    torque: str = "joint-pd"  # the torque law; see elsewhere.motion.torque.registry
    torque_terms_off: tuple[str, ...] = ()  # for ablations; names in elsewhere.records.TERMS
    stop_force: float = 150.0  # N on a hand, for some milliseconds: the arms stop and give way
    restart_s: float = 2.0  # after such a stop the arms restart by themselves
    # AVATRINA, section 4.4: 0.2 m/s, in the fast mode (slowed by range finders) 1.0 m/s, 0.5 rad/s.
    base_speed: float = 0.2  # m/s
    base_fast: float = 1.0  # m/s
    base_turn: float = 0.5  # rad/s
    head_home_deg: tuple[float, float, float] = (0.0, 32.0, 0.0)  # yaw, pitch (down), roll


MAPPINGS = ("clutched", "absolute")
"""From the operator's hands to the palms' targets: relative while a clutch is held, or the same pose."""

RENDERERS = ("auto", "opengl", "processor")
"""How a simulated avatar's eyes are drawn: auto takes OpenGL where there is a graphics card."""


@dataclass(frozen=True)
class Video:
    """What the operator sees: size of one eye, rate, field of view (vertical)."""

    width: int = 640
    height: int = 480
    rate_hz: int = 30
    fov_deg: float = 75.0
    bitrate_kbps: int = 2500
    renderer: str = "auto"  # of a simulated avatar; see RENDERERS


@dataclass(frozen=True)
class World:
    """The simulated place, when the driver is simulated."""

    scene: str = "room"
    seed: int = 0


@dataclass(frozen=True)
class Recording:
    """Where recordings go and how much room they may take together."""

    folder: str = "recordings"
    limit_mb: int = 2000
    segment_minutes: float = 10.0


@dataclass(frozen=True)
class Rig:
    """One avatar: parts, sensors, rates, place."""

    name: str
    title: str = ""
    driver: str = "simulated"
    base: PartChoice = PartChoice("omni")
    torso: PartChoice = PartChoice("column")
    head: PartChoice = PartChoice("gimbal")
    arms: dict[str, PartChoice] = field(default_factory=dict)
    hands: dict[str, PartChoice] = field(default_factory=dict)
    sensors: Sensors = Sensors()
    control: Control = Control()
    video: Video = Video()
    world: World = World()
    recording: Recording = Recording()
    path: Path = Path()
    """The rig file: model paths in it are relative to its folder."""

    @property
    def folder(self) -> Path:
        """The folder of the rig file."""
        return self.path.parent


def rig_folders() -> list[Path]:
    """Where rigs are looked up by name: `$ELSEWHERE_RIGS`, the checkout, the installed package."""
    here = Path(__file__).resolve().parent
    named = [Path(part) for part in os.environ.get("ELSEWHERE_RIGS", "").split(os.pathsep) if part]
    return [folder for folder in (*named, here.parent.parent / "rigs", here / "rigs") if folder.is_dir()]


def rig_names() -> list[str]:
    """Names of the ready rigs."""
    return sorted({path.stem for folder in rig_folders() for path in folder.glob("*.toml")})


def load_rig(name: str | Path) -> Rig:
    """The rig of that name, or in that file. Raises RigError or UnknownNameError."""
    path = Path(name)
    if path.suffix != ".toml":
        found = [folder / f"{name}.toml" for folder in rig_folders() if (folder / f"{name}.toml").is_file()]
        if not found:
            raise UnknownNameError("rig", str(name), rig_names())
        path = found[0]
    try:
        data = tomllib.loads(path.read_text())
    except FileNotFoundError as error:
        raise RigError(
            f"The rig file {path} does not exist. Ready rigs: {', '.join(rig_names())}."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise RigError(f"The rig file {path} cannot be read as TOML: {error}.") from error
    return parse_rig(data, where=path.name, path=path.resolve())


def parse_rig(data: dict[str, Any], *, where: str = "rig", path: Path | None = None) -> Rig:
    """A rig from already parsed TOML."""
    rig: Rig = _parse(Rig, {**data, "path": path or Path("rig.toml")}, where)
    for table in ("arms", "hands"):
        for side in getattr(rig, table):
            if side not in SIDES:
                raise RigError(f"{where}: [{table}.{side}] is not a side. Valid: left, right.")
    control = rig.control
    if control.outer_hz <= 0 or control.rate_hz % control.outer_hz:
        raise RigError(
            f"{where}: control.outer_hz = {control.outer_hz} does not divide control.rate_hz = "
            f"{control.rate_hz}. Take 125, 250 or 500."
        )
    if control.mapping not in MAPPINGS:
        raise RigError(f"{where}: {UnknownNameError('mapping', control.mapping, MAPPINGS)}")
    if control.clutches not in (1, 2):
        raise RigError(f"{where}: control.clutches = {control.clutches}. Take 1 (for both hands) or 2.")
    if rig.video.renderer not in RENDERERS:
        raise RigError(f"{where}: {UnknownNameError('renderer', rig.video.renderer, RENDERERS)}")
    return rig


def _parse(kind: Any, value: Any, where: str) -> Any:
    """`value` as `kind` (a dataclass, a dict, a tuple, a union or a plain type), or a RigError."""
    origin = typing.get_origin(kind)
    if dataclasses.is_dataclass(kind):
        return _parse_table(typing.cast(type, kind), value, where)
    if origin is UnionType:
        options = typing.get_args(kind)
        wanted = next((option for option in options if option is not str), str)
        return value if isinstance(value, str) else _parse(wanted, value, where)
    if origin is dict:
        if not isinstance(value, dict):
            raise RigError(f"{where} must be a table, not {value!r}.")
        inner = typing.get_args(kind)[1]
        return {key: _parse(inner, item, f"{where}.{key}") for key, item in value.items()}
    if origin is tuple:
        inner = typing.get_args(kind)
        if inner[-1] is Ellipsis:
            if not isinstance(value, list | tuple):
                raise RigError(f"{where} must be a list, not {value!r}.")
            return tuple(_parse(inner[0], item, where) for item in value)
        count = len(inner)
        if not isinstance(value, list | tuple) or len(value) != count:
            raise RigError(f"{where} must be a list of {count} numbers, not {value!r}.")
        return tuple(_parse(float, item, where) for item in value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise RigError(f"{where} must be of type {kind.__name__}, not {value!r}.")
    return value


def _parse_table(kind: type, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise RigError(f"{where} must be a table, not {value!r}.")
    hints = typing.get_type_hints(kind)
    for key in value:
        if key not in hints:
            error = UnknownNameError("key", key, [name for name in hints if name != "path"])
            raise RigError(f"{where}: {error}")
    missing = [
        item.name
        for item in dataclasses.fields(kind)
        if item.default is dataclasses.MISSING
        and item.default_factory is dataclasses.MISSING
        and item.name not in value
    ]
    if missing:
        raise RigError(f"{where}: the key '{missing[0]}' is missing.")
    parsed = {key: _parse(hints[key], item, f"{where}: {key}") for key, item in value.items()}
    return kind(**parsed)
