"""Named values as bars, one colour for each series: ours beside a paper's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from elsewhere.lab.plots import COLOURS, Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Bars(Plot):
    """A group of bars for each name; every series has one value for each of them."""

    names: tuple[str, ...]
    series: Mapping[str, np.ndarray]

    def draw(self, axes: Axes) -> None:
        """Groups side by side, each bar with its value above it."""
        width = 0.8 / len(self.series)
        for k, ((name, values), colour) in enumerate(zip(self.series.items(), COLOURS, strict=False)):
            places = np.arange(len(self.names)) + (k - 0.5 * (len(self.series) - 1)) * width
            bars = axes.bar(places, values, width, color=colour, label=name)
            axes.bar_label(bars, fmt="%.3g", fontsize=7, padding=1)
        axes.set_xticks(np.arange(len(self.names)), self.names)
        axes.set_ylabel(self.label)
        axes.margins(y=0.12)

    def data(self) -> dict[str, Any]:
        """The names and the values."""
        series = {name: np.asarray(values).tolist() for name, values in self.series.items()}
        return {"names": list(self.names), "series": series}
