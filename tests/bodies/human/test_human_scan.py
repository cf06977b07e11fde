"""glTF out and in: round trip, the naming styles, and a message for every kind of bad scan."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from elsewhere.bodies.human.bone_names import joint_for, recognise, split, twist_bone
from elsewhere.bodies.human.glb import from_gltf, pack, read_gltf, to_gltf
from elsewhere.bodies.human.gltf import EXTRAS, to_glb, write_glb
from elsewhere.bodies.human.human import DIGITS, SIDES, Human
from elsewhere.bodies.human.load import load_human
from elsewhere.bodies.human.make import make_human
from elsewhere.bodies.human.scan import import_scan
from elsewhere.bodies.human.skin import skinned
from elsewhere.errors import ModelError


@pytest.fixture(scope="module")
def human() -> Human:
    return make_human(1.7)


@pytest.fixture(scope="module")
def glb(human) -> bytes:
    return to_glb(human)


def parts(data: bytes) -> tuple[dict, bytes]:
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[20 + size + 8 :]


def changed(data: bytes, path: Path, change) -> Path:
    """The file with its JSON changed."""
    document, numbers = parts(data)
    change(document)
    path.write_bytes(pack(document, numbers))
    return path


def node(document: dict, name: str) -> dict:
    return next(n for n in document["nodes"] if n.get("name") == name)


def bare(document: dict) -> None:
    """Without our annotations: as somebody else's file."""
    del document["nodes"][0]["extras"]


def dense(human: Human) -> np.ndarray:
    table = np.zeros((len(human.mesh.vertices), len(human.joints)))
    np.add.at(table, (np.arange(len(table))[:, None], human.mesh.skin_joints), human.mesh.skin_weights)
    return table


def same(a: Human, b: Human) -> None:
    assert [(j.name, j.parent) for j in a.joints] == [(j.name, j.parent) for j in b.joints]
    np.testing.assert_allclose(a.rest, b.rest, atol=1e-6)
    np.testing.assert_allclose(dense(a), dense(b), atol=1e-6)
    for field in ("vertices", "normals", "colours"):
        np.testing.assert_allclose(getattr(a.mesh, field), getattr(b.mesh, field), atol=1e-6)
    np.testing.assert_array_equal(a.mesh.triangles, b.mesh.triangles)
    for one, other in zip(a.arms, b.arms, strict=True):
        for field in ("shoulder", "elbow", "wrist", "elbow_axis", "wrist_vector"):
            np.testing.assert_allclose(getattr(one, field), getattr(other, field), atol=1e-6)
    np.testing.assert_allclose(a.hand_frames, b.hand_frames, atol=1e-6)
    assert a.helpers == b.helpers
    for mine, theirs in zip(a.fingers, b.fingers, strict=True):
        assert [(f.digit, f.joints, f.shares, f.closed_rad) for f in mine] == [
            (f.digit, f.joints, f.shares, f.closed_rad) for f in theirs
        ]
        np.testing.assert_allclose([f.axes for f in mine], [f.axes for f in theirs], atol=1e-6)


def test_axes_are_changed_by_a_rotation():
    R = np.stack([to_gltf(e) for e in np.eye(3)], axis=1)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_array_equal(to_gltf([1, 0, 0]), [0, 0, 1])  # forward is +z
    np.testing.assert_array_equal(to_gltf([0, 0, 1]), [0, 1, 0])  # up is +y
    np.testing.assert_array_equal(from_gltf(to_gltf([1, 2, 3])), [1, 2, 3])


def test_the_file_is_valid_as_far_as_the_header_and_accessors_go(glb):
    magic, version, length = struct.unpack_from("<4sII", glb)
    assert (magic, version, length) == (b"glTF", 2, len(glb))
    document, numbers = parts(glb)
    assert document["buffers"][0]["byteLength"] <= len(numbers)
    for view in document["bufferViews"]:
        assert view["byteOffset"] % 4 == 0
        assert view["byteOffset"] + view["byteLength"] <= len(numbers)
    position = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    assert position["min"][1] == pytest.approx(0.0, abs=1e-6)  # y is up
    assert position["max"][1] > 1.7
    children = [child for n in document["nodes"] for child in n.get("children", [])]
    assert sorted(children) == list(range(1, len(document["nodes"])))


def test_round_trip(human, tmp_path):
    same(human, load_human(write_glb(human, tmp_path / "a" / "human.glb")))


def test_a_foreign_file_round_trips_with_its_annotations(glb, tmp_path):
    scan = import_scan(changed(glb, tmp_path / "foreign.glb", bare))
    again = load_human(write_glb(scan.human, tmp_path / "annotated.glb"))
    same(scan.human, again)
    assert again.notes == scan.human.notes


def mixamo(name: str, prefix: str = "mixamorig:") -> str:
    words = {
        "hips": "Hips",
        "spine": "Spine",
        "chest": "Spine2",
        "neck": "Neck",
        "head": "Head",
        "shoulder": "Shoulder",
        "upper_arm": "Arm",
        "forearm": "ForeArm",
        "hand": "Hand",
        "thigh": "UpLeg",
        "shin": "Leg",
        "foot": "Foot",
    }
    side, rest = name.split("_", 1) if name.startswith(SIDES) else ("", name)
    digit = rest.rsplit("_", 1)
    if digit[0] in DIGITS:
        word = {"little": "Pinky"}.get(digit[0], digit[0].capitalize())
        return f"{prefix}{side.capitalize()}Hand{word}{digit[1]}"
    return prefix + side.capitalize() + words[rest]


def ready_player_me(name: str) -> str:
    return mixamo(name, "")


def vrm(name: str) -> str:
    words = {"upper_arm": "UpperArm", "forearm": "LowerArm", "thigh": "UpperLeg", "shin": "LowerLeg"}
    side, rest = name.split("_", 1) if name.startswith(SIDES) else ("C", name)
    return f"J_Bip_{side[0].upper()}_{words.get(rest, rest.replace('_', '').capitalize())}"


def rigify(name: str) -> str:
    middle = {
        "hips": "spine",
        "spine": "spine.001",
        "chest": "spine.003",
        "neck": "spine.004",
        "head": "spine.006",
    }
    if name in middle:
        return "DEF-" + middle[name]
    side, rest = name.split("_", 1)
    digit = rest.rsplit("_", 1)
    if digit[0] in DIGITS:
        word = {"thumb": "thumb", "little": "f_pinky"}.get(digit[0], f"f_{digit[0]}")
        rest = f"{word}.0{digit[1]}"
    return f"DEF-{rest}.{side[0].upper()}"


def unreal(name: str) -> str:
    words = {
        "hips": "pelvis",
        "spine": "spine_01",
        "chest": "spine_03",
        "neck": "neck_01",
        "shoulder": "clavicle",
        "upper_arm": "upperarm",
        "forearm": "lowerarm",
        "shin": "calf",
    }
    side, rest = name.split("_", 1) if name.startswith(SIDES) else ("", name)
    digit = rest.rsplit("_", 1)
    if digit[0] in DIGITS:
        rest = f"{digit[0].replace('little', 'pinky')}_0{digit[1]}"
    return words.get(rest, rest) + (f"_{side[0]}" if side else "")


@pytest.mark.parametrize("style", [mixamo, ready_player_me, vrm, rigify, unreal])
def test_every_naming_style_is_recognised(human, glb, tmp_path, style):
    helpers = {human.joints[h.joint].name for h in human.helpers}

    def rename(document: dict) -> None:
        bare(document)
        for n in document["nodes"][2:]:
            # Our helpers would be a stranger's twist bones; call them something else.
            n["name"] = f"extra_{n['name'][::-1]}" if n["name"] in helpers else style(n["name"])

    scan = import_scan(changed(glb, tmp_path / "renamed.glb", rename))
    for joint in human.joints:
        if joint.name in helpers:
            continue
        assert scan.bones[joint.name] == style(joint.name)
        np.testing.assert_allclose(scan.human.rest[scan.human.joint(joint.name)], joint.position, atol=1e-6)
    for mine, theirs in zip(human.arms, scan.human.arms, strict=True):
        np.testing.assert_allclose(theirs.elbow_axis, mine.elbow_axis, atol=1e-6)
        np.testing.assert_allclose(theirs.wrist_vector, mine.wrist_vector, atol=0.03)
    np.testing.assert_allclose(scan.human.hand_frames, human.hand_frames, atol=0.03)
    assert any("T-pose" in note for note in scan.notes)


def test_a_whole_rigify_spine_is_told_apart_by_its_numbers():
    names = ["spine", *(f"spine.00{k}" for k in range(1, 7)), "upper_arm.L"]
    found = {ours: names[i] for ours, i in recognise(names).items()}
    assert found == {
        "hips": "spine",
        "spine": "spine.001",
        "chest": "spine.003",
        "neck": "spine.004",
        "head": "spine.006",
        "left_upper_arm": "upper_arm.L",
    }


def test_words_of_bone_names():
    assert split("mixamorig:LeftForeArm") == ("left", "forearm")
    assert split("J_Bip_R_UpperArm") == ("right", "upperarm")
    assert joint_for("mixamorigRightHandPinky2") == "right_little_2"
    assert joint_for("LeftHandThumb4") is None
    assert joint_for("hair_01") is None
    assert twist_bone("lowerarm_twist_01_l") == ("left", "forearm")
    assert twist_bone("RightArmTwist") == ("right", "upper_arm")
    assert twist_bone("lowerarm_l") is None


def test_a_stranger_s_own_twist_bones_are_used(human, glb, tmp_path):
    scan = import_scan(changed(glb, tmp_path / "twists.glb", bare))
    shares = {(h.side, h.bone, round(h.share, 3)) for h in scan.human.helpers if h.kind == "twist"}
    assert shares == {(h.side, h.bone, round(h.share, 3)) for h in human.helpers if h.kind == "twist"}
    assert len(scan.human.joints) == len(human.joints)


def test_helpers_are_added_where_a_file_has_none(human, glb, tmp_path):
    def rename(document: dict) -> None:
        bare(document)
        for k, n in enumerate(document["nodes"][2:]):
            if "twist" in n["name"] or n["name"].endswith("_elbow"):
                n["name"] = f"thing{k}"

    scan = import_scan(changed(glb, tmp_path / "plain.glb", rename)).human
    assert len(scan.joints) == len(human.joints) + len(human.helpers)
    np.testing.assert_allclose(scan.mesh.skin_weights.sum(axis=1), 1.0)
    rest = np.tile(np.eye(4), (len(scan.joints), 1, 1))
    np.testing.assert_allclose(skinned(scan, rest)[0], human.mesh.vertices, atol=1e-6)


def test_turned_scaled_and_shifted_files_come_out_upright_in_metres(human, glb, tmp_path):
    def move(document: dict) -> None:
        bare(document)
        # Centimetres, facing -x of glTF, standing somewhere else.
        root = document["nodes"][0]
        root["scale"] = [100.0, 100.0, 100.0]
        root["rotation"] = [0.0, float(np.sin(-np.pi / 4)), 0.0, float(np.cos(np.pi / 4))]
        root["translation"] = [120.0, 30.0, -40.0]

    scan = import_scan(changed(glb, tmp_path / "moved.glb", move))
    np.testing.assert_allclose(scan.human.rest, human.rest, atol=1e-5)
    np.testing.assert_allclose(scan.human.mesh.vertices, human.mesh.vertices, atol=1e-5)
    np.testing.assert_allclose(scan.human.mesh.normals, human.mesh.normals, atol=1e-5)
    assert any("cm" in note for note in scan.notes)


def a_pose(degrees: float):
    def lower(document: dict) -> None:
        bare(document)
        for side, sign in (("left", -1.0), ("right", 1.0)):
            half = 0.5 * np.radians(sign * degrees)  # about glTF's z, which is forward
            node(document, f"{side}_upper_arm")["rotation"] = [
                0,
                0,
                float(np.sin(half)),
                float(np.cos(half)),
            ]

    return lower


def test_an_a_pose_is_accepted_and_its_angle_told(human, glb, tmp_path):
    scan = import_scan(changed(glb, tmp_path / "a.glb", a_pose(45.0)))
    assert any("A-pose" in note and "45" in note for note in scan.notes)
    for mine, theirs, sign in zip(human.arms, scan.human.arms, (1.0, -1.0), strict=True):
        angle = np.degrees(np.arctan2(-theirs.upper[2], sign * theirs.upper[1]))
        assert angle == pytest.approx(45.0, abs=1e-3)
        assert abs(theirs.elbow_axis @ theirs.upper) < 1e-9
        # The palm turned with the arm.
        assert theirs.wrist_vector @ mine.wrist_vector == pytest.approx(np.cos(np.pi / 4), abs=0.03)
    hand = scan.human.mesh.vertices[:, 1].argmax()
    assert scan.human.mesh.vertices[hand, 2] < scan.human.arms[0].shoulder[2] - 0.2


def test_annotations_can_be_given(glb, tmp_path):
    path = changed(glb, tmp_path / "given.glb", bare)
    scan = import_scan(path, elbow_axis=(0.2, 0.0, -1.0), wrist_vector=(1.0, 0.0, 0.0))
    left, right = scan.human.arms
    np.testing.assert_allclose(left.elbow_axis, np.array([0.2, 0, -1]) / np.hypot(0.2, 1))
    np.testing.assert_allclose(right.elbow_axis, np.array([-0.2, 0, 1]) / np.hypot(0.2, 1))
    np.testing.assert_allclose(left.wrist_vector, right.wrist_vector)
    np.testing.assert_allclose(scan.human.hand_frames[0][:, 2], (-1, 0, 0), atol=1e-12)
    assert sum("as given" in note for note in scan.notes) == 4


def swap_sides(document: dict) -> None:
    bare(document)
    for n in document["nodes"]:
        name = n["name"]
        if name.startswith(SIDES):
            n["name"] = name.replace("left", "?").replace("right", "left").replace("?", "right")


def set_node(which: str, **values):
    def change(document: dict) -> None:
        bare(document)
        node(document, which).update(values)

    return change


def rename_node(name: str, other: str):
    return set_node(name, name=other)


def drop_skin(document: dict) -> None:
    bare(document)
    del document["nodes"][1]["skin"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            rename_node("left_forearm", "Bone.007"),
            r"lacks the joints left_forearm\. Found: .*left_hand .*Bone",
        ),
        (rename_node("head", "skull"), "lacks the joints head"),
        (set_node("human", scale=[-1.0, 1.0, 1.0]), "mirrored at 'hips'"),
        (swap_sides, "mirrored: its left side"),
        (set_node("right_forearm", scale=[1.0, 1.3, 1.0]), "scaled unequally at 'right_forearm'"),
        (
            set_node("left_hand", translation=[0.0, 0.0, 0.0]),
            "left forearm of the scan has no length.*'left_forearm'",
        ),
        (set_node("human", scale=[5.0, 5.0, 5.0]), "m tall"),
        (drop_skin, "no skin"),
        (a_pose(85.0), "85 degrees away from level"),
        (a_pose(-40.0), "40 degrees away from level"),
        (lambda d: d.update(extensionsRequired=["KHR_draco_mesh_compression"]), "without compression"),
        (lambda d: d["accessors"][0].update(count=10**9), "accessor"),
    ],
)
def test_bad_scans_are_refused_in_one_sentence(glb, tmp_path, change, words):
    path = changed(glb, tmp_path / "bad.glb", change)
    with pytest.raises(ModelError, match=words):
        import_scan(path)


@pytest.mark.parametrize("data", [b"", b"hello", b"glTF\x02\0\0\0\xff\0\0\0", b"glTF\x01\0\0\0\x0c\0\0\0"])
def test_files_that_are_no_gltf(tmp_path, data):
    path = tmp_path / "wrong.glb"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"wrong\.glb"):
        import_scan(path)


def test_annotations_that_do_not_fit_are_guessed_anew(human, glb, tmp_path):
    scan = import_scan(
        changed(glb, tmp_path / "r.glb", lambda d: node(d, "left_index_1").update(name="LeftIndex1"))
    )
    assert any("guessed anew" in note for note in scan.notes)
    assert scan.bones["left_index_1"] == "LeftIndex1"
    np.testing.assert_allclose(scan.human.rest, human.rest, atol=1e-6)


def test_pictures_and_coordinates_of_a_scan_survive(human, glb, tmp_path):
    """A photographed skin: uv coordinates and a picture are written again."""
    document, numbers = parts(glb)
    bare(document)
    image = b"\x89PNG\r\n\x1a\n not a real picture"
    numbers = numbers[: document["buffers"][0]["byteLength"]] + image
    document["bufferViews"].append(
        {"buffer": 0, "byteOffset": document["buffers"][0]["byteLength"], "byteLength": len(image)}
    )
    document["buffers"][0]["byteLength"] = len(numbers)
    document["images"] = [{"bufferView": len(document["bufferViews"]) - 1, "mimeType": "image/png"}]
    document["textures"] = [{"source": 0}]
    document["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    document["accessors"].append({**document["accessors"][attributes["WEIGHTS_0"]], "type": "VEC2"})
    document["bufferViews"].append(
        {**document["bufferViews"][document["accessors"][-1]["bufferView"]], "byteStride": 16}
    )
    document["accessors"][-1]["bufferView"] = len(document["bufferViews"]) - 1
    attributes["TEXCOORD_0"] = len(document["accessors"]) - 1
    (tmp_path / "photo.glb").write_bytes(pack(document, numbers))
    scan = import_scan(tmp_path / "photo.glb").human
    assert scan.mesh.materials[0].image == image
    np.testing.assert_allclose(scan.mesh.uv, human.mesh.skin_weights[:, :2], atol=1e-6)
    again = load_human(write_glb(scan, tmp_path / "again.glb"))
    assert again.mesh.materials[0].image == image
    np.testing.assert_allclose(again.mesh.uv, scan.mesh.uv)


def test_a_file_may_not_lead_out_of_its_folder(tmp_path):
    (tmp_path / "secret.bin").write_bytes(b"x")
    folder = tmp_path / "in"
    folder.mkdir()
    document = {"asset": {"version": "2.0"}, "buffers": [{"uri": "../secret.bin", "byteLength": 1}]}
    (folder / "a.gltf").write_text(json.dumps(document))
    with pytest.raises(ModelError, match="not in its folder"):
        read_gltf(folder / "a.gltf").buffer(0)


def test_the_annotations_are_in_the_file_s_own_axes(human, glb):
    document, _ = parts(glb)
    given = document["nodes"][0]["extras"][EXTRAS]
    np.testing.assert_allclose(given["arms"][0]["wrist_vector"], (0, -1, 0), atol=1e-12)
    np.testing.assert_allclose(given["arms"][0]["elbow"], to_gltf(human.arms[0].elbow))
