"""Compile every kernel of the control loop, of the cameras and of the overlay once.

The machine code is kept beside the sources.
"""

from __future__ import annotations

import numpy as np

from elsewhere.avatar.control import warm_up
from elsewhere.avatar.tick import Tick
from elsewhere.bodies.compose import compose
from elsewhere.bodies.human.make import make_human
from elsewhere.kernel import forget_older
from elsewhere.motion.align import ArmReference
from elsewhere.motion.align.registry import SOLVERS, make_align_solver
from elsewhere.rig import load_rig
from elsewhere.world.raster import RasterStereoCamera
from elsewhere.world.simulation import Simulation

forget_older()
body = compose(load_rig("commodity"))
warm_up(Tick(body), body)
simulation = Simulation(body)
simulation.state()
RasterStereoCamera(simulation.model, 64, 48, scene=simulation.scene).render(simulation.qpos)
for arm in make_human().arms:
    reference = ArmReference(arm.elbow, arm.wrist, np.eye(3))
    for name in SOLVERS:
        solver = make_align_solver(name)
        solver.solve(arm, reference, solver.init(arm))
