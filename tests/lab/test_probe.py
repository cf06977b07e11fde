"""The stamp in the pixels, written by Python and read by the probe in a real browser."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from elsewhere.errors import BrowserError
from elsewhere.lab import browser
from elsewhere.lab.browser import find_browser, open_browser
from elsewhere.lab.driver import nudges
from elsewhere.lab.probe import PageClock, Probe, page_clock, script
from elsewhere.messages import Pong, VideoStamp, encode
from elsewhere.presence.framestamp import STRIP_WIDTH, write_stamp

NUMBERS = (0, 1, 2, 12345, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
READ_RGBA = """([width, height, text]) => {
  const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const init = { format: "RGBA", codedWidth: width, codedHeight: height, timestamp: 0 };
  return elsewhereProbe.read(new VideoFrame(data, init));
}"""
READ_I420 = READ_RGBA.replace('"RGBA"', '"I420"')


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with open_browser() as chromium:
        page = chromium.new_page(viewport={"width": 400, "height": 300})
        page.add_init_script(script())
        # WebCodecs exist in secure contexts only; a served page on this machine is one.
        page.route("http://127.0.0.1:1/", lambda route: route.fulfill(body="<body>probe</body>"))
        page.goto("http://127.0.0.1:1/")
        yield page


def rgba(picture: np.ndarray) -> list[Any]:
    """What a page gets of a picture (height, width, 3)."""
    full = np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])
    return [picture.shape[1], picture.shape[0], base64.b64encode(full.tobytes()).decode()]


def i420(picture: np.ndarray) -> list[Any]:
    """What a video decoder makes of a grey picture: luma in 16..235, then two quarter planes."""
    luma = (16 + picture[:, :, 0].astype(float) * 219 / 255).astype(np.uint8)
    chroma = np.full(luma.size // 2, 128, np.uint8)
    data = base64.b64encode(luma.tobytes() + chroma.tobytes()).decode()
    return [picture.shape[1], picture.shape[0], data]


@pytest.mark.page
def test_the_probe_reads_what_python_wrote(page: Any) -> None:
    for number in NUMBERS:
        picture = np.full((32, STRIP_WIDTH + 64, 3), 90, np.uint8)
        write_stamp(picture, number)
        assert page.evaluate(READ_RGBA, rgba(picture)) == number
        assert page.evaluate(READ_I420, i420(picture)) == number


@pytest.mark.page
def test_the_probe_refuses_pictures_without_a_number(page: Any) -> None:
    for level in (0, 90, 255):
        picture = np.full((32, STRIP_WIDTH + 64, 3), level, np.uint8)
        assert page.evaluate(READ_RGBA, rgba(picture)) == -1
        assert page.evaluate(READ_I420, i420(picture)) == -1


@pytest.mark.page
def test_the_clock_of_the_page_runs_with_ours(page: Any) -> None:
    first = page_clock(page, tries=20)
    page.wait_for_timeout(100)
    second = page_clock(page, tries=20)
    uncertain_ns = 1e6 * (first.round_trip_ms + second.round_trip_ms) / 2 + 2e5
    assert abs(first.origin_ns - second.origin_ns) <= uncertain_ns


@pytest.mark.page
def test_mouse_motions_are_heard_with_their_time_stamps(page: Any) -> None:
    probe = Probe(page)
    probe.take()
    probe.inputs.clear()
    for y in (100, 90, 110):
        page.mouse.move(50, y)
    page.wait_for_timeout(100)
    probe.take()
    found = nudges(probe, PageClock(0.0, 0.1))
    assert [nudge.direction[2] for nudge in found] == [1.0, -1.0]
    assert found[0].at_ns < found[1].at_ns


class Recorded:
    """A page that answers `take` with what was recorded, as a real one does."""

    def __init__(self, taken: dict[str, Any] | None) -> None:
        self.taken = taken

    def evaluate(self, _: str) -> dict[str, Any] | None:
        return self.taken


def text(message: Any) -> str:
    return base64.b64encode(encode(message)).decode()


def test_frames_are_joined_with_their_stamps_each_once() -> None:
    stamps = [VideoStamp(n, 90 * n, 1000 + n, (1.0, 0.0, 0.0, 0.0)) for n in (1, 2, 3)]
    probe = Probe(
        Recorded(
            {
                "frames": [
                    [1, 10.0, 12.0, 90, 1, 0.2],
                    [-1, 20.0, 22.0, 180, 2, 0.2],  # could not be read
                    [3, 30.0, 32.0, 271, 3, 0.2],  # its RTP time means another frame
                    [3, 31.0, 33.0, 270, 3, 0.2],  # shown again
                    [9, 40.0, 42.0, 810, 4, 0.2],  # nobody told of it
                ],
                "inputs": [],
                "unreadable": 1,
                "stamps": [*map(text, stamps), text(Pong(1, 2, 3, 4)), base64.b64encode(b"\xc1?").decode()],
            }
        )
    )
    probe.take()
    shown = probe.presented()
    assert shown["number"].tolist() == [1, 3]
    assert shown["sampled_ns"].tolist() == [1001, 1003]
    assert shown["rtp_agrees"].tolist() == [True, False]
    assert probe.unreadable == 1


def test_a_page_without_the_probe_is_one_sentence() -> None:
    with pytest.raises(BrowserError, match="not in the page"):
        Probe(Recorded(None)).take()


def test_no_browser_is_one_sentence_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ELSEWHERE_BROWSER", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(browser, "MAC", ())
    with pytest.raises(BrowserError, match="apt-get install chromium"):
        find_browser()
    monkeypatch.setenv("ELSEWHERE_BROWSER", "no-such-browser")
    with pytest.raises(BrowserError, match="ELSEWHERE_BROWSER names no-such-browser"):
        find_browser()
