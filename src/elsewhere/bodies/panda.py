"""The Franka Emika Panda: seven joints, 3 kg payload.

Kinematics: modified Denavit-Hartenberg parameters of the Franka Control Interface documentation.
Inertia: Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca, "Dynamic identification of the Franka Emika
Panda robot with retrieval of feasible parameters using penalty-based optimization", RA-L 2019, as
the manufacturer distributes them with its ROS packages. Limits: the manufacturer's control interface
documentation, "Robot and interface specifications", limits for the Panda.
"""

from __future__ import annotations

import mujoco
import numpy as np

from elsewhere.bodies.arm import ArmPart
from elsewhere.bodies.limits import JointLimits, Vector
from elsewhere.bodies.motor_joint import add_motor_joint
from elsewhere.bodies.registry import part
from elsewhere.bodies.shapes import (
    ACCENT,
    GRAPHITE,
    SHADE,
    SHELL,
    capsule,
    cylinder,
    feel_capsule,
    new_spec,
)

# a, d, alpha of each joint (Craig's convention): metres and quarter turns.
DH = (
    (0.0, 0.333, 0),
    (0.0, 0.0, -1),
    (0.0, 0.316, 1),
    (0.0825, 0.0, 1),
    (-0.0825, 0.384, -1),
    (0.0, 0.0, 1),
    (0.088, 0.0, 1),
)
FLANGE_Z = 0.107

LIMITS = JointLimits(
    lower=np.array([-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973]),
    upper=np.array([2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973]),
    velocity=np.array([2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61]),
    acceleration=np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0]),
    jerk=np.array([7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0]),
    torque=np.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0]),
    torque_rate=np.full(7, 1000.0),
)

# Mass [kg], centre [m], then xx, yy, zz, xy, xz, yz [kg m^2] about the centre, in the link's frame.
INERTIA = (
    (0.629769, (-0.041018, -0.00014, 0.049974), (3.15e-3, 3.88e-3, 4.285e-3, 8.2904e-7, 1.5e-4, 8.2299e-6)),
    (4.970684, (0.003875, 0.002081, -0.04762), (0.70337, 0.70661, 9.117e-3, -1.39e-4, 6.772e-3, 1.9169e-2)),
    (
        0.646926,
        (-0.003141, -0.02872, 0.003495),
        (7.962e-3, 2.811e-2, 2.5995e-2, -3.925e-3, 1.0254e-2, 7.04e-4),
    ),
    (
        3.228604,
        (0.027518, 0.039252, -0.066502),
        (3.7242e-2, 3.6155e-2, 1.083e-2, -4.761e-3, -1.1396e-2, -1.2805e-2),
    ),
    (
        3.587895,
        (-0.05317, 0.104419, 0.027454),
        (2.5853e-2, 1.9552e-2, 2.8323e-2, 7.796e-3, -1.332e-3, 8.641e-3),
    ),
    (
        1.225946,
        (-0.011953, 0.041065, -0.038437),
        (3.5549e-2, 2.9474e-2, 8.627e-3, -2.117e-3, -4.037e-3, 2.29e-4),
    ),
    (
        1.666555,
        (0.060149, -0.014117, -0.010517),
        (1.964e-3, 4.354e-3, 5.433e-3, 1.09e-4, -1.158e-3, 3.41e-4),
    ),
    (
        0.735522,
        (0.010517, -0.004252, 0.061597),
        (1.2516e-2, 1.0027e-2, 4.815e-3, -4.28e-4, -1.196e-3, -7.41e-4),
    ),
)

# Reflected rotor inertia and viscous friction: small, so that a 1 kHz torque loop stays well damped.
# Dry friction is left out, since the arm's own firmware compensates it.
ARMATURE = (0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05)
DAMPING = (0.6, 0.6, 0.6, 0.6, 0.25, 0.25, 0.25)

MIRROR = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
# Right arm, for a hand that points down and for one that points ahead and down. Found by inverse
# kinematics from many starts: least singular value of the Jacobian above 0.13 (0.2 for the default
# mount), joints more than 0.3 rad from their limits, elbow above a table of 0.75 m.
HOME: dict[str, tuple[Vector, ...]] = {
    "45-down": (
        np.array([-0.14, 1.38, -1.44, -2.13, -1.01, 0.83, 0.21]),
        np.array([0.15, 1.38, -1.80, -2.20, -0.40, 1.0, -0.25]),
    ),
    "sideways": (
        np.array([0.193, 1.172, -0.004, -1.388, -1.408, 1.469, 0.212]),
        np.array([-0.721, 0.95, 0.69, -1.802, -1.289, 1.702, -0.379]),
    ),
    "45-sideways": (
        np.array([-1.234, 1.325, -1.897, -2.591, -0.441, 2.285, 0.059]),
        np.array([-2.133, -1.433, -0.872, -2.771, -1.579, 1.271, -0.198]),
    ),
    "45+45": (
        np.array([-1.492, 0.878, -0.86, -1.923, -1.147, 0.906, 0.476]),
        np.array([-0.663, 1.205, -1.737, -2.522, -0.308, 1.876, -0.477]),
    ),
}


@part("arm", "panda")
def panda(side: int) -> ArmPart:
    """A Panda. Both sides are alike."""
    spec = new_spec("panda")
    links = [spec.worldbody.add_body(name="link0")]
    for index, (a, d, quarter) in enumerate(DH):
        turn = quarter * np.pi / 4.0
        # The child's origin is a along the parent's x, then d along its own z.
        offset = [a, -d * np.sin(2.0 * turn), d * np.cos(2.0 * turn)]
        link = links[-1].add_body(
            name=f"link{index + 1}", pos=offset, quat=[np.cos(turn), np.sin(turn), 0.0, 0.0]
        )
        add_motor_joint(spec, link, index, LIMITS, ARMATURE[index], DAMPING[index])
        links.append(link)
    for link, (mass, centre, moments) in zip(links, INERTIA, strict=True):
        link.explicitinertial = True
        link.mass, link.ipos, link.fullinertia = mass, list(centre), list(moments)
    _draw(links)
    _feel(links)
    for first, second in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (0, 2), (2, 4), (5, 7)):
        spec.add_exclude(name=f"links{first}{second}", bodyname1=f"link{first}", bodyname2=f"link{second}")
    links[7].add_site(name="flange", pos=[0.0, 0.0, FLANGE_Z], group=4)
    return ArmPart(
        name="panda",
        spec=spec,
        root="link0",
        joints=tuple(f"joint{index + 1}" for index in range(7)),
        flange="flange",
        limits=LIMITS,
        near_shoulder=("link0", "link1", "link2"),
        near_hand=("link5", "link6", "link7"),
        home=HOME,
        mirror=MIRROR,
    )


def _draw(links: list[mujoco.MjsBody]) -> None:
    """Fat white tubes, dark rings at the joints, and the slim bent forearm that makes a Panda."""
    base, one, two, three, four, five, six, seven = links
    cylinder(base, (0, 0, 0), (0, 0, 0.03), 0.084, GRAPHITE)
    cylinder(base, (0, 0, 0.03), (0, 0, 0.138), 0.063, SHELL)
    cylinder(one, (0, 0, -0.195), (0, 0, -0.178), 0.055, GRAPHITE)
    capsule(one, (0, 0, -0.125), (0, 0, -0.03), 0.061, SHELL)
    cylinder(two, (0, 0, -0.066), (0, 0, 0.066), 0.05, GRAPHITE)
    cylinder(two, (0, 0, -0.055), (0, 0, 0.055), 0.0625, SHELL)
    cylinder(two, (0, -0.18, 0), (0, 0, 0), 0.06, SHELL)
    cylinder(three, (0, 0, -0.136), (0, 0, -0.12), 0.054, GRAPHITE)
    capsule(three, (0, 0, -0.075), (0.0825, 0, 0), 0.059, SHELL)
    cylinder(four, (0, 0, -0.064), (0, 0, 0.064), 0.048, GRAPHITE)
    capsule(four, (0, 0, 0), (-0.0825, 0.07, 0), 0.057, SHELL)
    cylinder(four, (-0.0825, 0.06, 0), (-0.0825, 0.115, 0), 0.057, SHELL)
    cylinder(five, (0, 0, -0.269), (0, 0, -0.254), 0.052, GRAPHITE)
    capsule(five, (0, 0, -0.205), (0, 0.02, -0.18), 0.0565, SHELL)
    capsule(five, (0, 0.045, -0.19), (0, 0.075, -0.02), 0.036, SHADE)
    cylinder(five, (0, 0.04, 0), (0, 0.085, 0), 0.05, SHELL)
    cylinder(six, (0, 0, -0.045), (0, 0, 0.047), 0.049, GRAPHITE)
    capsule(six, (0.01, 0, -0.01), (0.083, 0, 0), 0.05, SHELL)
    cylinder(seven, (0, 0, 0.045), (0, 0, 0.06), 0.046, GRAPHITE)
    cylinder(seven, (0, 0, 0.06), (0, 0, FLANGE_Z), 0.05, SHELL)
    cylinder(seven, (0, 0, 0.069), (0, 0, 0.075), 0.0506, ACCENT)


def _feel(links: list[mujoco.MjsBody]) -> None:
    base, one, two, three, four, five, six, seven = links
    feel_capsule(base, (-0.04, 0, 0.065), (0, 0, 0.075), 0.065)
    feel_capsule(one, (0, 0, -0.14), (0, 0, -0.03), 0.063)
    feel_capsule(two, (0, 0, -0.012), (0, 0, 0.012), 0.066)
    feel_capsule(two, (0, -0.13, 0), (0, -0.02, 0), 0.062)
    feel_capsule(three, (0, 0, -0.09), (0.0825, 0, -0.005), 0.06)
    feel_capsule(four, (0, 0, -0.012), (0, 0, 0.012), 0.062)
    feel_capsule(four, (-0.0825, 0.06, 0), (-0.0825, 0.07, 0), 0.058)
    feel_capsule(five, (0, 0, -0.21), (0, 0.03, -0.17), 0.058)
    feel_capsule(five, (0, 0.05, -0.17), (0, 0.07, -0.01), 0.042)
    feel_capsule(six, (0, 0, -0.01), (0.086, 0, 0), 0.051)
    feel_capsule(seven, (0, 0, -0.01), (0, 0, 0.06), 0.048)
