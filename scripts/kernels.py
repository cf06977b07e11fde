"""Compile every kernel of the control loop once; the machine code is kept beside the sources."""

from __future__ import annotations

from elsewhere.avatar.control import warm_up
from elsewhere.avatar.tick import Tick
from elsewhere.bodies.compose import compose
from elsewhere.rig import load_rig

body = compose(load_rig("commodity"))
warm_up(Tick(body), body)
