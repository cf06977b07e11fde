"""Compile every kernel of the control loop and of the cameras once.

The machine code is kept beside the sources.
"""

from __future__ import annotations

from elsewhere.avatar.control import warm_up
from elsewhere.avatar.tick import Tick
from elsewhere.bodies.compose import compose
from elsewhere.kernel import forget_older
from elsewhere.rig import load_rig
from elsewhere.world.raster import RasterStereoCamera
from elsewhere.world.simulation import Simulation

forget_older()
body = compose(load_rig("commodity"))
warm_up(Tick(body), body)
simulation = Simulation(body)
simulation.state()
RasterStereoCamera(simulation.model, 64, 48, scene=simulation.scene).render(simulation.qpos)
