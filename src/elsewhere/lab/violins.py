"""Distributions as violins, each value a point in the colour of its case (ONIA, Fig. 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from elsewhere.lab.plots import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HALF_WIDTH = 0.38


@dataclass(frozen=True)
class Violins(Plot):
    """A violin for each name with its least, median and largest value.

    `cases` names every value of a sample, in order: values of one case have one colour everywhere.
    """

    samples: Mapping[str, np.ndarray]
    cases: Mapping[str, tuple[str, ...]] = field(default_factory=dict, kw_only=True)

    def draw(self, axes: Axes) -> None:
        """Violins behind, points beside each other in front, bars at least, median and most."""
        from matplotlib import colormaps

        listed = list(dict.fromkeys(case for cases in self.cases.values() for case in cases))
        palette = colormaps["tab20" if len(listed) > 10 else "tab10"]
        shown: set[str] = set()
        for at, (name, values) in enumerate(self.samples.items()):
            whole = np.asarray(values, float)
            finite = whole[np.isfinite(whole)]
            if not finite.size:
                continue
            if np.ptp(finite) > 1e-6:
                made = axes.violinplot([finite], [at], widths=2 * HALF_WIDTH, showextrema=False)
                for body in made["bodies"]:  # type: ignore[attr-defined]
                    body.set(facecolor="#c9d2de", edgecolor="#9aa5b5", alpha=0.6)
            for value in (finite.min(), np.median(finite), finite.max()):
                middle = value == np.median(finite)
                half = 0.2 if middle else 0.1
                axes.plot([at - half, at + half], [value, value], color="#1d2430", lw=2 if middle else 1)
            cases = self.cases.get(name, ("",) * len(whole))
            for k, case in enumerate(listed or [""]):
                mine = whole[[c == case for c in cases]] if listed else whole
                spread = 0.7 * HALF_WIDTH * (2 * k / max(1, len(listed) - 1) - 1) if listed else 0.0
                places = np.full(len(mine), at + spread)
                (dots,) = axes.plot(places, mine, ".", ms=6, color=palette(k % palette.N))
                if case and case not in shown:
                    dots.set_label(case)
                    shown.add(case)
        self.draw_marks(axes)
        axes.set_xticks(np.arange(len(self.samples)), list(self.samples))
        axes.set_ylabel(self.label)

    def data(self) -> dict[str, Any]:
        """The values and their cases."""
        return {
            "samples": {name: np.asarray(values, float).tolist() for name, values in self.samples.items()},
            "cases": {name: list(cases) for name, cases in self.cases.items()},
            "marks": dict(self.marks),
        }
