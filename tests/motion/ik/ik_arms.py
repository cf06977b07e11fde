"""Arms and loops that the tests of the solvers share."""

from __future__ import annotations

import numpy as np

from elsewhere.spatial._kernels import quat_from_matrix

DT = 0.004
INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def pose(arm, q):
    R, p, _ = arm.chain.forward(q)
    quat = np.zeros(4)
    quat_from_matrix(R, quat)
    return p.copy(), quat


def start(arm):
    q = np.zeros(8)
    q[: arm.chain.n] = arm.home
    return q


def follow(solver, q, p, quat, steps, state=None, feed=None):
    """Integrate a solver towards a pose, checking its invariants at each step; the last status."""
    arm, n, velocity = solver.arm, solver.arm.chain.n, np.zeros(8)
    state = state or solver.new_state()
    feed = np.zeros(6) if feed is None else feed
    inside = ((q[:n] >= arm.limits.lower) & (q[:n] <= arm.limits.upper)).all()
    status = None
    for _ in range(steps):
        status = solver.step(state, q, p, quat, feed, velocity)
        assert (np.abs(velocity[:n]) <= arm.limits.velocity).all()
        assert not velocity[n:].any()
        q[:n] += solver.dt * velocity[:n]
        if inside:
            assert (q[:n] >= arm.limits.lower - 1e-12).all()
            assert (q[:n] <= arm.limits.upper + 1e-12).all()
    return status


def urdf(kinds):
    """A serial arm: each joint by kind and axis, links of 0.15 m; slides of 0.3 m."""
    text = [f'<link name="l0">{INERTIAL}</link>']
    for i, (kind, axis) in enumerate(kinds):
        limit = (0.0, 0.3) if kind == "prismatic" else (-2.6, 2.6)
        text.append(
            f'<link name="l{i + 1}">{INERTIAL}<collision><geometry><sphere radius=".02"/></geometry>'
            f'</collision></link><joint name="j{i}" type="{kind}"><parent link="l{i}"/>'
            f'<child link="l{i + 1}"/>'
            f'<origin xyz="0.03 0 .15"/><axis xyz="{axis}"/>'
            f'<limit lower="{limit[0]}" upper="{limit[1]}" effort="40" velocity="2"/></joint>'
        )
    return f'<robot name="own">{"".join(text)}</robot>'


Z, Y, X = "0 0 1", "0 1 0", "1 0 0"
KINDS = {
    6: [("revolute", axis) for axis in (Z, Y, Y, X, Y, X)],
    8: [("revolute", axis) for axis in (Z, Y, Z, Y, Z, Y, X)],
}
KINDS[8].insert(1, ("prismatic", Z))
