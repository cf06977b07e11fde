"""The adversary finds nothing in the product, and does find what is put there."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.lab._adversary_kernels import CHECKS, FAULTS, LIMITS, MEMORY, inspect
from elsewhere.lab.adversary import AdversaryExperiment, Arena, Ledger, conclude
from elsewhere.lab.experiment import quiet
from elsewhere.operator.adversaries import ADVERSARIES
from elsewhere.records import TAP, zeros


@pytest.fixture(scope="module")
def arena(body):
    return Arena(body, 0)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_no_operator_breaks_a_limit(arena, name):
    ledger = Ledger()
    arena.episode(name, 3, 1500, ledger)
    assert ledger.total == 0, (name, ledger)
    assert len(ledger.compute_us) == 1500
    assert ledger.tracking > 300  # it was spent moving
    assert ledger.worst[CHECKS.index("reference velocity")] > 0.02


def test_the_table_says_what_was_asked_for():
    said = []
    result = AdversaryExperiment(ticks=300).run(said.append)
    assert result.summary["violations"] == 0
    assert result.summary["ticks"] == 300
    assert set(result.summary["worst"]) == set(CHECKS)
    assert result.summary["compute_us_p99"] > 0.0
    assert "violations: 0" in result.notes[0]
    assert any("300 of 300" in text for text in said)
    quiet("")


class Inspection:
    """Two quiet ticks, and then one that a test spoils."""

    def __init__(self, body):
        self.limits = np.ones((len(LIMITS), 2, 8))
        for side, arm in enumerate(body.arms):
            for row, name in enumerate(LIMITS):
                self.limits[row, side, :7] = getattr(arm.limits, name)
        self.ledger, self.memory = Ledger(), np.zeros(1, MEMORY)
        self.tap, self.home = zeros(TAP).reshape(1), [arm.home for arm in body.arms]
        self.tap["state"]["q"][0, :, :7] = self.tap["q_wanted"][0, :, :7] = self.home
        for _ in range(4):
            self.step()
        assert self.ledger.total == 0

    def step(self):
        self.tap["command"]["seq"] += np.uint64(1)
        joints = np.array([7, 7])
        inspect(self.tap, self.limits, joints, 1e-3, self.memory, self.ledger.worst, self.ledger.violations)

    @property
    def found(self):
        return {name for name, n in zip((*CHECKS, *FAULTS), self.ledger.violations, strict=True) if n}


SPOILT = {
    "position": lambda tap: tap["state"]["q"].__setitem__((0, 1, 2), 2.9),
    "velocity": lambda tap: tap["state"]["dq"].__setitem__((0, 0, 1), -2.2),
    "felt torque": lambda tap: tap["state"]["tau"].__setitem__((0, 0, 6), 12.1),
    "torque rate": lambda tap: tap["command"]["tau"].__setitem__((0, 0, 0), 1.1),
    "reference jerk": lambda tap: tap["q_wanted"].__setitem__((0, 1, 1), tap["q_wanted"][0, 1, 1] + 5e-6),
    "not finite": lambda tap: tap["target_p"].__setitem__((0, 1, 1), np.nan),
}


@pytest.mark.parametrize("name", SPOILT)
def test_each_check_can_fail(body, name):
    inspection = Inspection(body)
    SPOILT[name](inspection.tap)
    inspection.step()
    assert inspection.found == {name}
    assert conclude(inspection.ledger, 5, 1.0).summary["violations"] >= 1


def test_sequence_power_torque_and_engaging_are_checked(body):
    inspection, tap = Inspection(body), None
    tap = inspection.tap
    tap["command"]["tau"][0, 0, 0], tap["state"]["dq"][0, 0, 0] = 88.0, 2.0
    tap["clutched"][0, 1], tap["target_p"][0, 1, 0] = 1, 0.1
    tap["command"]["seq"] -= np.uint64(1)
    inspection.step()
    assert inspection.found == {
        "torque",
        "power",
        "torque rate",
        "sequence not increasing",
        "target moved on engaging",
    }
