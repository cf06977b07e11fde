"""Joints along the arms that keep the skin round: an arm's weights are handed on to them.

A vertex that follows two joints lies between their two rotations of it, so a tube that is twisted by
108 degrees within one blend keeps 59 % of its radius. With joints at several shares of the bone,
each turned by its part of the twist, a blend spans 36 degrees at most and 95 % stay.
"""

from __future__ import annotations

import numpy as np

from elsewhere.bodies.human.arm import HumanArm
from elsewhere.bodies.human.human import SIDES, Helper, Joint
from elsewhere.bodies.human.mesh import Array
from elsewhere.bodies.human.surface import smooth_step

OWN_SHARE = {"upper_arm": 1.0, "forearm": 0.4}
"""Where along its bone a joint's own rotation holds. The forearm's is 0.4 because that is the share of the
wrist's twist that ONIA gives it (alpha_e, eq. 17), so that twist then grows evenly along the forearm."""
TWIST_SHARES = {"upper_arm": (0.0, 1 / 3, 2 / 3), "forearm": (0.0, 0.2, 0.6, 0.8, 1.0)}
ELBOW_REACH = 0.045
"""How far from the elbow [m] the joint half way between upper arm and forearm still moves the skin."""


def with_helpers(
    joints: tuple[Joint, ...], weights: Array, vertices: Array, arms: tuple[HumanArm, HumanArm]
) -> tuple[tuple[Joint, ...], Array, tuple[Helper, ...]]:
    """Joints, weights (n, joints) and helpers after adding those of both arms."""
    index = {joint.name: i for i, joint in enumerate(joints)}
    added = list(joints)
    helpers: list[Helper] = []
    columns: list[Array] = []
    weights = weights.copy()
    for side, (name, arm) in enumerate(zip(SIDES, arms, strict=True)):
        bones = (("upper_arm", arm.shoulder, arm.upper), ("forearm", arm.elbow, arm.fore))
        elbow = np.zeros(len(vertices))
        for bone, root, along in bones:
            own = index[f"{name}_{bone}"]
            share = (vertices - root) @ along / (along @ along)
            places = sorted([*TWIST_SHARES[bone], OWN_SHARE[bone]])
            hats = {place: _hat(share, places, k) for k, place in enumerate(places)}
            whole = weights[:, own].copy()
            # Near the elbow a part of the weight goes to the joint half way, most where the two meet.
            distance = np.abs((vertices - arm.elbow) @ along) / np.linalg.norm(along)
            bend = whole * 0.75 * (1.0 - smooth_step(distance, 0.0, ELBOW_REACH))
            elbow += bend
            for k, place in enumerate(TWIST_SHARES[bone]):
                helpers.append(Helper(len(added), "twist", side, bone, place))  # type: ignore[arg-type]
                added.append(Joint(f"{name}_{bone}_twist_{k + 1}", own, root + place * along))
                columns.append((whole - bend) * hats[place])
            weights[:, own] = (whole - bend) * hats[OWN_SHARE[bone]]
        helpers.append(Helper(len(added), "halfway", side, "forearm", 0.0))
        added.append(Joint(f"{name}_elbow", index[f"{name}_upper_arm"], arm.elbow.copy()))
        columns.append(elbow)
    return tuple(added), np.hstack([weights, np.stack(columns, axis=1)]), tuple(helpers)


def _hat(share: Array, places: list[float], k: int) -> Array:
    """1 at place k, 0 at its neighbours, straight between; level beyond the first and the last."""
    values = np.zeros(len(places))
    values[k] = 1.0
    return np.interp(share, places, values)
