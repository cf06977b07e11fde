"""The command line: bad input is one sentence and exit code 2."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest


def elsewhere(*arguments, cwd=None):
    command = [sys.executable, "-m", "elsewhere.cli", *map(str, arguments)]
    wide = {**os.environ, "COLUMNS": "500"}  # so that a long path is not broken over lines
    return subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=cwd, env=wide)


def sentence(result):
    assert result.returncode == 2, result.stderr
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.split())


def test_unknown_rig():
    assert "There is no rig 'comodity'. Did you mean 'commodity'?" in sentence(elsewhere("run", "comodity"))


def test_scripts_that_do_not_exist_or_fit():
    assert "no script 'wav'. Did you mean 'wave'?" in sentence(
        elsewhere("run", "overlay", "--script", "wav")
    )
    wrong = sentence(elsewhere("run", "commodity", "--script", "wave"))
    assert "is for the arm 'yumi', and this robot's left arm is 'panda'" in wrong


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('name = "x"\nspeed = 3', "There is no key 'speed'"),
        ('name = "x"\n[arms]\nleft = { part = "pandora" }', "no arm 'pandora'. Did you mean 'panda'?"),
        ('name = "x"\n[arms]\nleft = { part = "panda", mount = "upside" }', "no arm mount 'upside'"),
        ('name = "x"\n[arms]\nleft = { part = "missing.urdf" }', "missing.urdf"),
        ('name = "x"\ndriver = "reality"', "There is no driver 'reality'"),
        ('name = "x"\n[world]\nscene = "moon"', "There is no scene 'moon'"),
    ],
)
def test_wrong_rigs(tmp_path, toml, words):
    path = tmp_path / "x.toml"
    path.write_text(toml)
    assert words in sentence(elsewhere("run", path, "--port", 0, cwd=tmp_path))


def test_a_model_that_cannot_be_read(tmp_path):
    (tmp_path / "arm.urdf").write_text("<robot>")
    (tmp_path / "x.toml").write_text('name = "x"\n[arms]\nleft = { part = "arm.urdf", tip = "t" }')
    assert "arm.urdf" in sentence(elsewhere("run", tmp_path / "x.toml", "--port", 0, cwd=tmp_path))


def test_unknown_task():
    words = sentence(elsewhere("run", "--operator", "scripted", "--task", "pge"))
    assert "There is no task 'pge'. Did you mean 'peg'? Valid: all, block, lever, peg." in words


def test_a_port_that_is_taken(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        words = sentence(elsewhere("run", "--port", port, cwd=tmp_path))
    assert f"Port {port}" in words
    assert "--port" in words


def test_files_that_are_no_recordings(tmp_path):
    wrong = tmp_path / "wrong.mcap"
    wrong.write_bytes(b"hello")
    missing = tmp_path / "none.mcap"
    for command in (("info", wrong), ("replay", wrong), ("export", wrong, "--csv"), ("info", missing)):
        sentence(elsewhere(*command))


def test_nothing_to_export_is_said(tmp_path):
    assert "--csv" in sentence(elsewhere("export", tmp_path / "x.mcap"))


def test_unknown_experiment_lists_the_known_ones():
    assert "latency" in sentence(elsewhere("lab", "latencia"))


def test_rigs_and_help():
    listed = elsewhere("rigs")
    assert listed.returncode == 0
    assert "commodity" in listed.stdout
    assert "45-down" in listed.stdout
    assert "block, peg, lever or all" in " ".join(
        elsewhere("run", "--help").stdout.replace("│", " ").split()
    )
    helped = elsewhere("--help")
    for command in ("run", "info", "replay", "export", "lab", "rigs"):
        assert command in helped.stdout


@pytest.mark.stack
def test_a_scripted_operator_completes_the_task_and_its_recording_replays(tmp_path):
    """The whole stack through its real edges: processes, link, physics, recorder, replay."""
    run = elsewhere("run", "--port", 0, "--operator", "scripted", "--seconds", 180, "--json", cwd=tmp_path)
    outcome = json.loads(run.stdout)
    assert outcome["completed"], run.stderr
    assert outcome["goals"]["block_on_tray"]
    (recording,) = (tmp_path / "recordings").glob("*.mcap")
    facts = json.loads(elsewhere("info", recording, "--json").stdout)
    assert facts["complete"]
    replayed = json.loads(elsewhere("replay", recording, "--json").stdout)
    assert replayed["identical"]
    assert replayed["skipped"] == 0
