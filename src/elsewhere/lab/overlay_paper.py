"""What ONIA reports of the overlay (Tejwani, Ma, Bonato, Asada: section IV), to stand beside ours."""

from __future__ import annotations

SOURCE = "ONIA (Tejwani, Ma, Bonato, Asada)"
MEDIANS = {"onia": 0.798, "dls": 0.773, "fabrik": 0.783}
"""Median overlay ratio over the static poses 4 to 12 (footnote 2)."""
HARD = ("1", "2", "3")
"""Poses with hanging arms, at which the baselines fail."""
LEAST_STRETCH, MOST_STRETCH = 0.8, 1.3
"""Stretch that the baselines are allowed (section III-A), and that our bounded solver keeps."""
WORST_STRETCH = 1.5
"""About the largest stretch that the paper's ONIA needed (pose 8)."""
MOST_LOSS = 0.02
"""How much of ONIA's median overlay our bounded solver may lose: our own requirement."""
MOST_SECONDS = 60.0
"""For the overlay ratio of 1,000 frames: our own requirement."""
EXACT = 1e-9
"""Metres within which ONIA is called exact."""
EXPLAINED = {
    "onia": "the paper's, exact",
    "dls": "damped least squares, limits",
    "fabrik": "FABRIK, limits",
    "bounded": "ours, exact up to bounded stretch",
    "together": "ours, bounded, with the trunk",
}
