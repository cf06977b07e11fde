"""Replays: the same numbers each time, exact where exactness is claimed, and order that matters or not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.lab.overlay_replay import METRICS
from elsewhere.lab.overlay_scene import SOLVERS, Scene
from elsewhere.lab.overlay_session import session
from elsewhere.lab.script_motion import motion_of
from elsewhere.lab.wearing import Fitting, Outward, RobotArms, Separately
from elsewhere.motion.script import load_script
from elsewhere.status import LEFT, RIGHT

EXACT = [name for name in METRICS if name != "micros"]


@pytest.fixture(scope="module")
def scene():
    return Scene.of("overlay")


@pytest.fixture(scope="module")
def logged(scene):
    """A session of 24 frames that goes through all poses in large steps."""
    motion = motion_of(load_script("poses"), scene.body, scene.home)
    frames = np.linspace(0, len(motion.q) - 1, 24).astype(int)
    return scene.watched(session(scene.rig, motion.q[frames], motion.opening[frames]))


@pytest.fixture(scope="module")
def tracks(scene, logged):
    found = scene.replay().run(logged, scene.wearers(SOLVERS), pictured=[3])
    return {track.solver: track for track in found}


def test_there_is_a_row_for_each_frame_and_arm(tracks, logged):
    for name, track in tracks.items():
        rows = list(track.rows())
        assert len(rows) == 2 * len(logged)
        assert {row["solver"] for row in rows} == {name}
        assert {"frame", "time", "side", "status", *METRICS} <= set(rows[0])
        assert all(0.3 < row["overlay"] <= 1.0 for row in rows)
        assert track.pictures[3].shape == (480, 640, 3)
    assert tracks["onia"].seconds > 0


def test_onia_is_exact_and_bounded_keeps_its_bounds(tracks):
    onia = tracks["onia"].arms
    assert max(onia["elbow_off"].max(), onia["wrist_off"].max()) < 1e-9
    for name in ("bounded", "together", "dls", "fabrik"):
        for stretch in ("stretch_upper", "stretch_fore"):
            values = tracks[name].arms[stretch]
            assert values.min() >= 0.8 - 1e-9, name
            assert values.max() <= 1.3 + 1e-9, name


def test_the_baselines_keep_a_persons_joint_limits_and_onia_does_not(tracks):
    over = {
        name: max(track.arms[key].max() for key in ("swing_over", "twist_over", "hinge_over"))
        for name, track in tracks.items()
    }
    assert np.degrees(over["dls"]) < 0.5
    assert np.degrees(over["fabrik"]) < 0.5
    assert np.degrees(over["onia"]) > 5.0


def test_a_replay_gives_the_same_numbers(scene, logged, tracks):
    again = scene.replay().run(logged, scene.wearers(("onia", "fabrik")))
    for track in again:
        first = tracks[track.solver]
        assert np.array_equal(track.overlay, first.overlay)
        for name in EXACT:
            assert np.array_equal(track.arms[name], first.arms[name]), name


def test_order_matters_to_solvers_that_remember_only(scene, logged, tracks):
    shuffled = np.random.default_rng(1).permutation(len(logged))
    mixed = scene.replay().run(logged.taken(shuffled), scene.wearers(("onia", "dls", "fabrik")))
    back = np.argsort(shuffled)
    same = {
        track.solver: all(
            np.array_equal(track.arms[name][back], tracks[track.solver].arms[name]) for name in EXACT
        )
        for track in mixed
    }
    assert same == {"onia": True, "dls": False, "fabrik": False}


def test_frames_that_do_not_count_change_nothing(scene, logged, tracks):
    wearers = scene.wearers(SOLVERS)
    for track in scene.replay().run(logged, wearers, measured=[5, 20]):
        assert track.frames.tolist() == [5, 20]
        assert np.array_equal(track.overlay, tracks[track.solver].overlay[[5, 20]])


def test_who_looks_away_has_no_ratio(scene, logged):
    away = replace(logged.taken(slice(0, 1)), viewer_p=np.array([[40.0, 0.0, 1.4]]))
    away.viewer_p[0, 1] = 60.0  # far aside of where it looks
    (track,) = scene.replay().run(away, scene.wearers(("onia",)))
    assert np.isnan(track.overlay[0])
    assert np.isnan(track.arms["overlay"]).all()
    assert track.arms["elbow_off"].max() < 1e-9


def test_an_elbow_is_moved_out_of_the_bend_only(scene, logged):
    q = logged.q[4]
    robot = RobotArms.at(scene.replay()._robot.arms, q)
    worn = Outward(scene.human, 0.03).step(Fitting.of(scene.human, robot))
    for side in range(2):
        way = worn.poses[side].elbow(worn.arms[side]) - robot.elbows[side]
        bent = np.linalg.norm(worn.references[side].elbow - robot.elbows[side])
        assert np.linalg.norm(way) == pytest.approx(bent, abs=1e-9)
        to_line = 0.5 * (robot.shoulders[side] + robot.wrists[side]) - robot.elbows[side]
        assert way @ to_line < 0  # away from the straight line


def test_a_fabrik_that_starts_trapped_stays_finite_and_within_its_limits(scene, logged):
    wearer = Separately("fabrik", trapped=(LEFT, RIGHT))
    (track,) = scene.replay().run(logged, [wearer], measured=[len(logged) - 1])
    for name in EXACT:
        assert np.isfinite(track.arms[name]).all()
    assert track.arms["stretch_upper"].max() <= 1.3 + 1e-9
