"""What a scan must be before it can be annotated: whole, of one scale, not mirrored, upright, in metres."""

from __future__ import annotations

import numpy as np

from elsewhere.bodies.human.arm import SHORTEST
from elsewhere.bodies.human.bone_names import NEEDED
from elsewhere.bodies.human.human import SIDES, Joint
from elsewhere.bodies.human.mesh import Array
from elsewhere.bodies.human.scan_mesh import RawMesh
from elsewhere.errors import ModelError

UNEQUAL = 0.01
"""Scales of a joint along its axes may differ by this share."""
ADULT = (1.0, 2.6)
"""Heights [m] that are taken for metres; a hundred or a thousand times as much for cm or mm."""


def check_complete(file: str, found: dict[str, int], names: list[str]) -> None:
    """Every joint that posing needs is there; the error lists what was found."""
    missing = [name for name in NEEDED if name not in found]
    if not missing:
        return
    known = ", ".join(f"{ours} ({names[i]})" for ours, i in sorted(found.items())) or "none"
    others = [name for i, name in enumerate(names) if i not in found.values()]
    rest = (
        f" Not recognised: {', '.join(others[:20])}{', …' if len(others) > 20 else ''}." if others else ""
    )
    raise ModelError(
        f"'{file}' lacks the joints {', '.join(missing)}. Found: {known}.{rest} "
        "Name the bones as Mixamo, Ready Player Me, VRM, Rigify, Unreal or Elsewhere do."
    )


def check_scale(file: str, world: Array, names: list[str]) -> None:
    """No joint is mirrored or scaled unequally (world matrices (joints, 4, 4))."""
    for matrix, name in zip(world[:, :3, :3], names, strict=True):
        if np.linalg.det(matrix) < 0.0:
            raise ModelError(
                f"The skeleton of '{file}' is mirrored at '{name}'. Apply its negative scale and export it."
            )
        sizes = np.linalg.svd(matrix, compute_uv=False)
        if sizes[-1] <= 0.0 or sizes[0] / sizes[-1] > 1.0 + UNEQUAL:
            shown = " x ".join(f"{size:.3g}" for size in np.linalg.norm(matrix, axis=0))
            raise ModelError(
                f"The skeleton of '{file}' is scaled unequally at '{name}' ({shown}). "
                "Apply the scale and export again."
            )


def check_length(
    joints: tuple[Joint, ...], names: list[str], found: dict[str, int], root: str, end: str
) -> None:
    """Two joints are apart."""
    a, b = found[root], found[end]
    if np.linalg.norm(joints[a].position - joints[b].position) < SHORTEST:
        raise ModelError(
            f"The {root.replace('_', ' ')} of the scan has no length: the bones '{names[a]}' and "
            f"'{names[b]}' coincide. Place them at the joints."
        )


def upright(file: str, raw: RawMesh, positions: Array, found: dict[str, int], notes: list[str]) -> Array:
    """Turn to x forward, scale to metres, put the origin on the floor between the hips; changes `raw`."""
    across = positions[found["left_upper_arm"]] - positions[found["right_upper_arm"]]
    across[2] = 0.0
    if np.linalg.norm(across) < 1e-6:
        raise ModelError(
            f"The shoulders of '{file}' coincide or lie above each other. The person must stand upright."
        )
    y = across / np.linalg.norm(across)
    R = np.stack([np.cross(y, (0.0, 0.0, 1.0)), y, (0.0, 0.0, 1.0)])
    height = float(np.ptp(raw.vertices[:, 2]))
    scale = next((s for s in (1.0, 0.01, 0.001) if ADULT[0] <= height * s <= ADULT[1]), 0.0)
    if not scale:
        raise ModelError(
            f"The person in '{file}' is {height:.3g} m tall. Scale the model to metres (1 to 2.6 m)."
        )
    if scale != 1.0:
        notes.append(f"Scaled by {scale:g}: the file is in {'cm' if scale == 0.01 else 'mm'}.")
    turned = scale * raw.vertices @ R.T
    placed = scale * positions @ R.T
    hips = [placed[found[f"{side}_thigh"]] for side in SIDES if f"{side}_thigh" in found]
    middle = np.mean(hips, axis=0) if len(hips) == 2 else placed[found["hips"]]
    shift = np.array([middle[0], middle[1], turned[:, 2].min()])
    raw.vertices, raw.normals = turned - shift, raw.normals @ R.T
    placed = np.asarray(placed - shift)
    _check_facing(file, raw, placed, found)
    return placed


def _check_facing(file: str, raw: RawMesh, positions: Array, found: dict[str, int]) -> None:
    """Toes point forward. If they point back, left and right are exchanged."""
    for side in SIDES:
        if f"{side}_foot" not in found:
            continue
        ankle = positions[found[f"{side}_foot"]]
        low = raw.vertices[:, 2] < max(0.06, ankle[2])
        mine = low & (np.linalg.norm(raw.vertices[:, :2] - ankle[:2], axis=1) < 0.35)
        mine &= (raw.vertices[:, 1] > 0) == (ankle[1] > 0)
        x = raw.vertices[mine, 0]
        if len(x) and 0.5 * (x.min() + x.max()) < ankle[0] - 0.01:
            raise ModelError(
                f"The skeleton of '{file}' is mirrored: its {side} side is where the other should be, "
                "as the toes show. Exchange the names of left and right bones."
            )
