"""What a plot shows, apart from how it is drawn: a result carries data, `report` draws it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#2563a8", "#d2691e", "#3b8a5a", "#8a4f9e", "#b03a48", "#5f6b7a")


@dataclass(frozen=True)
class Plot(ABC):
    """One figure. `marks` are named reference values on the axis of the measured quantity."""

    title: str
    label: str
    marks: Mapping[str, float] = field(default_factory=dict, kw_only=True)
    caption: str = field(default="", kw_only=True)

    @abstractmethod
    def draw(self, axes: Axes) -> None:
        """Draw into matplotlib axes."""

    def draw_marks(self, axes: Axes) -> None:
        """The marks across, for plots whose quantity goes upwards."""
        for name, value in self.marks.items():
            axes.axhline(value, color="#333333", linewidth=1, linestyle="--")
            axes.annotate(
                name,
                (1.0, value),
                xycoords=("axes fraction", "data"),
                xytext=(-3, 3),
                textcoords="offset points",
                ha="right",
                fontsize=8,
            )

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """What is drawn, as plain numbers for the JSON beside the report."""


@dataclass(frozen=True)
class Histogram(Plot):
    """How often each value occurs. Values outside `limits` are counted in the outermost bins."""

    samples: Mapping[str, np.ndarray]
    bins: int = field(default=60, kw_only=True)
    limits: tuple[float, float] | None = field(default=None, kw_only=True)

    def _edges(self) -> np.ndarray:
        values = np.concatenate([np.asarray(v, float) for v in self.samples.values()] or [np.zeros(0)])
        values = values[np.isfinite(values)]
        low, high = self.limits or ((values.min(), values.max()) if values.size else (0.0, 1.0))
        return np.linspace(low, high if high > low else low + 1.0, self.bins + 1)

    def draw(self, axes: Axes) -> None:
        """Filled steps, one colour a sample."""
        edges = self._edges()
        for (name, values), colour in zip(self.samples.items(), COLOURS, strict=False):
            clipped = np.clip(np.asarray(values, float), edges[0], edges[-1])
            axes.hist(clipped[np.isfinite(clipped)], edges.tolist(), color=colour, alpha=0.75, label=name)
        for name, value in self.marks.items():
            axes.axvline(value, color="#333333", linewidth=1, linestyle="--")
            axes.annotate(
                name,
                (value, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(3, -11),
                textcoords="offset points",
                fontsize=8,
            )
        axes.set_xlabel(self.label)
        axes.set_ylabel("count")

    def data(self) -> dict[str, Any]:
        """Edges and counts."""
        edges = self._edges()
        counts = {
            name: np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0].tolist()
            for name, values in self.samples.items()
        }
        return {"edges": edges.tolist(), "counts": counts, "marks": dict(self.marks)}


@dataclass(frozen=True)
class TimeLine(Plot):
    """Values over time [s], one line or one cloud of points for each name."""

    series: Mapping[str, tuple[np.ndarray, np.ndarray]]
    points: bool = field(default=False, kw_only=True)
    time_label: str = field(default="time [s]", kw_only=True)

    def draw(self, axes: Axes) -> None:
        """Lines or points, one colour a series."""
        style: dict[str, Any] = {"linestyle": "none", "marker": ".", "markersize": 3} if self.points else {}
        for (name, (times, values)), colour in zip(self.series.items(), COLOURS, strict=False):
            axes.plot(times, values, color=colour, linewidth=1, label=name, **style)
        self.draw_marks(axes)
        axes.set_xlabel(self.time_label)
        axes.set_ylabel(self.label)

    def data(self) -> dict[str, Any]:
        """Times and values of every series."""
        series = {
            name: {"time": np.asarray(times).tolist(), "value": np.asarray(values).tolist()}
            for name, (times, values) in self.series.items()
        }
        return {"series": series, "marks": dict(self.marks)}
