"""The default scene: a furnished room, a table, and four small tasks on it."""

from __future__ import annotations

from itertools import combinations

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.messages import SceneDescription, ThingDescription
from elsewhere.world import furniture, textures, things
from elsewhere.world.scene import Scene
from elsewhere.world.scenes import scene
from elsewhere.world.textures import grid

BLOCK_X, BLOCK_Y = (0.43, 0.62), (-0.38, 0.0)  # where the right gripper reaches well
GAP = 0.06  # free distance between any two things
LANE = 0.08  # free distance on both sides of the red block, for open jaws
RED_YAW = 0.35  # the red block is turned by less than this, so that the jaws fit
_CIRCLE = things.BLOCK * 2**0.5
_RED_HALF = things.BLOCK * (np.cos(RED_YAW) + np.sin(RED_YAW))
_TRAY_HALF = np.array(things.TRAY_INNER) + things.TRAY_RIM
CANISTER_SPOTS = ((0.56, 0.20), (0.56, 0.36))
SLOW = 0.02  # m/s, below which a thing rests
LIFTED = 0.05  # m


@scene("room")
class Room(Scene):
    """A warm room with a table 0.75 m high in front of the avatar."""

    def build(self, spec: mujoco.MjSpec | None = None) -> mujoco.MjSpec:
        """Add the room to `spec`, or to a new one."""
        spec = spec or mujoco.MjSpec()
        spec.compiler.degree = False
        options(spec)
        _light(spec)
        u, v = grid(192, 256, 0.6, 1.2)
        image = textures.planks(
            v,
            u,
            board=0.10,
            length=5.0,
            seed=8,
            tones=[(0.80, 0.65, 0.48), (0.77, 0.62, 0.45), (0.82, 0.67, 0.50)],
        )
        textures.add(spec, "table", image, specular=0.08)
        things.set_table(spec)
        furniture.furnish(spec)
        return spec

    def place(self, model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        """Blocks, tray side and the order of the canisters follow the seed; the rest stands still."""
        tray, blocks, yaws = _arrange(rng)
        home = model.body("tray").pos
        data.joint("tray_x").qpos[0], data.joint("tray_y").qpos[0] = tray - home[:2]
        for name, spot, yaw in zip(things.BLOCKS, blocks, yaws, strict=True):
            _put(data, name, (spot[0], spot[1], things.TABLE_TOP + things.BLOCK), yaw)
        spots = [CANISTER_SPOTS[i] for i in rng.permutation(2)]
        for name, (x, y) in zip(things.CANISTERS, spots, strict=True):
            at = np.array((x, y)) + rng.uniform(-0.01, 0.01, 2)
            _put(data, name, (at[0], at[1], things.TABLE_TOP + things.CANISTER_HALF), 0.0)
        peg = (things.BOARD[0], things.BOARD[1] - things.HOLES, things.TABLE_TOP + things.PEG_HALF)
        _put(data, "peg", peg, 0.0)
        data.joint("lever").qpos[0] = -things.LEVER_RANGE

    def describe(self, model: mujoco.MjModel, data: mujoco.MjData, seed: int) -> SceneDescription:
        """The things on the table. Which canister is the heavy one is for the hand to find out."""
        listed = [
            _thing(model, data, "table", "table", "table", "A wooden table."),
            *(
                _thing(model, data, name, name, "block", f"A {name.removeprefix('block_')} wooden block.")
                for name in things.BLOCKS
            ),
            _thing(model, data, "tray", "tray", "tray", "A tray with a low rim."),
            _thing(model, data, "switch", "lever", "lever", "A switch with a lever and a light."),
            _thing(
                model,
                data,
                "lever",
                "lever_handle",
                "handle",
                "The lever's rod: a red ball at one end, the axle in the switch at the other.",
            ),
            _thing(model, data, "peg", "peg", "peg", "A peg that waits in its board."),
            _thing(
                model,
                data,
                "peg_board",
                "peg_board",
                "board",
                "A board; the hole with the red frame is the goal.",
            ),
            _goal_hole(data),
        ]
        ordered = sorted(things.CANISTERS, key=lambda name: -data.body(name).xpos[1])
        for side, body in zip(("left", "right"), ordered, strict=True):
            text = "One of two canisters that look alike."
            listed.append(_thing(model, data, body, f"canister_{side}", "canister", text))
        return SceneDescription(name=self.name, seed=seed, things=listed)

    def goals(self, model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, bool]:
        """block_on_tray, peg_in_hole, lever_up and heavy_canister_lifted."""
        heavy = data.body("canister_heavy").xpos[2] - things.CANISTER_HALF - things.TABLE_TOP
        return {
            "block_on_tray": _block_on_tray(model, data),
            "peg_in_hole": _peg_in_hole(data),
            "lever_up": bool(data.joint("lever").qpos[0] > things.LEVER_UP),
            "heavy_canister_lifted": bool(heavy > LIFTED),
        }

    def paint(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """The indicator is green while the lever is up, dark red while it is down."""
        lit = data.joint("lever").qpos[0] > 0.0
        model.geom("indicator").rgba[:] = (0.45, 0.95, 0.50, 1.0) if lit else (0.42, 0.12, 0.10, 1.0)


def options(spec: mujoco.MjSpec) -> None:
    """Step, solver and picture quality that every scene starts from."""
    option = spec.option
    option.timestep = 0.001
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    # Things at rest sleep until something touches them: the step costs little more than half.
    option.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    option.impratio = 10.0
    # Few are used, but a line search cut short at 12 throws a falling block back up.
    option.iterations, option.ls_iterations = 60, 50
    quality = spec.visual.quality
    quality.shadowsize, quality.offsamples = 0, 0
    quality.numslices, quality.numstacks, quality.numquads = 12, 6, 1
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 1280, 960
    spec.visual.map.znear, spec.visual.map.zfar = 0.01, 12.0
    spec.stat.extent = 1.0
    spec.stat.center = (0.6, 0.0, 0.8)


def _light(spec: mujoco.MjSpec) -> None:
    head = spec.visual.headlight
    head.ambient, head.diffuse, head.specular = (0.56, 0.54, 0.51), (0.12, 0.12, 0.12), (0.0, 0.0, 0.0)
    sun = spec.worldbody.add_light(name="sun", pos=(1.0, 2.0, 3.0), dir=(0.42, -0.25, -0.87))
    sun.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    sun.diffuse, sun.ambient, sun.specular = (0.50, 0.47, 0.42), (0.0, 0.0, 0.0), (0.15, 0.15, 0.15)
    sun.castshadow = False
    spec.worldbody.add_camera(
        name="room_view", pos=(-1.35, -1.9, 1.95), xyaxes=(0.66, -0.75, 0, 0.33, 0.29, 0.9), fovy=62
    )


def _put(data: mujoco.MjData, joint: str, position: tuple[float, float, float], yaw: float) -> None:
    data.joint(joint).qpos[:] = (*position, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2))


def _arrange(
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Tray centre, block centres (red first) and yaws that keep every distance.

    The tray takes the right or the left end of the reachable strip and the blocks share the rest:
    of a few thousand arrangements drawn at once, the first that fits is taken.
    """
    right = rng.random() < 0.5
    edge = BLOCK_Y[0] + _TRAY_HALF[1] if right else BLOCK_Y[1] - _TRAY_HALF[1]
    tray = np.array((rng.uniform(0.515, 0.525), edge + rng.uniform(-0.005, 0.005)))
    space = _TRAY_HALF[1] + _CIRCLE + GAP
    low, high = (tray[1] + space, BLOCK_Y[1]) if right else (BLOCK_Y[0], tray[1] - space)
    fits = np.zeros(0, bool)
    while not fits.any():
        blocks = rng.uniform((BLOCK_X[0], low), (BLOCK_X[1], high), (2000, 3, 2))
        fits = _free(tray, blocks)
    yaws = rng.uniform(-np.pi / 2, np.pi / 2, 3)
    yaws[0] = rng.uniform(-RED_YAW, RED_YAW)
    return tray, blocks[np.argmax(fits)], yaws


def _free(tray: NDArray[np.float64], blocks: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which arrangements (n, 3, 2) keep `GAP` between blocks, and `LANE` beside the red one."""
    good: NDArray[np.bool_] = np.abs(blocks[:, 0, 1] - tray[1]) >= _TRAY_HALF[1] + _RED_HALF + LANE
    for one, other in combinations(range(3), 2):
        apart = np.abs(blocks[:, one] - blocks[:, other])
        good &= np.hypot(apart[:, 0], apart[:, 1]) >= 2 * _CIRCLE + GAP
        if one == 0:
            past = apart[:, 0] >= _CIRCLE + _RED_HALF
            good &= past | (apart[:, 1] >= _CIRCLE + _RED_HALF + LANE)
    return good


def _block_on_tray(model: mujoco.MjModel, data: mujoco.MjData) -> bool:
    """The red block lies within the rim, is slow, and no part of the avatar touches it."""
    offset = data.body("block_red").xpos - data.body("tray").xpos
    inside = np.all(np.abs(offset[:2]) < np.array(things.TRAY_INNER) - 0.5 * things.BLOCK)
    low = abs(offset[2] - things.TRAY_FLOOR - things.BLOCK) < 0.012
    slow = np.linalg.norm(data.joint("block_red").qvel[:3]) < SLOW
    return bool(inside and low and slow) and not touched(model, data, "block_red")


def touched(model: mujoco.MjModel, data: mujoco.MjData, body: str) -> bool:
    """Whether a part of the avatar (the tree under `base`) touches a thing."""
    thing, avatar = model.body(body).id, model.body("base").id
    pairs = model.geom_bodyid[data.contact.geom[: data.ncon]]
    mine = np.any(pairs == thing, axis=1)
    return bool(np.any(model.body_rootid[pairs[mine]] == avatar))


def _peg_in_hole(data: mujoco.MjData) -> bool:
    """The peg's tip is at least 30 mm down in the goal hole."""
    peg = data.body("peg")
    axis = peg.xmat.reshape(3, 3)[:, 2]
    tip = peg.xpos - np.sign(axis[2]) * axis * things.PEG_HALF
    hole = data.body("peg_board").xpos + np.array((0.0, things.HOLES, things.BOARD_HEIGHT))
    return bool(np.hypot(*(tip - hole)[:2]) < things.HOLE_RADIUS and tip[2] < hole[2] - 0.03)


def _thing(
    model: mujoco.MjModel, data: mujoco.MjData, body: str, name: str, kind: str, text: str
) -> ThingDescription:
    """A body's pose and the box around its solid geoms, in its own frame."""
    found = model.body(body)
    geoms = np.arange(found.geomadr[0], found.geomadr[0] + found.geomnum[0])
    solid = [int(i) for i in geoms if model.geom_contype[i]]
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    turn = np.zeros(9)
    for i in solid:
        mujoco.mju_quat2Mat(turn, model.geom_quat[i])
        rotation = turn.reshape(3, 3)
        middle = model.geom_pos[i] + rotation @ model.geom_aabb[i, :3]
        half = np.abs(rotation) @ model.geom_aabb[i, 3:]
        low, high = np.minimum(low, middle - half), np.maximum(high, middle + half)
    pose = data.body(body)
    position = pose.xpos + pose.xmat.reshape(3, 3) @ (0.5 * (low + high))
    return ThingDescription(
        name=name,
        kind=kind,
        position=_floats(position),  # type: ignore[arg-type]
        orientation=_floats(pose.xquat),  # type: ignore[arg-type]
        half_size=_floats(0.5 * (high - low)),  # type: ignore[arg-type]
        text=text,
    )


def _goal_hole(data: mujoco.MjData) -> ThingDescription:
    """The hole as one sees it: where it opens in the board, how wide and how deep it is."""
    board, half = data.body("peg_board"), 0.5 * things.BOARD_HEIGHT
    middle = board.xpos + board.xmat.reshape(3, 3) @ np.array((0.0, things.HOLES, half))
    return ThingDescription(
        name="peg_hole",
        kind="hole",
        position=_floats(middle),  # type: ignore[arg-type]
        orientation=_floats(board.xquat),  # type: ignore[arg-type]
        half_size=(things.HOLE_RADIUS, things.HOLE_RADIUS, half),
        text="The hole with the red frame.",
    )


def _floats(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
