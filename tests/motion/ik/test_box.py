"""The box QP: optimal by its own conditions, exact on its bounds, on random and on hard problems."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from elsewhere.motion.ik._kernels import solve_box


def solve(H, g, lower, upper):
    n = len(g)
    x, fixed, L = np.zeros(8), np.zeros(8, np.int64), np.zeros((9, 8))
    rounds = solve_box(H, g, n, lower, upper, x, fixed, L)
    return x[:n], rounds


def problem(seed):
    """Six to eight joints; damping from strong to nearly none; bounds from wide to closed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 9))
    damping = 10.0 ** rng.uniform(-6, 0)
    A, b = rng.normal(size=(6, n)), rng.normal(size=6) * 10.0 ** rng.uniform(-3, 2)
    lower, upper = -rng.uniform(0.0, 1.0, n), rng.uniform(0.0, 1.0, n)
    closed = rng.random(n) < 0.1
    lower[closed] = upper[closed] = 0.0
    upper[rng.random(n) < 0.1] = 0.0
    return A, b, damping, np.minimum(lower, upper), upper


@settings(max_examples=400)
@given(st.integers(0, 100_000))
def test_the_solution_is_optimal_and_within_its_bounds(seed):
    """Karush-Kuhn-Tucker: free places have no slope, fixed ones are pressed against their end."""
    A, b, damping, lower, upper = problem(seed)
    H, g = A.T @ A + damping * np.eye(len(lower)), A.T @ b
    x, rounds = solve(H, g, lower, upper)
    assert ((x >= lower) & (x <= upper)).all()
    assert rounds <= 30
    slope, small = H @ x - g, 1e-7 * max(1.0, np.abs(g).max())
    free = (x > lower) & (x < upper)
    assert np.abs(slope[free]).max(initial=0.0) < small
    at_lower, at_upper = (x <= lower) & (lower < upper), (x >= upper) & (lower < upper)
    assert slope[at_lower].min(initial=0.0) > -small
    assert slope[at_upper].max(initial=0.0) < small


def test_it_agrees_with_scipy():
    for seed in range(60):
        A, b, damping, lower, upper = problem(seed)
        n = len(lower)
        x, _ = solve(A.T @ A + damping * np.eye(n), A.T @ b, lower, upper)
        upper = np.where(upper <= lower, lower + 1e-12, upper)  # scipy wants an open range
        stacked = np.vstack([A, np.sqrt(damping) * np.eye(n)])
        other = lsq_linear(stacked, np.concatenate([b, np.zeros(n)]), (lower, upper), tol=1e-14).x

        def cost(v, stacked=stacked, b=b, n=n):
            return np.sum((stacked @ v - np.concatenate([b, np.zeros(n)])) ** 2)

        assert cost(x) <= cost(other) * (1 + 1e-7) + 1e-12
