"""A human as a glTF 2.0 file: mesh, skin, skeleton, and the annotations in `extras`.

The file is y up, as glTF demands (`glb.to_gltf`), the annotations included. Every joint is a node with a
translation only, so its rest frame is parallel to the file's axes and a viewer may set
`world = M @ translate(rest)` with the matrices M of `dress`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.human.glb import pack, to_gltf
from elsewhere.bodies.human.helpers import OWN_SHARE
from elsewhere.bodies.human.human import Human

EXTRAS = "elsewhere_human"
FORMAT = 1
_KINDS = {"f4": 5126, "u2": 5123, "u4": 5125}
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_VERTICES, _INDICES = 34962, 34963


class _Numbers:
    """The binary chunk under construction."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def view(self, raw: bytes, target: int | None = None) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw)}
        if target is not None:
            view["target"] = target
        self.data += raw
        self.views.append(view)
        return len(self.views) - 1

    def add(
        self, values: NDArray[Any], kind: str, target: int | None = None, *, bounds: bool = False
    ) -> int:
        rows = np.ascontiguousarray(values.reshape(len(values), -1), "<" + kind)
        item: dict[str, Any] = {
            "bufferView": self.view(rows.tobytes(), target),
            "componentType": _KINDS[kind],
            "count": len(rows),
            "type": _TYPES[rows.shape[1]],
        }
        if bounds:
            item["min"], item["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        self.accessors.append(item)
        return len(self.accessors) - 1


def to_glb(human: Human) -> bytes:
    """The file as bytes."""
    numbers = _Numbers()
    document: dict[str, Any] = {"asset": {"version": "2.0", "generator": "Elsewhere"}, "scene": 0}
    document["scenes"] = [{"nodes": [0]}]
    document["nodes"] = _nodes(human)
    document["meshes"] = [{"name": "body", "primitives": _primitives(human, numbers)}]
    document["skins"] = [_skin(human, numbers)]
    document.update(_materials(human, numbers))
    document["bufferViews"], document["accessors"] = numbers.views, numbers.accessors
    document["buffers"] = [{"byteLength": len(numbers.data)}]
    return pack(document, bytes(numbers.data))


def write_glb(human: Human, path: Path | str) -> Path:
    """Write the file; an existing one is replaced."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(to_glb(human))
    return target


_FIRST = 2  # nodes 0 and 1 are the human and its mesh; the joints follow


def _nodes(human: Human) -> list[dict[str, Any]]:
    roots = [_FIRST + i for i, joint in enumerate(human.joints) if joint.parent < 0]
    nodes: list[dict[str, Any]] = [
        {"name": "human", "children": [1, *roots], "extras": {EXTRAS: annotations_of(human)}},
        {"name": "body", "mesh": 0, "skin": 0},
    ]
    for i, joint in enumerate(human.joints):
        at = joint.position - (human.joints[joint.parent].position if joint.parent >= 0 else 0.0)
        node: dict[str, Any] = {"name": joint.name, "translation": to_gltf(at).tolist()}
        children = [_FIRST + k for k, other in enumerate(human.joints) if other.parent == i]
        if children:
            node["children"] = children
        nodes.append(node)
    return nodes


def _skin(human: Human, numbers: _Numbers) -> dict[str, Any]:
    inverse = np.tile(np.eye(4), (len(human.joints), 1, 1))
    inverse[:, :3, 3] = -to_gltf(human.rest)
    # glTF stores matrices by columns.
    accessor = numbers.add(inverse.transpose(0, 2, 1), "f4")
    root = next(i for i, joint in enumerate(human.joints) if joint.parent < 0)
    joints = [_FIRST + i for i in range(len(human.joints))]
    return {"inverseBindMatrices": accessor, "joints": joints, "skeleton": _FIRST + root}


def _primitives(human: Human, numbers: _Numbers) -> list[dict[str, Any]]:
    """One for each material, all on the same vertices."""
    mesh = human.mesh
    attributes = {
        "POSITION": numbers.add(to_gltf(mesh.vertices), "f4", _VERTICES, bounds=True),
        "NORMAL": numbers.add(to_gltf(mesh.normals), "f4", _VERTICES),
        "COLOR_0": numbers.add(mesh.colours, "f4", _VERTICES),
        "JOINTS_0": numbers.add(mesh.skin_joints, "u2", _VERTICES),
        "WEIGHTS_0": numbers.add(mesh.skin_weights, "f4", _VERTICES),
    }
    if mesh.uv is not None:
        attributes["TEXCOORD_0"] = numbers.add(mesh.uv, "f4", _VERTICES)
    primitives = []
    for m in range(len(mesh.materials)):
        chosen = mesh.triangles[mesh.material_of == m]
        if len(chosen):
            indices = numbers.add(chosen.reshape(-1), "u4", _INDICES)
            primitives.append({"attributes": attributes, "indices": indices, "material": m, "mode": 4})
    return primitives


def _materials(human: Human, numbers: _Numbers) -> dict[str, Any]:
    materials, textures, images = [], [], []
    for material in human.mesh.materials:
        surface: dict[str, Any] = {
            "baseColorFactor": list(material.colour),
            "metallicFactor": 0.0,
            "roughnessFactor": 0.85,
        }
        if material.image is not None:
            images.append({"bufferView": numbers.view(material.image), "mimeType": material.mime})
            textures.append({"source": len(images) - 1})
            surface["baseColorTexture"] = {"index": len(textures) - 1}
        materials.append({"name": material.name, "pbrMetallicRoughness": surface})
    found: dict[str, Any] = {"materials": materials}
    if images:
        found |= {"textures": textures, "images": images}
    return found


def annotations_of(human: Human) -> dict[str, Any]:
    """What an overlay must know, as plain numbers in the file's axes (y up). Joints go by name.

    A `twist` helper at share s of its bone turns about the bone, relative to the bone's own joint, by
    own * (s / o - 1) for s <= o and beyond * (s - o) / (1 - o) above, with o its `own_share`.
    """

    def axes(values: Any) -> Any:
        return to_gltf(values).tolist()

    return {
        "format": FORMAT,
        "name": human.name,
        "axes": "glTF: x left, y up, z forward; metres, radians",
        "arms": [
            {n: axes(getattr(arm, n)) for n in ("shoulder", "elbow", "wrist", "elbow_axis", "wrist_vector")}
            for arm in human.arms
        ],
        "hand_frames": [{n: axes(R[:, i]) for i, n in enumerate("xyz")} for R in human.hand_frames],
        "fingers": [
            [
                {
                    "digit": f.digit,
                    "group": f.group,
                    "joints": [human.joints[j].name for j in f.joints],
                    "axes": axes(f.axes),
                    "shares": list(f.shares),
                    "open_rad": f.open_rad,
                    "closed_rad": f.closed_rad,
                }
                for f in side
            ]
            for side in human.fingers
        ],
        "helpers": [
            {
                "joint": human.joints[h.joint].name,
                "kind": h.kind,
                "side": h.side,
                "bone": h.bone,
                "share": h.share,
                "own_share": OWN_SHARE[h.bone],
            }
            for h in human.helpers
        ],
        "notes": list(human.notes),
    }
