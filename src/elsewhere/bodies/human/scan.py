"""Importing a user's own rigged scan: recognise its bones, check its pose, annotate its arms.

What is wrong with a scan is said in one sentence (`ModelError`); what was guessed is in `Scan.notes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.bodies.human.arm import SHORTEST, HumanArm
from elsewhere.bodies.human.bone_names import NEEDED, recognise, twist_bone
from elsewhere.bodies.human.glb import Gltf, from_gltf, read_gltf
from elsewhere.bodies.human.gltf import EXTRAS
from elsewhere.bodies.human.guess import Guess, guess_arm, guess_fingers, hand_axis, levelness
from elsewhere.bodies.human.helpers import with_helpers
from elsewhere.bodies.human.human import SIDES, Finger, Helper, Human, Joint
from elsewhere.bodies.human.make import hand_frame
from elsewhere.bodies.human.mesh import Array, SkinnedMesh
from elsewhere.bodies.human.scan_mesh import RawMesh, joint_nodes, read_mesh
from elsewhere.bodies.human.weights import strongest
from elsewhere.errors import ModelError

UNEQUAL = 0.01
"""Scales of a joint along its axes may differ by this share."""
ADULT = (1.0, 2.6)
"""Heights [m] that are taken for metres; a hundred or a thousand times as much for cm or mm."""


@dataclass(frozen=True, eq=False)
class Scan:
    """An imported human, and which bone of the file is which joint."""

    human: Human
    bones: dict[str, str]
    """Our joint names with the file's own, in the order of the skeleton."""
    notes: tuple[str, ...]


def import_scan(
    path: Path | str, elbow_axis: ArrayLike | None = None, wrist_vector: ArrayLike | None = None, name: str = ""
) -> Scan:
    """Read a rigged .glb or .gltf.

    `elbow_axis` and `wrist_vector` are those of the left arm in the body frame (x forward, y left, z up);
    the right ones are mirrored. Where they are missing, the file's own annotations or a guess are taken.
    """
    path = Path(path)
    gltf = read_gltf(path)
    world = gltf.world_matrices()
    nodes = joint_nodes(gltf)
    raw = read_mesh(gltf, world)
    names = [str(gltf.list("nodes")[n].get("name", f"bone_{n}")) for n in nodes]
    found = recognise(names)
    _check_complete(path.name, found, names)
    _check_scale(path.name, world[nodes], names)
    positions = from_gltf(world[nodes, :3, 3])
    notes: list[str] = []
    given = _annotations(gltf)
    ours = given is not None and _fits(given, names)
    if given is not None and not ours:
        notes.append("The annotations in the file name other bones: guessed anew.")
    if not ours:
        positions = _upright(path.name, raw, positions, found, nodes, notes)
    joints = _joints(gltf, nodes, names, found, positions)
    for side in SIDES:
        for a, b in (("upper_arm", "forearm"), ("forearm", "hand")):
            _check_length(joints, names, found, f"{side}_{a}", f"{side}_{b}")
    human = (
        _annotated(name, joints, raw, nodes, given, elbow_axis, wrist_vector)
        if ours and given is not None
        else _guessed(name or path.stem, joints, names, raw, nodes, found, elbow_axis, wrist_vector, notes)
    )
    if raw.skipped:
        notes.append(f"Left out, because no skin moves them: {', '.join(raw.skipped)}.")
    bones = {joint.name: names[i] for i, joint in enumerate(joints)}
    return Scan(human, bones, tuple(notes))


def _check_complete(file: str, found: dict[str, int], names: list[str]) -> None:
    missing = [name for name in NEEDED if name not in found]
    if not missing:
        return
    known = ", ".join(f"{ours} ({names[i]})" for ours, i in sorted(found.items())) or "none"
    others = [name for i, name in enumerate(names) if i not in found.values()]
    rest = f" Not recognised: {', '.join(others[:20])}{', …' if len(others) > 20 else ''}." if others else ""
    raise ModelError(
        f"'{file}' lacks the joints {', '.join(missing)}. Found: {known}.{rest} "
        "Name the bones as Mixamo, Ready Player Me, VRM, Rigify, Unreal or Elsewhere do."
    )


def _check_scale(file: str, world: Array, names: list[str]) -> None:
    for matrix, name in zip(world[:, :3, :3], names, strict=True):
        if np.linalg.det(matrix) < 0.0:
            raise ModelError(f"The skeleton of '{file}' is mirrored at '{name}'. Apply its negative scale and export again.")
        sizes = np.linalg.svd(matrix, compute_uv=False)
        if sizes[-1] <= 0.0 or sizes[0] / sizes[-1] > 1.0 + UNEQUAL:
            shown = " x ".join(f"{size:.3g}" for size in np.linalg.norm(matrix, axis=0))
            raise ModelError(
                f"The skeleton of '{file}' is scaled unequally at '{name}' ({shown}). Apply the scale and export again."
            )


def _check_length(joints: tuple[Joint, ...], names: list[str], found: dict[str, int], root: str, end: str) -> None:
    a, b = found[root], found[end]
    if np.linalg.norm(joints[a].position - joints[b].position) < SHORTEST:
        raise ModelError(
            f"The {root.replace('_', ' ')} of the scan has no length: the bones '{names[a]}' and '{names[b]}' coincide. "
            "Place them at the joints."
        )


def _upright(
    file: str, raw: RawMesh, positions: Array, found: dict[str, int], nodes: list[int], notes: list[str]
) -> Array:
    """Turn to x forward, scale to metres, put the origin on the floor between the hips; changes `raw`."""
    across = positions[found["left_upper_arm"]] - positions[found["right_upper_arm"]]
    across[2] = 0.0
    if np.linalg.norm(across) < 1e-6:
        raise ModelError(f"The shoulders of '{file}' coincide or lie above each other. The person must stand upright.")
    y = across / np.linalg.norm(across)
    R = np.stack([np.cross(y, (0.0, 0.0, 1.0)), y, (0.0, 0.0, 1.0)])
    height = float(np.ptp(raw.vertices[:, 2]))
    scale = next((s for s in (1.0, 0.01, 0.001) if ADULT[0] <= height * s <= ADULT[1]), 0.0)
    if not scale:
        raise ModelError(f"The person in '{file}' is {height:.3g} m tall. Scale the model to metres (1 to 2.6 m).")
    if scale != 1.0:
        notes.append(f"Scaled by {scale:g}: the file is in {'cm' if scale == 0.01 else 'mm'}.")
    turned = scale * raw.vertices @ R.T
    placed = scale * positions @ R.T
    hips = [placed[found[f"{side}_thigh"]] for side in SIDES if f"{side}_thigh" in found]
    middle = np.mean(hips, axis=0) if len(hips) == 2 else placed[found["hips"]]
    shift = np.array([middle[0], middle[1], turned[:, 2].min()])
    raw.vertices, raw.normals = turned - shift, raw.normals @ R.T
    placed = placed - shift
    _check_facing(file, raw, placed, found, nodes)
    return placed


def _check_facing(file: str, raw: RawMesh, positions: Array, found: dict[str, int], nodes: list[int]) -> None:
    """Toes point forward. If they point back, left and right are exchanged."""
    for side in SIDES:
        if f"{side}_foot" not in found:
            continue
        ankle = positions[found[f"{side}_foot"]]
        low = raw.vertices[:, 2] < max(0.06, ankle[2])
        mine = low & (np.linalg.norm(raw.vertices[:, :2] - ankle[:2], axis=1) < 0.35)
        mine &= (raw.vertices[:, 1] > 0) == (ankle[1] > 0)
        if mine.any() and 0.5 * (raw.vertices[mine, 0].min() + raw.vertices[mine, 0].max()) < ankle[0] - 0.01:
            raise ModelError(
                f"The skeleton of '{file}' is mirrored: its {side} side is where the other should be, as the toes show. "
                "Exchange the names of left and right bones."
            )


def _joints(gltf: Gltf, nodes: list[int], names: list[str], found: dict[str, int], positions: Array) -> tuple[Joint, ...]:
    """Our names where bones are recognised; the nearest ancestor that is a joint is the parent."""
    parents, place = gltf.parents(), {node: i for i, node in enumerate(nodes)}
    chosen = {i: ours for ours, i in found.items()}
    taken = set(found)
    joints = []
    for i, node in enumerate(nodes):
        ancestor = parents[node]
        while ancestor >= 0 and ancestor not in place:
            ancestor = parents[ancestor]
        ours = chosen.get(i, names[i])
        while i not in chosen and ours in taken:
            ours += "_"
        taken.add(ours)
        joints.append(Joint(ours, place[ancestor] if ancestor >= 0 else -1, positions[i]))
    return tuple(joints)


def _table(raw: RawMesh, nodes: list[int]) -> Array:
    """Weights of every joint at every vertex (n, joints)."""
    place = {node: i for i, node in enumerate(nodes)}
    columns = np.vectorize(lambda node: place.get(int(node), 0))(raw.nodes)
    table = np.zeros((len(raw.vertices), len(nodes)))
    np.add.at(table, (np.arange(len(table))[:, None], columns), raw.weights)
    return table


def _mesh(raw: RawMesh, table: Array) -> SkinnedMesh:
    joints, weights = strongest(table)
    return SkinnedMesh(
        raw.vertices, raw.normals, raw.triangles, joints, weights, raw.colours, raw.uv, raw.materials, raw.material_of
    )


def _guessed(
    name: str, joints: tuple[Joint, ...], names: list[str], raw: RawMesh, nodes: list[int], found: dict[str, int],
    elbow_axis: ArrayLike | None, wrist_vector: ArrayLike | None, notes: list[str],
) -> Human:  # fmt: skip
    """Annotate from pose and geometry, and add the helpers that the file has none of."""
    table = _table(raw, nodes)
    at = {ours: joints[i].position for ours, i in found.items()}
    notes += levelness(at)
    guesses = [guess_arm(at, raw.vertices, table[:, found[f"{side}_hand"]], side) for side in SIDES]
    arms = _arms(at, guesses, elbow_axis, wrist_vector)
    for side, guess in zip(SIDES, guesses, strict=True):
        for what, how, chosen in (
            ("elbow axis", guess.elbow_how, elbow_axis), ("wrist vector", guess.wrist_how, wrist_vector)
        ):  # fmt: skip
            notes.append(f"{side.capitalize()} {what}: {'as given' if chosen is not None else how}.")
    helpers = _own_twists(joints, names, arms, found)
    if not helpers:
        joints, table, helpers = with_helpers(joints, table, raw.vertices, arms)
    frames = [hand_frame(arm, hand_axis(at, side)) for arm, side in zip(arms, SIDES, strict=True)]
    fingers = [guess_fingers(at, found, arm, side) for arm, side in zip(arms, SIDES, strict=True)]
    return Human(
        name, joints, _mesh(raw, table), arms, (frames[0], frames[1]), (fingers[0], fingers[1]), helpers, tuple(notes)
    )


def _arms(
    at: dict[str, Array], guesses: list[Guess], elbow_axis: ArrayLike | None, wrist_vector: ArrayLike | None
) -> tuple[HumanArm, HumanArm]:
    arms = []
    for k, side in enumerate(SIDES):
        axis, palm = guesses[k].elbow_axis, guesses[k].wrist_vector
        if elbow_axis is not None:
            # A mirror turns the axis of a rotation the other way than a direction.
            axis = np.asarray(elbow_axis, np.float64) * ((-1.0, 1.0, -1.0) if k else (1.0, 1.0, 1.0))
        if wrist_vector is not None:
            palm = np.asarray(wrist_vector, np.float64) * ((1.0, -1.0, 1.0) if k else (1.0, 1.0, 1.0))
        arms.append(HumanArm(at[f"{side}_upper_arm"], at[f"{side}_forearm"], at[f"{side}_hand"], axis, palm))
    return arms[0], arms[1]


def _own_twists(
    joints: tuple[Joint, ...], names: list[str], arms: tuple[HumanArm, HumanArm], found: dict[str, int]
) -> tuple[Helper, ...]:
    """The file's own twist joints, by where they lie along their bone."""
    helpers = []
    for i, name in enumerate(names):
        match = twist_bone(name)
        if match is None or i in found.values():
            continue
        side = SIDES.index(match[0])
        arm = arms[side]
        root, bone = (arm.shoulder, arm.upper) if match[1] == "upper_arm" else (arm.elbow, arm.fore)
        share = float(np.clip((joints[i].position - root) @ bone / (bone @ bone), 0.0, 1.0))
        helpers.append(Helper(i, "twist", side, match[1], share))  # type: ignore[arg-type]
    return tuple(helpers)


def _annotations(gltf: Gltf) -> dict[str, Any] | None:
    for node in gltf.list("nodes"):
        extras = node.get("extras")
        if isinstance(extras, dict) and isinstance(extras.get(EXTRAS), dict):
            return dict(extras[EXTRAS])
    return None


def _fits(given: dict[str, Any], names: list[str]) -> bool:
    """Whether every bone that the annotations name is there, and they are whole."""
    try:
        wanted = {joint for side in given["fingers"] for finger in side for joint in finger["joints"]}
        wanted |= {helper["joint"] for helper in given["helpers"]}
        return len(given["arms"]) == 2 and len(given["hand_frames"]) == 2 and wanted <= set(names)
    except (KeyError, TypeError):
        return False


def _annotated(
    name: str, joints: tuple[Joint, ...], raw: RawMesh, nodes: list[int], given: dict[str, Any],
    elbow_axis: ArrayLike | None, wrist_vector: ArrayLike | None,
) -> Human:  # fmt: skip
    """A file of ours: everything is as its annotations say, but for what was given anew."""
    index = {joint.name: i for i, joint in enumerate(joints)}
    at = {joint.name: joint.position for joint in joints}
    guesses = [Guess(from_gltf(a["elbow_axis"]), from_gltf(a["wrist_vector"]), "", "") for a in given["arms"]]
    arms = _arms(at, guesses, elbow_axis, wrist_vector)
    frames = [np.stack([from_gltf(f[n]) for n in "xyz"], axis=1) for f in given["hand_frames"]]
    if wrist_vector is not None:
        frames = [hand_frame(arm, R[:, 0]) for arm, R in zip(arms, frames, strict=True)]
    fingers = [
        tuple(
            Finger(
                f["digit"], tuple(index[j] for j in f["joints"]), from_gltf(f["axes"]), tuple(f["shares"]),
                float(f["open_rad"]), float(f["closed_rad"]),
            )
            for f in side
        )
        for side in given["fingers"]
    ]  # fmt: skip
    helpers = tuple(
        Helper(index[h["joint"]], h["kind"], int(h["side"]), h["bone"], float(h["share"])) for h in given["helpers"]
    )
    return Human(
        name or str(given.get("name", "human")), joints, _mesh(raw, _table(raw, nodes)), arms,
        (frames[0], frames[1]), (fingers[0], fingers[1]), helpers, tuple(given.get("notes", ())),
    )  # fmt: skip
