"""A small stereo camera on a post: a head for a robot that has none. Its mechanism is the gimbal's."""

from __future__ import annotations

from elsewhere.bodies.gimbal_head import CENTRE_Z, mechanism
from elsewhere.bodies.head import HeadPart
from elsewhere.bodies.registry import part
from elsewhere.bodies.shapes import GRAPHITE, SHELL, STEEL, box, capsule, cylinder, feel_capsule


@part("head", "post")
def post_head(fov_deg: float) -> HeadPart:
    """A camera bar on a post; `fov_deg` is the vertical field of view of each eye."""
    made, (neck, yaw, _, head) = mechanism("post", fov_deg)
    cylinder(neck, (0, 0, -0.02), (0, 0, CENTRE_Z - 0.03), 0.012, STEEL)
    cylinder(yaw, (0, 0, -0.03), (0, 0, -0.012), 0.02, GRAPHITE)
    capsule(head, (0.048, -0.052, 0.0), (0.048, 0.052, 0.0), 0.027, SHELL)
    capsule(head, (0.0, 0, 0.0), (0.04, 0, 0.0), 0.017, GRAPHITE)
    box(head, (0.066, 0, 0.0), (0.009, 0.05, 0.019), GRAPHITE)
    feel_capsule(head, (0.05, -0.05, 0.0), (0.05, 0.05, 0.0), 0.03)
    return made
