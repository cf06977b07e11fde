"""Percentiles, and ours beside what is asked."""

from __future__ import annotations

import math

import pytest

from elsewhere.lab.statistics import Row, all_met, mean, number, percentile, percentile_of_answers, ratio


def test_percentiles_interpolate_and_ignore_what_is_not_a_number() -> None:
    assert percentile([1, 2, 3, 4, 5], 50) == 3
    assert percentile([0.0, 10.0], 95) == pytest.approx(9.5)
    assert percentile([1, math.nan, 3], 50) == 2
    assert math.isnan(percentile([], 50))
    assert mean([1, 2, 3, math.inf]) == 2


def test_what_was_never_answered_counts_as_slowest() -> None:
    delays = [30.0, 40.0, math.inf, math.nan]
    assert percentile_of_answers(delays, 50) == 40.0
    assert math.isnan(percentile_of_answers(delays, 95))
    assert math.isnan(percentile_of_answers([math.nan], 50))
    assert percentile_of_answers([10.0, 20.0], 0) == 10.0


def test_ratio_of_nothing_is_not_a_number() -> None:
    assert ratio(1, 4) == 0.25
    assert math.isnan(ratio(1, 0))


@pytest.mark.parametrize(
    ("ours", "asked", "sense", "met"),
    [
        (99.0, 100.0, "at most", True),
        (101.0, 100.0, "at most", False),
        (29.9, 30.0, "at least", False),
        (95.0, 100.0, "about", True),
        (120.0, 100.0, "about", False),
        (5.0, None, "at most", None),
        (math.nan, 100.0, "at most", False),
        (math.nan, 100.0, "about", False),
    ],
)
def test_rows_say_whether_they_are_met(
    ours: float, asked: float | None, sense: str, met: bool | None
) -> None:
    assert Row("x", ours, "ms", asked, sense).met is met  # type: ignore[arg-type]


def test_a_row_reads_well() -> None:
    row = Row("video latency", 64.25, "ms", 120, "at most")
    assert (row.ours_text, row.asked_text, row.met_text) == ("64.2 ms", "at most 120 ms", "yes")
    assert Row("loops", 12345.0).ours_text == "12,345"
    assert Row("loops", math.nan, "ms").ours_text == "not measured"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.5, "0.5"), (1234567, "1.23e+06"), (0.001234, "0.00123"), (100.0, "100")],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_all_met_ignores_what_nobody_asked() -> None:
    assert all_met([Row("a", 1.0), Row("b", 1.0, asked=2.0)])
    assert not all_met([Row("b", 3.0, asked=2.0)])
