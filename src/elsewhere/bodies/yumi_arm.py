"""One arm of the ABB YuMi (IRB 14000): seven joints, 0.5 kg payload, 0.559 m reach.

Kinematics: the Denavit-Hartenberg lengths of the arm (30, 251.5, 40.5, 265, 27, 36 mm, as published
for its single-arm sister IRB 14050) with the joint frames and the mounts of the URDF of Örebro
University (github.com/OrebroUniversity/yumi), which agrees with them to 1.4 mm. ABB counts the axes
1, 2, 7, 3, 4, 5, 6 from the shoulder on: axis 7, the roll of the upper arm, was added to a robot of six.

Ranges and speeds: the manufacturer's product specification, as that URDF has them. ABB publishes
neither torques nor link inertias. Masses are a share of the single arm's 9.5 kg by the size of the
links, homogeneous; torques are our estimates, about three times what gravity takes of the stretched
arm with its payload; accelerations let the arm reach full speed in a third of a second.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from elsewhere.bodies.arm import ArmPart
from elsewhere.bodies.limits import JointLimits, Vector
from elsewhere.bodies.motor_joint import add_motor_joint
from elsewhere.bodies.mounts import rotation
from elsewhere.bodies.registry import part
from elsewhere.bodies.shapes import (
    GRAPHITE,
    SHADE,
    SHELL,
    Colour,
    Point,
    capsule,
    cylinder,
    feel_capsule,
    inertia,
    new_spec,
)
from elsewhere.bodies.yumi_meshes import draw_mesh

# Origin [m] and roll, pitch, yaw [degrees] of each joint in the frame of the one before; all turn about z.
JOINTS: tuple[tuple[Point, tuple[float, float, float]], ...] = (
    ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),  # axis 1
    ((0.03, 0.0, 0.1), (90.0, 0.0, 0.0)),  # axis 2: the shoulder
    ((-0.03, 0.1728, 0.0), (-90.0, 0.0, 0.0)),  # axis 7: roll of the upper arm
    ((-0.0405, 0.0, 0.0787), (90.0, -90.0, 0.0)),  # axis 3: the elbow
    ((0.0405, 0.1646, 0.0), (-90.0, 0.0, 0.0)),  # axis 4: roll of the forearm
    ((-0.027, 0.0, 0.1004), (90.0, 0.0, 0.0)),  # axis 5
    ((0.027, 0.029, 0.0), (-90.0, 0.0, 0.0)),  # axis 6: the wrist's last
)
FLANGE_Z = 0.007
AXES = (1, 2, 7, 3, 4, 5, 6)
"""ABB's name of each joint."""
REFERENCE = (AXES.index(2), AXES.index(3), AXES.index(6))
"""Shoulder, elbow and wrist: the centres of axes 2, 3 and 6 (ONIA, section II)."""

_FAST, _SLOW = np.radians(400.0), np.radians(180.0)
LIMITS = JointLimits(
    lower=np.radians([-168.5, -143.5, -168.5, -123.5, -290.0, -88.0, -229.0]),
    upper=np.radians([168.5, 43.5, 168.5, 80.0, 290.0, 138.0, 229.0]),
    velocity=np.array([_SLOW] * 4 + [_FAST] * 3),
    acceleration=np.array([9.5, 9.5, 9.5, 9.5, 21.0, 21.0, 21.0]),
    jerk=np.array([4750.0] * 4 + [10500.0] * 3),
    torque=np.array([45.0, 45.0, 28.0, 24.0, 7.0, 7.0, 4.0]),
    torque_rate=np.array([900.0, 900.0, 560.0, 480.0, 280.0, 280.0, 160.0]),
)

# Mass [kg], centre [m] and half sizes [m] of the homogeneous box that stands for each link.
INERTIA = (
    (2.0, (0.015, 0.0, 0.06), (0.06, 0.055, 0.07)),
    (1.7, (-0.015, 0.085, 0.0), (0.05, 0.09, 0.05)),
    (1.3, (-0.02, 0.0, 0.03), (0.05, 0.045, 0.055)),
    (1.2, (0.025, 0.08, 0.0), (0.045, 0.085, 0.042)),
    (0.8, (-0.012, 0.0, 0.045), (0.04, 0.035, 0.055)),
    (0.5, (0.012, 0.014, 0.0), (0.035, 0.035, 0.03)),
    (0.15, (0.0, 0.0, -0.005), (0.028, 0.028, 0.012)),
)
ROOT_MASS = 0.5
ARMATURE = (0.12, 0.12, 0.08, 0.08, 0.03, 0.03, 0.02)
DAMPING = (0.6, 0.6, 0.4, 0.4, 0.12, 0.12, 0.08)
MIRROR = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
# Right arm, elbow beside the body and forearm ahead, from which the palm's home is searched.
HOME: dict[str, tuple[Vector, ...]] = {
    "yumi": (np.radians([60.0, -110.0, -75.0, 20.0, -60.0, 60.0, 20.0]),)
}


@part("arm", "yumi")
def yumi_arm(side: int) -> ArmPart:
    """A YuMi arm. Both sides are alike."""
    return build_arm(lambda spec, links: draw(links))


@part("arm", "yumi-meshes")
def yumi_arm_meshes(side: int) -> ArmPart:
    """The same arm in its true shape, of the optional extra `models`. Raises ModelError without it."""

    def meshes(spec: mujoco.MjSpec, links: list[mujoco.MjsBody]) -> None:
        for number, link in enumerate(links[1:], 1):
            draw_mesh(spec, link, f"link_{number}")

    return build_arm(meshes)


def build_arm(draw_links: Callable[[mujoco.MjSpec, list[mujoco.MjsBody]], None]) -> ArmPart:
    """The arm, drawn by a function that gets its model and its bodies from `link0` on."""
    spec = new_spec("yumi_arm")
    root = spec.worldbody.add_body(name="link0")
    inertia(root, ROOT_MASS, (0, 0, -0.01), (0.05, 0.05, 0.02))
    links = [root]
    for index, (origin, rpy) in enumerate(JOINTS):
        link = links[-1].add_body(name=f"link{index + 1}", pos=list(origin), quat=_quat(rpy))
        add_motor_joint(spec, link, index, LIMITS, ARMATURE[index], DAMPING[index])
        inertia(link, *INERTIA[index])
        links.append(link)
    draw_links(spec, links)
    _feel(links)
    for first, second in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (0, 2), (2, 4), (5, 7)):
        spec.add_exclude(name=f"links{first}{second}", bodyname1=f"link{first}", bodyname2=f"link{second}")
    links[7].add_site(name="flange", pos=[0.0, 0.0, FLANGE_Z], group=4)
    return ArmPart(
        name="yumi",
        spec=spec,
        root="link0",
        joints=tuple(f"joint{index + 1}" for index in range(7)),
        flange="flange",
        limits=LIMITS,
        near_shoulder=("link0", "link1", "link2"),
        near_hand=("link5", "link6", "link7"),
        home=HOME,
        mirror=MIRROR,
        reference=REFERENCE,
        flange_radius=0.026,
    )


def _quat(rpy: tuple[float, float, float]) -> list[float]:
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, rotation(rpy).ravel())
    return quat.tolist()


def _taper(body: mujoco.MjsBody, start: Point, end: Point, radii: Point, colour: Colour = SHELL) -> None:
    """A limb that grows thinner: capsules of falling radius, one into the other."""
    steps = 3
    a, b = np.asarray(start, float), np.asarray(end, float)
    for k in range(steps):
        near, far = a + (b - a) * k / steps, a + (b - a) * (k + 1) / steps
        radius = radii[0] + (radii[1] - radii[0]) * k / (steps - 1)
        capsule(body, near.tolist(), far.tolist(), radius, colour)


def draw(links: list[mujoco.MjsBody]) -> None:
    """Smooth white limbs with soft grey pads and dark rings at the joints, as a padded cobot has."""
    root, one, two, three, four, five, six, seven = links
    cylinder(root, (0, 0, -0.04), (0, 0, 0.012), 0.066, SHADE)
    # Shoulder: a dome on axis 1 that carries the drum of axis 2.
    cylinder(one, (0, 0, 0.012), (0, 0, 0.018), 0.0625, GRAPHITE)
    capsule(one, (0, 0, 0.035), (0.016, 0, 0.085), 0.06, SHELL)
    cylinder(one, (0.03, -0.066, 0.1), (0.03, 0.066, 0.1), 0.05, SHADE)
    # Upper arm.
    cylinder(two, (0, 0, -0.058), (0, 0, 0.058), 0.055, SHELL)
    _taper(two, (-0.006, 0.02, 0), (-0.03, 0.12, 0), (0.058, 0.052))
    cylinder(two, (-0.03, 0.145, 0), (-0.03, 0.168, 0), 0.0515, SHELL)
    cylinder(three, (0, 0, -0.006), (0, 0, 0), 0.047, GRAPHITE)
    capsule(three, (0, 0, 0.012), (-0.03, 0, 0.068), 0.049, SHELL)
    # Elbow: a drum across, with grey caps.
    cylinder(three, (-0.0405, -0.058, 0.0787), (-0.0405, 0.058, 0.0787), 0.038, SHADE)
    cylinder(four, (0, 0, -0.051), (0, 0, 0.051), 0.044, SHELL)
    # Forearm, thinner towards the wrist.
    _taper(four, (0.008, 0.01, 0), (0.0405, 0.125, 0), (0.047, 0.041))
    cylinder(four, (0.0405, 0.13, 0), (0.0405, 0.16, 0), 0.0405, SHELL)
    cylinder(five, (0, 0, -0.005), (0, 0, 0.001), 0.037, GRAPHITE)
    _taper(five, (0, 0, 0.012), (-0.02, 0, 0.085), (0.038, 0.035))
    cylinder(five, (-0.027, -0.043, 0.1004), (-0.027, 0.043, 0.1004), 0.029, SHADE)
    cylinder(six, (0, 0, -0.036), (0, 0, 0.036), 0.033, SHELL)
    capsule(six, (0.006, 0.004, 0), (0.024, 0.008, 0), 0.034, SHELL)
    cylinder(seven, (0, 0, -0.014), (0, 0, -0.004), 0.0305, GRAPHITE)
    cylinder(seven, (0, 0, -0.004), (0, 0, FLANGE_Z), 0.0265, SHADE)


def _feel(links: list[mujoco.MjsBody]) -> None:
    _, one, two, three, four, five, six, _ = links
    feel_capsule(one, (0, 0, 0.03), (0.016, 0, 0.085), 0.062)
    feel_capsule(two, (0, 0, -0.01), (0, 0, 0.01), 0.058)
    feel_capsule(two, (-0.008, 0.025, 0), (-0.03, 0.13, 0), 0.058)
    feel_capsule(three, (0, 0, 0.01), (-0.035, 0, 0.0787), 0.05)
    feel_capsule(four, (0, 0, -0.012), (0, 0, 0.012), 0.046)
    feel_capsule(four, (0.01, 0.02, 0), (0.0405, 0.13, 0), 0.047)
    feel_capsule(five, (0, 0, 0.0), (-0.022, 0, 0.085), 0.04)
    feel_capsule(six, (0.0, 0.0, 0), (0.025, 0.015, 0), 0.036)
