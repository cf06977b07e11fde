"""The skinned meshes of a glTF file as one mesh in the pose that the file shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.bodies.human.glb import Gltf, from_gltf
from elsewhere.bodies.human.mesh import Array, Integers, Material, vertex_normals
from elsewhere.errors import ModelError

_TRIANGLES = 4


@dataclass
class RawMesh:
    """Everything that is skinned, in Elsewhere's axes; joints are given as node numbers."""

    vertices: Array
    normals: Array
    triangles: Integers
    nodes: NDArray[np.int64]  # (n, k)
    weights: Array  # (n, k)
    colours: Array
    uv: Array | None
    materials: tuple[Material, ...]
    material_of: Integers
    skipped: list[str] = field(default_factory=list)


def joint_nodes(gltf: Gltf) -> list[int]:
    """Nodes that some skin names as joints, in its order but parents first."""
    listed = [int(node) for skin in gltf.items("skins") for node in skin.get("joints", [])]
    named, parents = set(listed), gltf.parents()
    ordered: dict[int, None] = {}
    for node in listed:
        chain = [node]
        while parents[chain[-1]] >= 0:
            chain.append(parents[chain[-1]])
        ordered.update(dict.fromkeys(n for n in reversed(chain) if n in named))
    return list(ordered)


def read_mesh(gltf: Gltf, world: Array) -> RawMesh:
    """Merge the primitives of all skinned nodes; each vertex is moved to where its joints are now.

    x = sum_k w_k World(joint_k) InverseBind_k v (glTF 2.0, 3.7.3.3), so files whose skeleton is posed or
    scaled above the mesh come out as they are seen.
    """
    parts, skipped = [], []
    for node in gltf.items("nodes"):
        if "mesh" not in node:
            continue
        if "skin" not in node:
            skipped.append(str(node.get("name", "mesh")))
            continue
        skin = gltf.items("skins")[node["skin"]]
        for primitive in gltf.items("meshes")[node["mesh"]]["primitives"]:
            if primitive.get("mode", _TRIANGLES) == _TRIANGLES and "JOINTS_0" in primitive["attributes"]:
                parts.append(_primitive(gltf, primitive, skin, world))
    if not parts:
        raise ModelError(
            "The model has no skin: no mesh of triangles follows a skeleton. "
            "Rig it (for example with Mixamo) and export it with its skin."
        )
    counts = np.cumsum([0, *(len(part["vertices"]) for part in parts)])
    width = max(part["nodes"].shape[1] for part in parts)
    materials = tuple(_material(gltf, item) for item in gltf.items("materials")) or (Material(),)
    has_uv = any(part["uv"] is not None for part in parts)

    def stack(name: str) -> Any:
        return np.concatenate([part[name] for part in parts])

    def padded(name: str) -> Any:
        return np.concatenate([np.pad(p[name], ((0, 0), (0, width - p[name].shape[1]))) for p in parts])

    uv = [part["uv"] if part["uv"] is not None else np.zeros((len(part["vertices"]), 2)) for part in parts]
    return RawMesh(
        stack("vertices"),
        stack("normals"),
        np.concatenate(
            [part["triangles"] + first for part, first in zip(parts, counts, strict=False)]
        ).astype(np.int32),
        padded("nodes"),
        padded("weights"),
        stack("colours"),
        np.concatenate(uv) if has_uv else None,
        materials,
        np.concatenate([np.full(len(part["triangles"]), part["material"]) for part in parts]).astype(
            np.int32
        ),
        skipped,
    )


def _primitive(gltf: Gltf, primitive: dict[str, Any], skin: dict[str, Any], world: Array) -> dict[str, Any]:
    attributes = primitive["attributes"]
    points = gltf.accessor(attributes["POSITION"]).astype(np.float64)
    count = len(points)
    sets = [k for k in range(2) if f"JOINTS_{k}" in attributes]
    local = np.hstack([gltf.accessor(attributes[f"JOINTS_{k}"]).astype(np.int64) for k in sets])
    weights = np.hstack([gltf.accessor(attributes[f"WEIGHTS_{k}"]).astype(np.float64) for k in sets])
    total = weights.sum(axis=1, keepdims=True)
    if (total <= 0.0).any():
        raise ModelError(
            f"{int((total <= 0).sum())} vertices of the scan follow no joint. Paint their weights."
        )
    weights = weights / total
    joints = np.array(skin["joints"], np.int64)
    if local.max(initial=0) >= len(joints):
        raise ModelError("The skin of the scan names a joint that does not exist. Export it again.")
    inverse = np.tile(np.eye(4), (len(joints), 1, 1))
    if "inverseBindMatrices" in skin:
        inverse = (
            gltf.accessor(skin["inverseBindMatrices"])
            .astype(np.float64)
            .reshape(-1, 4, 4)
            .transpose(0, 2, 1)
        )
    blend = np.einsum("nk,nkij->nij", weights, (world[joints] @ inverse)[local])
    posed = np.einsum("nij,nj->ni", blend[:, :3, :3], points) + blend[:, :3, 3]
    indices = (
        gltf.accessor(primitive["indices"]).reshape(-1) if "indices" in primitive else np.arange(count)
    )
    triangles = indices[: len(indices) // 3 * 3].reshape(-1, 3).astype(np.int64)
    colours = np.ones((count, 3))
    if "COLOR_0" in attributes:
        colours = gltf.accessor(attributes["COLOR_0"]).astype(np.float64)[:, :3]
    if "NORMAL" in attributes:
        # By cofactors, so that a stretch leaves them square to the surface.
        cofactors = np.linalg.det(blend[:, :3, :3])[:, None, None] * np.linalg.inv(
            blend[:, :3, :3]
        ).transpose(0, 2, 1)
        normals = np.einsum("nij,nj->ni", cofactors, gltf.accessor(attributes["NORMAL"]).astype(np.float64))
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    else:
        normals = vertex_normals(posed, triangles.astype(np.int32))
    uv = gltf.accessor(attributes["TEXCOORD_0"]).astype(np.float64) if "TEXCOORD_0" in attributes else None
    return {
        "vertices": from_gltf(posed), "normals": from_gltf(normals), "triangles": triangles,
        "nodes": joints[local], "weights": weights, "colours": colours, "uv": uv,
        "material": int(primitive.get("material", 0)),
    }  # fmt: skip


def _material(gltf: Gltf, item: dict[str, Any]) -> Material:
    surface = item.get("pbrMetallicRoughness", {})
    r, g, b, a = surface.get("baseColorFactor", (1.0, 1.0, 1.0, 1.0))
    image, mime = None, "image/png"
    if "baseColorTexture" in surface:
        texture = gltf.items("textures")[surface["baseColorTexture"]["index"]]
        source = gltf.items("images")[texture.get("source", 0)]
        mime = source.get(
            "mimeType", "image/jpeg" if str(source.get("uri", "")).lower().endswith("jpg") else mime
        )
        image = (
            gltf.view_bytes(source["bufferView"])
            if "bufferView" in source
            else gltf.resource(source["uri"])
        )
    return Material(
        str(item.get("name", "material")), (float(r), float(g), float(b), float(a)), image, mime
    )
