"""The mapping is chosen by name in the rig; both keep the promises of the tick."""

from __future__ import annotations

import dataclasses

import pytest

from elsewhere.errors import UnknownNameError
from elsewhere.motion.retarget.absolute import Absolute
from elsewhere.motion.retarget.base import STATE
from elsewhere.motion.retarget.registry import RETARGETERS, find_retargeter, make_retargeter
from elsewhere.rig import MAPPINGS


def test_the_rig_knows_every_mapping_and_they_share_one_record():
    assert set(MAPPINGS) == set(RETARGETERS)
    assert all(kind.STATE is STATE for kind in RETARGETERS.values())


def test_an_unknown_name_lists_the_valid_ones():
    with pytest.raises(UnknownNameError, match=r"Did you mean 'clutched'.*Valid: absolute, clutched"):
        find_retargeter("cluched")


def test_made_as_the_rig_says(body):
    control = dataclasses.replace(body.rig.control, mapping="absolute", clutches=1, scale=0.5)
    made = make_retargeter(dataclasses.replace(body, rig=dataclasses.replace(body.rig, control=control)))
    assert isinstance(made, Absolute)
    assert (made.settings.scale, made.settings.clutches, made.settings.has_arm) == (0.5, 1, (True, True))
    for side, arm in enumerate(body.arms):
        assert made.settings.home_p[side] == pytest.approx(arm.chain.forward(arm.home)[1])
