"""Solvers of inverse kinematics under one face: ours, and each peer's, on the same arm."""
