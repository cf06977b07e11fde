"""The binary form of glTF 2.0: a header, one chunk of JSON and one of numbers.

Specification: Khronos, glTF 2.0, sections 3.6 (accessors) and 4 (GLB). glTF is y up and z forward with
x to the left; Elsewhere is z up and x forward with y to the left. `from_gltf` and `to_gltf` change one
into the other, at the edge and nowhere else.
"""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.bodies.human.mesh import Array
from elsewhere.errors import ModelError

MAGIC, VERSION, JSON_CHUNK, BIN_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
COMPONENTS = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
COMPRESSED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_mesh_quantization")

_TO_GLTF = [1, 2, 0]
_FROM_GLTF = [2, 0, 1]


def to_gltf(points: ArrayLike) -> Array:
    """(x, y, z) of Elsewhere as (y, z, x) of glTF, on the last axis. A rotation: nothing is mirrored."""
    return np.asarray(points, np.float64)[..., _TO_GLTF]


def from_gltf(points: ArrayLike) -> Array:
    """The inverse of `to_gltf`."""
    return np.asarray(points, np.float64)[..., _FROM_GLTF]


def pack(document: dict[str, Any], numbers: bytes) -> bytes:
    """A GLB file."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    numbers += b"\0" * (-len(numbers) % 4)
    body = (
        struct.pack("<II", len(text), JSON_CHUNK)
        + text
        + struct.pack("<II", len(numbers), BIN_CHUNK)
        + numbers
    )
    return struct.pack("<III", MAGIC, VERSION, 12 + len(body)) + body


class Gltf:
    """A glTF file that was read: its JSON, and its accessors as arrays."""

    def __init__(self, document: dict[str, Any], binary: bytes, folder: Path) -> None:
        self.json, self._binary, self._folder = document, binary, folder
        needed = [name for name in document.get("extensionsRequired", []) if name in COMPRESSED]
        if needed:
            raise ModelError(
                f"The model is compressed ({', '.join(needed)}). Export it without compression."
            )

    def items(self, name: str) -> list[dict[str, Any]]:
        """A top-level array, empty where it is missing."""
        return list(self.json.get(name, []))

    def accessor(self, index: int) -> NDArray[Any]:
        """Numbers of an accessor (count, width); normalised integers become 0..1 or -1..1."""
        try:
            item = self.json["accessors"][index]
            if "sparse" in item:
                raise ModelError("The model has sparse accessors. Export it without them.")
            width = WIDTHS[item["type"]]
            kind = np.dtype("<" + COMPONENTS[item["componentType"]])
            count = int(item["count"])
            if "bufferView" not in item:
                return np.zeros((count, width))
            view = self.json["bufferViews"][item["bufferView"]]
            data = self.buffer(view["buffer"])
            start = view.get("byteOffset", 0) + item.get("byteOffset", 0)
            stride = view.get("byteStride", width * kind.itemsize)
            rows = np.ndarray((count, width), kind, data, start, (stride, kind.itemsize))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ModelError(
                f"The model's accessor {index} cannot be read ({error}). Export it again."
            ) from None
        if item.get("normalized") and kind.kind in "iu":
            return np.maximum(rows / float(np.iinfo(kind).max), -1.0)
        return rows.copy()

    def view_bytes(self, index: int) -> bytes:
        """The bytes of a buffer view: a picture, for example."""
        view = self.json["bufferViews"][index]
        start = view.get("byteOffset", 0)
        return self.buffer(view["buffer"])[start : start + view["byteLength"]]

    def buffer(self, index: int) -> bytes:
        """A whole buffer: the GLB's own, embedded as base64, or in a file beside."""
        uri = self.json["buffers"][index].get("uri")
        return self._binary if uri is None else self.resource(uri)

    def resource(self, uri: str) -> bytes:
        """What a URI holds: embedded data, or a file in the model's folder."""
        if uri.startswith("data:"):
            return base64.b64decode(uri.partition(",")[2])
        path = (self._folder / uri).resolve()
        if not path.is_relative_to(self._folder.resolve()) or not path.is_file():
            raise ModelError(
                f"The model refers to '{uri}', which is not in its folder. Export it as one .glb."
            )
        return path.read_bytes()

    def world_matrices(self) -> Array:
        """World transform (nodes, 4, 4) of every node, in glTF's axes."""
        nodes = self.items("nodes")
        local = np.stack([_local(node) for node in nodes]) if nodes else np.zeros((0, 4, 4))
        parents = self.parents()
        world = np.empty_like(local)
        done = np.zeros(len(nodes), bool)
        for i in range(len(nodes)):
            chain = [i]
            while parents[chain[-1]] >= 0 and not done[chain[-1]]:
                chain.append(parents[chain[-1]])
                if len(chain) > len(nodes):
                    raise ModelError("The nodes of the model are their own ancestors. Export it again.")
            for n in reversed(chain):
                if not done[n]:
                    world[n] = local[n] if parents[n] < 0 else world[parents[n]] @ local[n]
                    done[n] = True
        return world

    def parents(self) -> list[int]:
        """Parent of every node, -1 for a root."""
        parents = [-1] * len(self.items("nodes"))
        for i, node in enumerate(self.items("nodes")):
            for child in node.get("children", []):
                parents[child] = i
        return parents


def _local(node: dict[str, Any]) -> Array:
    """A node's own transform: a matrix (by columns), or translation, rotation (x, y, z, w) and scale."""
    if "matrix" in node:
        return np.array(node["matrix"], np.float64).reshape(4, 4).T
    matrix = np.eye(4)
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= np.array(node.get("scale", (1.0, 1.0, 1.0)))
    matrix[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return matrix


def read_gltf(path: Path) -> Gltf:
    """Read a .glb or .gltf file."""
    if not path.is_file():
        raise ModelError(f"There is no file '{path}'. Give a rigged scan as .glb or .gltf.")
    data = path.read_bytes()
    try:
        if data[:4] != struct.pack("<I", MAGIC):
            return Gltf(json.loads(data), b"", path.parent)
        version, length = struct.unpack_from("<II", data, 4)
        if version != VERSION or length > len(data):
            raise ModelError(f"'{path.name}' is glTF {version} or cut short. Export it as glTF 2.0 (.glb).")
        place, document, binary = 12, None, b""
        while place + 8 <= length:
            size, kind = struct.unpack_from("<II", data, place)
            chunk = data[place + 8 : place + 8 + size]
            if kind == JSON_CHUNK:
                document = json.loads(chunk)
            elif kind == BIN_CHUNK:
                binary = chunk
            place += 8 + size
    except (ValueError, UnicodeDecodeError, struct.error):
        raise ModelError(f"'{path.name}' is no glTF file. Give a rigged scan as .glb or .gltf.") from None
    if not isinstance(document, dict):
        raise ModelError(f"'{path.name}' holds no scene. Export it again as .glb.")
    return Gltf(document, binary, path.parent)
