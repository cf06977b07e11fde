"""A robot's shape as a binary glTF file: one node for each link, for pages that draw the robot themselves.

The links stand side by side under one root, so that a page moves each by its pose in the base frame. glTF
has y up and we have z: the root alone turns the one into the other.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.body import Body
from elsewhere.world.tessellate import Triangles, tessellate

Colour = tuple[float, ...]
Z_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)
"""The quaternion (x, y, z, w, as glTF has it) that turns z up into y up."""
_FLOAT, _UINT = 5126, 5125
_VERTICES, _INDICES = 34962, 34963


def link_names(body: Body) -> list[str]:
    """The links that can be seen, in the order of the model: the nodes of `robot_glb`."""
    model = body.model
    seen = {int(model.geom_bodyid[geom]) for geom in tessellate(model).geoms}
    return [model.body(index).name for index in sorted(seen)]


def robot_glb(body: Body) -> bytes:
    """The robot at home as a .glb file."""
    model = body.model
    data = mujoco.MjData(model)
    body.go_home(model, data)
    mujoco.mj_kinematics(model, data)
    triangles = tessellate(model)
    file = _File()
    children = []
    for name in link_names(body):
        link = model.body(name).id
        primitives = [file.primitive(*part) for part in _parts(model, triangles, link)]
        w, x, y, z = data.xquat[link].tolist()
        children.append(
            file.node(name, file.mesh(name, primitives), data.xpos[link].tolist(), [x, y, z, w])
        )
    root = file.add("nodes", {"name": "robot", "rotation": list(Z_UP), "children": children})
    return file.packed(root)


def _parts(model: mujoco.MjModel, triangles: Triangles, link: int) -> Iterator[tuple[Any, ...]]:
    """The shapes of a link by their paint: points, normals, texture coordinates, faces, paint."""
    by_paint: dict[tuple[int, Colour], list[tuple[NDArray[Any], ...]]] = {}
    for k, geom in enumerate(triangles.geoms):
        if int(model.geom_bodyid[geom]) != link:
            continue
        points = slice(triangles.first_point[k], triangles.first_point[k + 1])
        faces = slice(triangles.first_face[k], triangles.first_face[k + 1])
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.geom_quat[geom])
        turn = R.reshape(3, 3).T
        paint = _paint(model, int(geom))
        by_paint.setdefault(paint, []).append(
            (
                triangles.points[points] @ turn + model.geom_pos[geom],
                triangles.normals[points] @ turn,
                triangles.uv[points],
                triangles.faces[faces] - triangles.first_point[k],
            )
        )
    for (texture, colour), shapes in by_paint.items():
        starts = np.cumsum([0, *(len(shape[0]) for shape in shapes)])
        corners = [shape[3] + start for shape, start in zip(shapes, starts, strict=False)]
        picture = _picture(model, texture) if texture >= 0 else None
        stacked = [np.concatenate([shape[i] for shape in shapes]) for i in range(3)]
        yield *stacked, np.concatenate(corners), colour, picture


def _paint(model: mujoco.MjModel, geom: int) -> tuple[int, Colour]:
    """Texture (-1: none) and colour of a geom."""
    material = int(model.geom_matid[geom])
    if material < 0:
        return -1, tuple(round(float(x), 4) for x in model.geom_rgba[geom])
    texture = int(model.mat_texid[material, int(mujoco.mjtTextureRole.mjTEXROLE_RGB)])
    return texture, tuple(round(float(x), 4) for x in model.mat_rgba[material])


def _picture(model: mujoco.MjModel, texture: int) -> NDArray[np.uint8]:
    start, channels = int(model.tex_adr[texture]), int(model.tex_nchannel[texture])
    height, width = int(model.tex_height[texture]), int(model.tex_width[texture])
    data = model.tex_data[start : start + height * width * channels]
    return np.asarray(data, np.uint8).reshape(height, width, channels)


class _File:
    """The tables of a glTF file and its one buffer."""

    def __init__(self) -> None:
        self.tables: dict[str, list[Any]] = {}
        self.buffer = bytearray()
        self._paints: dict[tuple[Colour, bool], int] = {}

    def add(self, table: str, entry: dict[str, Any]) -> int:
        rows = self.tables.setdefault(table, [])
        rows.append(entry)
        return len(rows) - 1

    def view(self, data: bytes, target: int | None = None) -> int:
        self.buffer += bytes(-len(self.buffer) % 4)
        entry = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)}
        self.buffer += data
        return self.add("bufferViews", entry if target is None else {**entry, "target": target})

    def accessor(self, values: NDArray[Any], kind: str, component: int, target: int) -> int:
        entry: dict[str, Any] = {
            "bufferView": self.view(values.tobytes(), target),
            "componentType": component,
            "count": len(values),
            "type": kind,
        }
        if kind == "VEC3":
            entry |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        return self.add("accessors", entry)

    def primitive(
        self,
        points: NDArray[Any],
        normals: NDArray[Any],
        uv: NDArray[Any],
        faces: NDArray[Any],
        colour: Colour,
        picture: NDArray[np.uint8] | None,
    ) -> dict[str, Any]:
        attributes = {
            "POSITION": self.accessor(points.astype(np.float32), "VEC3", _FLOAT, _VERTICES),
            "NORMAL": self.accessor(normals.astype(np.float32), "VEC3", _FLOAT, _VERTICES),
        }
        if picture is not None:
            attributes["TEXCOORD_0"] = self.accessor(uv.astype(np.float32), "VEC2", _FLOAT, _VERTICES)
        indices = self.accessor(faces.astype(np.uint32).reshape(-1), "SCALAR", _UINT, _INDICES)
        return {"attributes": attributes, "indices": indices, "material": self.paint(colour, picture)}

    def paint(self, colour: Colour, picture: NDArray[np.uint8] | None) -> int:
        key = (colour, picture is not None)
        if key not in self._paints:
            look: dict[str, Any] = {
                "baseColorFactor": [*_linear(colour[:3]), colour[3]],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.55,
            }
            if picture is not None:
                image = self.add(
                    "images", {"bufferView": self.view(_png(picture)), "mimeType": "image/png"}
                )
                sampler = self.add("samplers", {"magFilter": 9728, "minFilter": 9987})
                look["baseColorTexture"] = {
                    "index": self.add("textures", {"source": image, "sampler": sampler})
                }
            self._paints[key] = self.add("materials", {"pbrMetallicRoughness": look})
        return self._paints[key]

    def mesh(self, name: str, primitives: list[dict[str, Any]]) -> int:
        return self.add("meshes", {"name": name, "primitives": primitives})

    def node(self, name: str, mesh: int, position: list[float], rotation: list[float]) -> int:
        return self.add(
            "nodes", {"name": name, "mesh": mesh, "translation": position, "rotation": rotation}
        )

    def packed(self, root: int) -> bytes:
        self.buffer += bytes(-len(self.buffer) % 4)
        text = json.dumps(
            {
                "asset": {"version": "2.0", "generator": "elsewhere"},
                "scene": 0,
                "scenes": [{"nodes": [root]}],
                "buffers": [{"byteLength": len(self.buffer)}],
                **self.tables,
            }
        ).encode()
        text += b" " * (-len(text) % 4)
        size = 12 + 8 + len(text) + 8 + len(self.buffer)
        return b"".join(
            (
                struct.pack("<III", 0x46546C67, 2, size),
                struct.pack("<II", len(text), 0x4E4F534A),
                text,
                struct.pack("<II", len(self.buffer), 0x004E4942),
                bytes(self.buffer),
            )
        )


def _linear(colour: Colour) -> list[float]:
    """glTF colours are linear, ours are as shown (sRGB)."""
    return [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in colour]


def _png(picture: NDArray[np.uint8]) -> bytes:
    import cv2  # here, since only a robot with a texture needs it

    _, data = cv2.imencode(".png", np.ascontiguousarray(picture[:, :, ::-1]))
    return bytes(data)
