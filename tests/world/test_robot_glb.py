"""The robot as a glTF file: every visible link, in its own frame, with y up at the root alone."""

from __future__ import annotations

import json
import struct

import cv2
import mujoco
import numpy as np
import pytest

from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.bodies.marker import picture
from elsewhere.rig import load_rig
from elsewhere.world.robot_glb import link_names, robot_glb
from elsewhere.world.tessellate import tessellate


@pytest.fixture(scope="module")
def yumi() -> Body:
    return compose(load_rig("overlay"))


@pytest.fixture(scope="module")
def file(yumi) -> tuple[dict, bytes]:
    data = robot_glb(yumi)
    magic, version, size = struct.unpack_from("<III", data)
    assert (magic, version, size) == (0x46546C67, 2, len(data))
    length, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A
    return json.loads(data[20 : 20 + length]), data[20 + length + 8 :]


def values(file, index) -> np.ndarray:
    tables, buffer = file
    entry = tables["accessors"][index]
    view = tables["bufferViews"][entry["bufferView"]]
    kind = {5126: np.float32, 5125: np.uint32}[entry["componentType"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[entry["type"]]
    assert view["byteOffset"] % 4 == 0
    data = np.frombuffer(buffer, kind, entry["count"] * width, view["byteOffset"])
    return data.reshape(-1, width)


def test_one_node_for_each_link(yumi, file):
    nodes = file[0]["nodes"]
    assert [node["name"] for node in nodes[:-1]] == link_names(yumi)
    root = nodes[-1]
    assert root["children"] == list(range(len(nodes) - 1))
    x, y, z, w = root["rotation"]
    up = np.zeros(3)
    mujoco.mju_rotVecQuat(up, np.array([0.0, 0.0, 1.0]), np.array([w, x, y, z]))
    assert np.allclose(up, [0.0, 1.0, 0.0], atol=1e-12)


def test_links_put_where_their_nodes_say_are_the_robot_at_home(yumi, file):
    model = yumi.model
    data = mujoco.MjData(model)
    yumi.go_home(model, data)
    mujoco.mj_kinematics(model, data)
    triangles = tessellate(model)
    wanted = np.concatenate(
        [
            triangles.points[triangles.first_point[k] : triangles.first_point[k + 1]]
            @ data.geom_xmat[geom].reshape(3, 3).T
            + data.geom_xpos[geom]
            for k, geom in enumerate(triangles.geoms)
        ]
    )
    found = []
    for node in file[0]["nodes"][:-1]:
        x, y, z, w = node["rotation"]
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, np.array([w, x, y, z]))
        for part in file[0]["meshes"][node["mesh"]]["primitives"]:
            points = values(file, part["attributes"]["POSITION"])
            assert values(file, part["indices"]).max() < len(points)
            normals = values(file, part["attributes"]["NORMAL"])
            assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-3)
            found.append(points @ R.reshape(3, 3).T + node["translation"])
    found = np.concatenate(found)
    assert len(found) == len(wanted)
    order, other = (np.lexsort(np.round(points, 4).T) for points in (found, wanted))
    assert np.allclose(np.sort(found, axis=0), np.sort(wanted, axis=0), atol=1e-5)
    assert np.allclose(found[order], wanted[other], atol=2e-4)


def test_the_marker_keeps_its_picture(yumi, file):
    tables, buffer = file
    (image,) = tables["images"]
    view = tables["bufferViews"][image["bufferView"]]
    data = np.frombuffer(buffer, np.uint8, view["byteLength"], view["byteOffset"])
    assert (cv2.imdecode(data, cv2.IMREAD_COLOR) == picture()).all()
