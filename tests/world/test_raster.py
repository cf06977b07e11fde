from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.errors import GraphicsError, RigError
from elsewhere.rig import parse_rig
from elsewhere.world import cameras
from elsewhere.world.cameras import StereoCamera, stereo_camera
from elsewhere.world.raster import RasterStereoCamera
from elsewhere.world.simulation import Simulation

angle = st.floats(-0.6, 0.6)


def test_the_picture_is_the_one_that_opengl_draws(simulation: Simulation) -> None:
    raster = RasterStereoCamera(simulation.model, 320, 240, scene=simulation.scene)
    opengl = StereoCamera(simulation.model, 320, 240, scene=simulation.scene)
    random = np.random.default_rng(0)
    for _ in range(6):
        qpos = simulation.qpos
        qpos[simulation.wiring.head_qpos] += random.uniform(-0.4, 0.4, 3)
        qpos[simulation.wiring.arm_qpos] += random.uniform(-0.3, 0.3, len(simulation.wiring.arm_qpos))
        qpos[simulation.wiring.base_qpos] += random.uniform(-0.3, 0.3, 3)
        ours, theirs = raster.render(qpos).astype(int), opengl.render(qpos).astype(int)
        apart = np.abs(ours - theirs).max(axis=2)
        # Round shapes have other corners, and a texture is looked up half a texel further.
        assert apart.mean() < 6.0
        assert (apart > 40).mean() < 0.04
    opengl.close()


@settings(max_examples=25, deadline=None)
@given(yaw=angle, pitch=angle, roll=angle)
def test_no_pixel_is_lost_between_triangles(yaw: float, pitch: float, roll: float) -> None:
    # A white ball all around the eyes: whatever way they look, nothing else can be seen.
    camera, model = _scene('<geom type="mesh" mesh="ball" rgba="1 1 1 1"/>', assets=_inside_out_ball())
    quat = np.zeros(4)
    mujoco.mju_euler2Quat(quat, np.array([roll, pitch, yaw]), "xyz")
    qpos = np.array([0.0, 0.0, 0.0, *quat])
    assert camera.render(qpos).min() > 0
    assert model.nq == 7


@given(near=st.floats(0.3, 1.0), far=st.floats(1.2, 4.0), first=st.booleans())
@settings(max_examples=25, deadline=None)
def test_what_is_nearer_is_seen_in_whatever_order(near: float, far: float, first: bool) -> None:
    red = f'<geom type="box" size="0.05 0.05 0.01" pos="0 0 {-near}" rgba="1 0 0 1"/>'
    green = f'<geom type="box" size="6 6 0.01" pos="0 0 {-far}" rgba="0 1 0 1"/>'
    camera, _ = _scene(red + green if first else green + red)
    picture = camera.render(_HERE)
    red_seen, green_seen = (picture[..., k] > picture[..., 1 - k] for k in (0, 1))
    assert red_seen[60, 80]
    assert green_seen[5, 5]
    assert (red_seen | green_seen)[20:100, 20:140].all()


def test_a_surface_through_the_eyes_is_cut_off_before_them() -> None:
    camera, _ = _scene('<geom type="box" size="5 0.01 5" pos="0 -0.1 0" rgba="1 1 1 1"/>')
    picture = camera.render(_HERE)
    # A floor 10 cm below eyes that look along it fills the lower half, up to the horizon.
    assert (picture[62:] > 0).all()
    assert (picture[:58] == 0).all()


def test_a_texture_lies_right_in_perspective() -> None:
    assets = """<texture name="t" type="2d" builtin="checker" width="64" height="64"
        rgb1="1 1 1" rgb2="0 0 0"/><material name="m" texture="t" specular="0"/>"""
    floor = '<geom type="box" size="4 4 0.01" pos="0 -0.5 -4" euler="-90 0 0" material="m"/>'
    camera, model = _scene(floor, assets=assets)
    ours = camera.render(_HERE).astype(int)
    opengl = StereoCamera(model, 160, 120)
    theirs = opengl.render(_HERE).astype(int)
    opengl.close()
    assert ours.std() > 20
    assert (np.abs(ours - theirs).max(axis=2) > 60).mean() < 0.02


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=7, max_size=7))
@settings(max_examples=30, deadline=None)
def test_any_configuration_gives_a_picture(qpos: list[float]) -> None:
    camera, _ = _scene('<geom type="box" size="1 1 1" pos="0 0 -3"/>')
    assert camera.render(qpos).shape == (120, 320, 3)


def test_the_choice_of_renderer(monkeypatch: pytest.MonkeyPatch, simulation: Simulation) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise GraphicsError("No OpenGL context can be made.")

    def made(renderer: str) -> type:
        return type(stereo_camera(simulation.model, 64, 48, renderer=renderer))

    assert made("processor") is RasterStereoCamera
    monkeypatch.setattr(cameras, "has_graphics_card", lambda: False)
    assert made("auto") is RasterStereoCamera
    assert made("opengl") is StereoCamera
    monkeypatch.setattr(cameras, "has_graphics_card", lambda: True)
    assert made("auto") is StereoCamera
    monkeypatch.setattr(cameras, "StereoCamera", refuse)
    assert made("auto") is RasterStereoCamera
    with pytest.raises(GraphicsError):
        made("opengl")


def test_an_unknown_renderer_is_refused() -> None:
    with pytest.raises(RigError, match=r"opengl.*processor"):
        parse_rig({"name": "x", "video": {"renderer": "opengll"}}, path=Path("x.toml"))


_HERE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def _scene(geoms: str, *, assets: str = "") -> tuple[RasterStereoCamera, mujoco.MjModel]:
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><asset>{assets}</asset><statistic extent="1"/>
        <visual><map znear="0.01" zfar="50"/></visual>
        <worldbody><light dir="0 -0.3 -1" directional="true"/>{geoms}
        <body name="head"><freejoint/><geom type="sphere" size="0.001" group="4"/>
        <camera name="eye_left" fovy="75"/><camera name="eye_right" fovy="75"/></body>
        </worldbody></mujoco>"""
    )
    return RasterStereoCamera(model, 160, 120), model


def _inside_out_ball() -> str:
    """A mesh of a sphere seen from within."""
    around, along = 24, 12
    points, faces = [], []
    for i in range(along + 1):
        for k in range(around):
            a, b = np.pi * i / along, 2 * np.pi * k / around
            points.append((2 * np.sin(a) * np.cos(b), 2 * np.sin(a) * np.sin(b), 2 * np.cos(a)))
    for i in range(along):
        for k in range(around):
            a, b = i * around + k, i * around + (k + 1) % around
            faces += [(a, b, b + around), (a, b + around, a + around)]
    vertex = " ".join(f"{x:.6f}" for point in points for x in point)
    face = " ".join(str(x) for item in faces for x in item)
    return f'<mesh name="ball" vertex="{vertex}" face="{face}" inertia="shell"/>'
