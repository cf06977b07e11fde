"""The report page: complete, self-contained, and silent about whose machine it was."""

from __future__ import annotations

import getpass
import json
import math
import socket
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import RecordingError
from elsewhere.lab.environment import environment
from elsewhere.lab.experiment import Experiment, Progress, Result, option
from elsewhere.lab.plots import Histogram, TimeLine
from elsewhere.lab.report import plain, svg, write_report
from elsewhere.lab.statistics import Row


@dataclass(frozen=True)
class Made(Experiment):
    name = "made-up"
    title = "Numbers made up for a test"
    question = "Is 2 < 3, and does <b>this</b> stay text?"
    paper = "None"

    seconds: float = option(20.0, "how long")

    def run(self, progress: Progress) -> Result:
        return synthetic()


def synthetic() -> Result:
    random = np.random.default_rng(1)
    times = np.linspace(0, 20, 600)
    video = 62 + 8 * random.standard_normal(600) + 15 * (random.random(600) < 0.03)
    period = 1000 + 20 * random.standard_normal(20_000)
    return Result(
        rows=(
            Row("frames presented", 29.97, "/s", 30, "about", "design"),
            Row("video latency, median", float(np.median(video)), "ms", 120, "at most", "AVATRINA"),
            Row("video latency, 95 %", float(np.percentile(video, 95)), "ms", 60, "at most", "ours"),
            Row("resident memory", 812.0, "MB"),
            Row("not there", math.nan, "ms", 5),
        ),
        plots=(
            Histogram("Video latency", "ms", {"video": video}, marks={"asked": 120}, caption="How late."),
            TimeLine(
                "Over time", "ms", {"video": (times, video), "command": (times, video / 2)}, points=True
            ),
            Histogram(
                "Loop period", "us", {"period": period}, limits=(900, 1100), marks={"2 ms late": 1090}
            ),
        ),
        notes=("One note with <angle> brackets.",),
        summary={"fps": np.float64(29.97), "video_p50_ms": float(np.median(video))},
    )


class Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]


def test_the_page_is_whole_and_needs_no_network(tmp_path: Path) -> None:
    text = write_report(tmp_path, Made(), synthetic()).read_text()
    outline = Outline()
    outline.feed(text)
    assert outline.tags.count("svg") == 3
    assert outline.tags.count("tr") == 6
    assert "script" not in outline.tags
    assert all(link.startswith("#") for link in outline.links)
    assert "does &lt;b&gt;this&lt;/b&gt; stay text" in text
    assert "2 of 4 met" in text
    assert "not measured" in text


def test_the_numbers_stand_beside_the_page(tmp_path: Path) -> None:
    page = write_report(tmp_path, Made(seconds=3.0), synthetic())
    data = json.loads(page.with_suffix(".json").read_text())
    assert data["options"] == {"seconds": 3.0}
    assert data["summary"]["fps"] == pytest.approx(29.97)
    assert [row["met"] for row in data["rows"]] == [True, True, False, None, False]
    assert data["rows"][4]["ours"] is None
    assert sum(data["plots"]["Loop period"]["counts"]["period"]) == 20_000


def test_the_machine_has_no_name() -> None:
    facts = environment()
    assert facts["processor"]
    assert int(facts["cores"]) > 0
    words = " ".join(facts.values()).split()
    assert socket.gethostname() not in words
    assert getpass.getuser() not in words


def test_plots_are_the_same_for_the_same_data() -> None:
    plot = synthetic().plots[0]
    assert svg(plot) == svg(plot)
    assert svg(plot).startswith("<svg")


def test_a_plot_of_nothing_is_still_a_plot() -> None:
    assert "<svg" in svg(Histogram("Nothing", "ms", {"video": np.zeros(0)}))
    assert "<svg" in svg(TimeLine("Nothing", "ms", {"video": (np.zeros(0), np.zeros(0))}))


def test_plain_values() -> None:
    assert plain({"a": np.arange(2), "b": (1, math.inf), 3: np.bool_(True)}) == {
        "a": [0, 1],
        "b": [1, None],
        "3": True,
    }


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(RecordingError, match="cannot be written"):
        write_report(file, Made(), synthetic())
