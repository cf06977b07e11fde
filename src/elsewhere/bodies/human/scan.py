"""Importing a user's own rigged scan: recognise its bones, check its pose, annotate its arms.

What is wrong with a scan is said in one sentence (`ModelError`); what was guessed is in `Scan.notes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.bodies.human.bone_names import recognise, twist_bone
from elsewhere.bodies.human.glb import Gltf, from_gltf, read_gltf
from elsewhere.bodies.human.gltf import EXTRAS
from elsewhere.bodies.human.guess import Guess, guess_arm, guess_fingers, hand_axis, levelness
from elsewhere.bodies.human.helpers import with_helpers
from elsewhere.bodies.human.human import SIDES, Finger, Helper, Human, Joint
from elsewhere.bodies.human.make import hand_frame
from elsewhere.bodies.human.mesh import Array, SkinnedMesh
from elsewhere.bodies.human.scan_checks import check_complete, check_length, check_scale, upright
from elsewhere.bodies.human.scan_mesh import RawMesh, joint_nodes, read_mesh
from elsewhere.bodies.human.weights import strongest


@dataclass(frozen=True, eq=False)
class Scan:
    """An imported human, and which bone of the file is which joint."""

    human: Human
    bones: dict[str, str]
    """Our joint names with the file's own, in the order of the skeleton."""
    notes: tuple[str, ...]


def import_scan(
    path: Path | str,
    elbow_axis: ArrayLike | None = None,
    wrist_vector: ArrayLike | None = None,
    name: str = "",
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
    names = [str(gltf.items("nodes")[n].get("name", f"bone_{n}")) for n in nodes]
    found = recognise(names)
    check_complete(path.name, found, names)
    check_scale(path.name, world[nodes], names)
    positions = from_gltf(world[nodes, :3, 3])
    notes: list[str] = []
    given = _annotations(gltf)
    ours = given is not None and _fits(given, names)
    if given is not None and not ours:
        notes.append("The annotations in the file name other bones: guessed anew.")
    if not ours:
        positions = upright(path.name, raw, positions, found, notes)
    joints = _joints(gltf, nodes, names, found, positions)
    for side in SIDES:
        for a, b in (("upper_arm", "forearm"), ("forearm", "hand")):
            check_length(joints, names, found, f"{side}_{a}", f"{side}_{b}")
    human = (
        _annotated(name, joints, raw, nodes, given, elbow_axis, wrist_vector)
        if ours and given is not None
        else _guessed(name or path.stem, joints, names, raw, nodes, found, elbow_axis, wrist_vector, notes)
    )
    if raw.skipped:
        notes.append(f"Left out, because no skin moves them: {', '.join(raw.skipped)}.")
    bones = {joint.name: names[i] for i, joint in enumerate(joints)}
    return Scan(human, bones, tuple(notes))


def _joints(
    gltf: Gltf, nodes: list[int], names: list[str], found: dict[str, int], positions: Array
) -> tuple[Joint, ...]:
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
        raw.vertices,
        raw.normals,
        raw.triangles,
        joints,
        weights,
        raw.colours,
        raw.uv,
        raw.materials,
        raw.material_of,
    )


def _guessed(
    name: str, joints: tuple[Joint, ...], names: list[str], raw: RawMesh, nodes: list[int],
    found: dict[str, int], elbow_axis: ArrayLike | None, wrist_vector: ArrayLike | None, notes: list[str],
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
        name,
        joints,
        _mesh(raw, table),
        arms,
        (frames[0], frames[1]),
        (fingers[0], fingers[1]),
        helpers,
        tuple(notes),
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
        arms.append(
            HumanArm(at[f"{side}_upper_arm"], at[f"{side}_forearm"], at[f"{side}_hand"], axis, palm)
        )
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
    for node in gltf.items("nodes"):
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
    guesses = [
        Guess(from_gltf(a["elbow_axis"]), from_gltf(a["wrist_vector"]), "", "") for a in given["arms"]
    ]
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
        Helper(index[h["joint"]], h["kind"], int(h["side"]), h["bone"], float(h["share"]))
        for h in given["helpers"]
    )
    return Human(
        name or str(given.get("name", "human")), joints, _mesh(raw, _table(raw, nodes)), arms,
        (frames[0], frames[1]), (fingers[0], fingers[1]), helpers, tuple(given.get("notes", ())),
    )  # fmt: skip
