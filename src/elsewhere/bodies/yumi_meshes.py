"""The true shape of a YuMi, where the optional extra `models` is installed.

The meshes are those of the URDF of Örebro University, which the package rtb-data carries. Its link frames
are ours, so that a mesh is drawn on a link as it is. A rig asks for them: part = "yumi-meshes".
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import mujoco

from elsewhere.bodies.shapes import SHELL, VISUAL_GROUP
from elsewhere.errors import ModelError

FOLDER = Path("xacro", "yumi_description", "meshes", "coarse")
"""In the package: the coarse ones, of 450 to 10,660 triangles a link, which software can draw."""


def mesh_file(name: str) -> Path:
    """The file of a mesh. Raises ModelError where the package, or the mesh in it, is missing."""
    found = find_spec("rtbdata")
    places = [] if found is None else [Path(place) for place in found.submodule_search_locations or ()]
    for place in places:
        if (path := place / FOLDER / f"{name}.stl").is_file():
            return path
    raise ModelError(
        f"The mesh '{name}' of the YuMi is not installed. Install the extra elsewhere[models], or "
        "take the part 'yumi', which is drawn without it."
    )


def draw_mesh(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str) -> None:
    """Draw a link by its mesh, which has no mass and touches nothing."""
    spec.add_mesh(name=name, file=str(mesh_file(name)))
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        rgba=SHELL,
        group=VISUAL_GROUP,
        contype=0,
        conaffinity=0,
        mass=0.0,
    )
