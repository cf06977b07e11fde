"""A robot and a human made of boxes, as glTF files: small shapes for tests of the overlay page.

glTF has y up and z forward; ours are z up and x forward, so a point (x, y, z) is written (y, z, x). The
links of the robot keep their own frames, which their nodes place.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

SHOULDER, ELBOW, WRIST = 0.18, 0.46, 0.71
"""Places of the left arm's joints along y in the T-pose [m], at HEIGHT."""
HEIGHT = 1.40
UP = np.array([0.0, 0.0, 1.0])
FINGERS = ("thumb", "index", "middle", "ring", "little")
_CORNERS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)
_FACES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip


def human_joints() -> list[tuple[str, int, Points]]:
    """Name, parent and rest place of every joint, in the model's frame."""
    joints: list[tuple[str, int, Points]] = []

    def add(name: str, parent: str, place: Sequence[float]) -> None:
        above = next((i for i, joint in enumerate(joints) if joint[0] == parent), -1)
        joints.append((name, above, np.array(place)))

    add("hips", "", (0.0, 0.0, 0.90))
    add("spine", "hips", (0.0, 0.0, 1.05))
    add("chest", "spine", (0.0, 0.0, 1.25))
    add("neck", "chest", (0.0, 0.0, 1.48))
    add("head", "neck", (0.0, 0.0, 1.55))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        add(f"{side}_shoulder", "chest", (0.0, 0.05 * sign, HEIGHT))
        add(f"{side}_upper_arm", f"{side}_shoulder", (0.0, SHOULDER * sign, HEIGHT))
        add(f"{side}_forearm", f"{side}_upper_arm", (0.0, ELBOW * sign, HEIGHT))
        add(f"{side}_hand", f"{side}_forearm", (0.0, WRIST * sign, HEIGHT))
        for index, finger in enumerate(FINGERS):
            before = f"{side}_hand"
            for k in (1, 2, 3):
                reach = WRIST + (0.03 if finger == "thumb" else 0.08) + 0.03 * (k - 1)
                name = f"{side}_{finger}_{k}"
                add(name, before, (0.05 - 0.02 * index, reach * sign, HEIGHT))
                before = name
        add(f"{side}_thigh", "hips", (0.0, 0.09 * sign, 0.88))
        add(f"{side}_shin", f"{side}_thigh", (0.0, 0.09 * sign, 0.48))
        add(f"{side}_foot", f"{side}_shin", (0.0, 0.09 * sign, 0.08))
    return joints


def human_glb() -> bytes:
    """The human in its T-pose: one skinned box a joint, from the joint to its first child."""
    joints = human_joints()
    file = _File()
    nodes: list[dict[str, Any]] = []
    for name, parent, place in joints:
        above = joints[parent][2] if parent >= 0 else np.zeros(3)
        nodes.append({"name": name, "translation": _gltf(place - above).tolist(), "children": []})
        if parent >= 0:
            nodes[parent]["children"].append(len(nodes) - 1)
    vertices, faces, owners = [], [], []
    for index, (name, _, place) in enumerate(joints):
        child = next((p for _, above, p in joints if above == index), None)
        low, high = _limb(name, place, child)
        vertices.append((low + high) / 2 + _CORNERS * (high - low) / 2)
        faces.append(_FACES + 8 * index)
        owners += [index] * 8
    triangles = np.concatenate(faces)
    owner = np.zeros((triangles.size, 4), np.uint16)
    owner[:, 0] = np.array(owners)[triangles.reshape(-1)]
    weights = np.zeros((triangles.size, 4), np.float32)
    weights[:, 0] = 1.0
    inverses = np.tile(np.eye(4, dtype=np.float32), (len(joints), 1, 1))
    for index, (_, _, place) in enumerate(joints):
        inverses[index, 3, :3] = -_gltf(place)  # column by column, as glTF stores matrices
    primitive = file.mesh(_gltf(np.concatenate(vertices)), triangles, [0.80, 0.60, 0.48, 1.0])
    primitive["attributes"]["JOINTS_0"] = file.add(owner, "VEC4")
    primitive["attributes"]["WEIGHTS_0"] = file.add(weights, "VEC4")
    nodes[0]["extras"] = {"elsewhere_human": {"fingers": [_hinges("left", 1.0), _hinges("right", -1.0)]}}
    nodes.append({"name": "skin", "mesh": 0, "skin": 0})
    skin = {"joints": list(range(len(joints))), "inverseBindMatrices": file.add(inverses, "MAT4")}
    document = {"nodes": nodes, "meshes": [{"primitives": [primitive]}], "skins": [skin]}
    return file.write(document, roots=[0, len(nodes) - 1])


def _hinges(side: str, sign: float) -> list[dict[str, Any]]:
    """The fingers of one hand, as the file of a real human tells of them."""
    found = []
    for finger in FINGERS:
        axis = np.array([0.0, 0.0, sign]) if finger == "thumb" else np.array([-sign, 0.0, 0.0])
        joints = [f"{side}_{finger}_{k}" for k in (1, 2, 3)]
        group = {"thumb": 0, "index": 1}.get(finger, 2)
        axes = [_gltf(axis).tolist()] * 3
        shares = [1 / 3] * 3
        found.append({"digit": finger, "group": group, "joints": joints, "axes": axes, "shares": shares})
    return found


def _limb(name: str, place: Points, child: Points | None) -> tuple[Points, Points]:
    """Two opposite corners of the box of a joint."""
    thick = 0.008 if any(finger in name for finger in FINGERS) else 0.045
    if name in ("hips", "spine", "chest"):
        thick = 0.13
    end = place + UP * 0.02 if child is None else child
    if name == "head":
        end, thick = place + UP * 0.15, 0.09
    return np.minimum(place, end) - thick, np.maximum(place, end) + thick


def robot_glb(links: dict[str, tuple[Points, Points]]) -> bytes:
    """Boxes in the frames of the links, each given by two opposite corners."""
    file = _File()
    nodes, meshes = [], []
    for index, (name, (low, high)) in enumerate(links.items()):
        vertices = (low + high) / 2 + _CORNERS * (high - low) / 2
        meshes.append({"primitives": [file.mesh(vertices, _FACES, [0.86, 0.87, 0.9, 1.0])]})
        nodes.append({"name": name, "mesh": index})
    return file.write({"nodes": nodes, "meshes": meshes}, roots=list(range(len(nodes))))


def _gltf(points: Points) -> Points:
    """Our axes as those of glTF."""
    return np.asarray(points)[..., [1, 2, 0]]


class _File:
    """The parts of one binary glTF file."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._materials: list[dict[str, Any]] = []

    def add(self, values: NDArray[Any], kind: str) -> int:
        """Store an array; its number."""
        component = {"float32": 5126, "uint16": 5123, "uint32": 5125}[values.dtype.name]
        rows = values.reshape(len(values), -1)
        self._views.append({"buffer": 0, "byteOffset": len(self._bytes), "byteLength": int(values.nbytes)})
        self._bytes += values.tobytes()
        self._accessors.append(
            {
                "bufferView": len(self._views) - 1,
                "componentType": component,
                "count": len(rows),
                "type": kind,
                "min": [float(x) for x in rows.min(axis=0)],
                "max": [float(x) for x in rows.max(axis=0)],
            }
        )
        return len(self._accessors) - 1

    def mesh(self, vertices: Points, faces: NDArray[Any], colour: list[float]) -> dict[str, Any]:
        """A primitive with flat faces: every face has its own corners."""
        corners = vertices[faces.reshape(-1)]
        edges = corners.reshape(-1, 3, 3)
        normals = np.cross(edges[:, 1] - edges[:, 0], edges[:, 2] - edges[:, 0])
        normals = np.repeat(normals / np.linalg.norm(normals, axis=1, keepdims=True), 3, axis=0)
        material = {"baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.7}
        self._materials.append({"pbrMetallicRoughness": material, "doubleSided": True})
        return {
            "attributes": {
                "POSITION": self.add(corners.astype(np.float32), "VEC3"),
                "NORMAL": self.add(normals.astype(np.float32), "VEC3"),
            },
            "material": len(self._materials) - 1,
        }

    def write(self, document: dict[str, Any], roots: list[int]) -> bytes:
        """The whole file."""
        for node in document["nodes"]:
            if node.get("children") == []:
                del node["children"]
        data = bytes(self._bytes) + b"\0" * (-len(self._bytes) % 4)
        document |= {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": roots}],
            "buffers": [{"byteLength": len(data)}],
            "bufferViews": self._views,
            "accessors": self._accessors,
            "materials": self._materials,
        }
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
        chunks += struct.pack("<II", len(data), 0x004E4942) + data
        return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks
