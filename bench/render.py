"""A stereo pair of the room, 1280 x 480, without a graphics card: ours, and OpenGL in software."""

from __future__ import annotations

import os

os.environ.setdefault("MUJOCO_GL", "egl")

import mujoco

from bench.row import Row, compare
from elsewhere.bodies.compose import compose
from elsewhere.rig import load_rig
from elsewhere.world.cameras import StereoCamera
from elsewhere.world.raster import RasterStereoCamera
from elsewhere.world.simulation import Simulation

WIDTH, HEIGHT = 640, 480


def measure() -> list[Row]:
    simulation = Simulation(compose(load_rig("commodity")))
    qpos, scene = simulation.qpos, simulation.scene
    ours = RasterStereoCamera(simulation.model, WIDTH, HEIGHT, scene=scene)
    tuned = StereoCamera(simulation.model, WIDTH, HEIGHT, scene=scene)
    plain = mujoco.Renderer(simulation.model, HEIGHT, WIDTH)
    data = mujoco.MjData(simulation.model)

    def one_eye_after_the_other() -> None:
        data.qpos[:] = qpos
        mujoco.mj_forward(simulation.model, data)
        for eye in ("eye_left", "eye_right"):
            plain.update_scene(data, eye)
            plain.render()

    peers = {
        "MuJoCo's renderer, tuned (one pass, no shadows)": lambda: tuned.render(qpos),
        "mujoco.Renderer, twice": one_eye_after_the_other,
    }
    return [compare("draw a stereo pair", lambda: ours.render(qpos), peers, rounds=25)]
