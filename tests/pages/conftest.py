"""Real pages in a real Chromium, against a real avatar: one of each for every test file.

The machine may be slow and shared, so nothing here measures time: a test does something as a person
would, and waits until the page or the avatar shows what must follow. Only a long time-out fails it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from page_driving import Cockpit

from elsewhere.lab.browser import open_browser
from elsewhere.lab.running import RunningAvatar
from elsewhere.rig import load_rig

# The default avatar, made patient: where browser and avatar share two cores with others, and pixels are
# painted by the processor, frames may come later than the default watchdog allows.
PATIENT = """
[video]
width = 320
height = 240
rate_hz = 15

[control]
watchdog_ms = 1000.0
fade_s = 1.0
"""


@pytest.fixture(scope="module")
def avatar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningAvatar]:
    """An avatar as `elsewhere run` starts it, in a folder of its own."""
    rig = tmp_path_factory.mktemp("rig") / "patient.toml"
    rig.write_text(load_rig("commodity").path.read_text() + PATIENT)
    with RunningAvatar(str(rig), arguments=("--no-record",)) as running:
        yield running


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A Chromium that paints by the processor. A test file adds flags by `FLAGS`."""
    with open_browser(getattr(request.module, "FLAGS", ()), webgl=False) as running:
        yield running


@pytest.fixture(scope="module")
def cockpit(avatar: RunningAvatar, browser: Any) -> Iterator[Cockpit]:
    """The operator's page of this file, driving."""
    context = browser.new_context(viewport={"width": 960, "height": 600})
    cockpit = Cockpit(context.new_page())
    cockpit.open(avatar.url)
    yield cockpit
    context.close()


@pytest.fixture
def driving(cockpit: Cockpit) -> Iterator[Cockpit]:
    """The page, driving, with no key held and nothing in motion; left so for the next test."""
    cockpit.await_driving()
    cockpit.await_clutch(taken=False)
    cockpit.at_rest()
    yield cockpit
    cockpit.let_go()
