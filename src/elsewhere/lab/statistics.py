"""Percentiles, ratios and the comparison of a measured value with the one that was asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

Sense = Literal["at most", "at least", "about"]


def percentile(values: ArrayLike, percent: float) -> float:
    """The value below which `percent` of `values` lie, interpolated; nan where there are none."""
    finite = _finite(values)
    return float(np.percentile(finite, percent)) if finite.size else math.nan


def percentile_of_answers(delays: ArrayLike, percent: float) -> float:
    """As `percentile`, but inf (never answered) counts as the slowest; nan (says nothing) is left out.

    The result is an observed delay, not interpolated; nan where it falls on one that was never answered.
    """
    told = np.asarray(delays, dtype=float).ravel()
    told = np.sort(told[~np.isnan(told)])
    if not told.size:
        return math.nan
    value = float(told[math.ceil(percent / 100 * told.size) - 1 if percent > 0 else 0])
    return value if math.isfinite(value) else math.nan


def mean(values: ArrayLike) -> float:
    """The mean; nan where there are none."""
    finite = _finite(values)
    return float(np.mean(finite)) if finite.size else math.nan


def ratio(part: float, whole: float) -> float:
    """`part / whole`; nan where `whole` is zero."""
    return part / whole if whole else math.nan


def _finite(values: ArrayLike) -> np.ndarray:
    array: np.ndarray = np.asarray(values, dtype=float).ravel()
    finite: np.ndarray = array[np.isfinite(array)]
    return finite


@dataclass(frozen=True)
class Row:
    """One line of a result: what we measured, beside what a paper reports or a requirement asks.

    `met` is None where nothing is asked. "about" is met within 10 % of the asked value. A value
    that is not a number never meets anything.
    """

    what: str
    ours: float
    unit: str = ""
    asked: float | None = None
    sense: Sense = "at most"
    source: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the value is as asked."""
        if self.asked is None:
            return None
        if self.sense == "at most":
            return self.ours <= self.asked
        if self.sense == "at least":
            return self.ours >= self.asked
        return abs(self.ours - self.asked) <= 0.1 * abs(self.asked)

    @property
    def ours_text(self) -> str:
        """The value with its unit."""
        return f"{number(self.ours)} {self.unit}".strip() if math.isfinite(self.ours) else "not measured"

    @property
    def asked_text(self) -> str:
        """The asked value in words, empty where nothing is asked."""
        if self.asked is None:
            return ""
        return f"{self.sense} {number(self.asked)} {self.unit}".strip()

    @property
    def met_text(self) -> str:
        """Yes, no, or nothing where nothing is asked."""
        return {None: "", True: "yes", False: "no"}[self.met]


def number(value: float) -> str:
    """A number as a person writes it: three significant digits, no exponent near one."""
    if not math.isfinite(value):
        return "not measured"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e6 or size < 1e-4:
        return f"{value:.2e}"
    decimals = max(0, 2 - math.floor(math.log10(size)))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def all_met(rows: Sequence[Row]) -> bool:
    """Whether everything that was asked is met."""
    return all(row.met is not False for row in rows)
