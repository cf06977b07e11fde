"""What AVATRINA printed about mounts (Correia Marques et al., 2024, tables 2 and 3): shares, metres."""

from __future__ import annotations

SOURCE = "AVATRINA, tables 2 and 3"

Values = dict[str, tuple[float, float]]
"""By path: M_track and M_vis."""

TABLE_2: dict[str, Values] = {
    "45-down": {"A": (0.0013, 0.3919), "B": (0.4276, 0.3139)},
    "forwards": {"A": (0.1488, 0.3775), "B": (0.5545, 0.3171)},
    "sideways": {"A": (0.2960, 0.4917), "B": (0.4333, 0.3886)},
    "45-sideways": {"A": (0.1092, 0.4126), "B": (0.2982, 0.3502)},
    "45+45": {"A": (0.0007, 0.3630), "B": (0.3817, 0.3271)},
}
WIDTH_M = {"45-down": 0.68, "forwards": 0.68, "sideways": 0.91, "45-sideways": 0.79, "45+45": 0.79}
HUMAN = {"45-down": 4.00, "forwards": 2.25, "sideways": 3.25, "45-sideways": 3.25, "45+45": 2.25}

TABLE_3: dict[tuple[str, str], Values] = {
    ("right", "low"): {"A": (0.0102, 0.566), "B": (0.2841, 0.570)},
    ("right", "high"): {"A": (0.0022, 0.520), "B": (0.2459, 0.549)},
    ("right", "end"): {"A": (0.7664, 0.343), "B": (0.8259, 0.422)},
    ("left", "low"): {"A": (0.0014, 0.448), "B": (0.2744, 0.711)},
    ("left", "high"): {"A": (0.0008, 0.365), "B": (0.0777, 0.617)},
    ("left", "end"): {"A": (0.4486, 0.214), "B": (0.3654, 0.322)},
}
