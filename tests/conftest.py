"""What every test shares. Where CI=true, a test that would be skipped fails instead."""

from __future__ import annotations

import os
from collections.abc import Generator

os.environ.setdefault("MUJOCO_GL", "egl")

import pytest
from hypothesis import settings

from elsewhere.bodies.body import Body
from elsewhere.bodies.compose import compose
from elsewhere.rig import Rig, load_rig
from elsewhere.world import graphics

# A shared machine makes single examples slow now and then: that is no failure of the code.
settings.register_profile("elsewhere", deadline=None, derandomize=True)
settings.load_profile("elsewhere")

# Some tests draw with MuJoCo's own renderer: it must not settle how the driver draws for all that follow.
graphics.prepare()

STRICT = os.environ.get("CI", "").lower() in ("1", "true")


@pytest.fixture(scope="session")
def rig() -> Rig:
    return load_rig("commodity")


@pytest.fixture(scope="session")
def body(rig: Rig) -> Body:
    """The default avatar, composed once a run: tests do not change it."""
    return compose(rig)


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if STRICT and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"Skipped, which CI=true does not allow: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse_skip(report)
    return report
