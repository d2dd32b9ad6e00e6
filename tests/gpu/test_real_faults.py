"""What a GPU really does to a run: a kernel that leaves its memory, memory that is gone. The run ends in a sentence,
its last good checkpoint can be read, and it goes on from there on the CPU. Each fault has a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.real import LAUNCHED
from workbench.cli import BAD_INPUT, DONE, RUN_FAILED, main
from workbench.run.states.checkpoint import _read, checkpoints_at

pytestmark = pytest.mark.gpu
fills_the_gpu = pytest.mark.keeps_time  # tests beside these would find no memory
ROOT = Path(__file__).parents[2]
RESTART = "restart the application before the next run on it."
NO_MEMORY = "The GPU ran out of memory: use a smaller problem, single precision, or another device."
RUN = ["gray_scott_coral", "--until", "60", "--snapshot-every", "14", "--checkpoint-every", "0.001", "--no-pictures"]


def child(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.real", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in (str(ROOT), *sys.path) if p)},
        capture_output=True,
        text=True,
        timeout=90,
    )


def only_sentences(told: str) -> None:
    for word in ("Traceback", "Exception ignored", "unexpected"):
        assert word not in told, told


def broken_run(fault: str, out: Path) -> tuple[int, str]:
    """Exit code, and what stderr said."""
    done = child(fault, "run", *RUN, "--device", "cuda:0", "--out", str(out))
    only_sentences(done.stderr)
    return done.returncode, done.stderr


def goes_on_on_the_cpu(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in checkpoints_at(out / "checkpoint.npz"):
        meta, _ = _read(file)
        assert meta.step > 0
    assert main(["resume", str(out), "--device", "cpu"]) == DONE, capsys.readouterr().err
    outcome = json.loads((out / "run.json").read_text())["outcome"]
    assert (outcome["state"], outcome["time"]) == ("finished", pytest.approx(60.0))


@pytest.mark.parametrize("fault", LAUNCHED)
def test_a_kernel_that_fails_ends_the_run_and_it_goes_on_on_the_cpu(fault, tmp_path, capsys):
    code, told = broken_run(fault, tmp_path / "out")
    assert "provoked" in told
    assert code == RUN_FAILED, told
    assert RESTART in told, told
    assert f"'workbench resume {tmp_path / 'out'} --device cpu' goes on from its last checkpoint on the CPU." in told
    assert json.loads((tmp_path / "out" / "run.json").read_text())["outcome"]["state"] == "failed"
    goes_on_on_the_cpu(tmp_path / "out", capsys)


@fills_the_gpu
def test_a_run_that_asks_for_more_than_is_left_ends_and_goes_on_on_the_cpu(tmp_path, capsys):
    code, told = broken_run("more", tmp_path / "out")
    assert "provoked" not in told
    assert code == RUN_FAILED, told
    assert NO_MEMORY in told, told
    goes_on_on_the_cpu(tmp_path / "out", capsys)


@fills_the_gpu
def test_memory_that_others_take_from_a_run_costs_it_nothing_or_ends_it_in_a_sentence(tmp_path, capsys):
    code, told = broken_run("full", tmp_path / "out")
    assert "provoked" in told
    if code == RUN_FAILED:
        assert NO_MEMORY in told, told
        goes_on_on_the_cpu(tmp_path / "out", capsys)
        return
    assert code == DONE, told
    assert json.loads((tmp_path / "out" / "run.json").read_text())["outcome"]["state"] == "finished"


@fills_the_gpu
def test_a_run_on_a_gpu_that_is_full_is_refused_in_a_sentence(tmp_path):
    code, told = broken_run("full from the start", tmp_path / "out")
    assert code in (BAD_INPUT, RUN_FAILED), told
    assert "memory" in told, told
    assert not checkpoints_at(tmp_path / "out" / "checkpoint.npz")


def test_the_process_of_a_run_that_lost_its_gpu_goes_on_on_the_cpu():
    """As the window does after its banner."""
    done = child("illegal", "window")
    assert done.returncode == 0, done.stderr
    only_sentences(done.stderr)
    answer = json.loads(done.stdout)
    assert RESTART in answer["error"]
    assert (answer["lost"], answer["state"], answer["later"], answer["failure"]) == (True, "finished", None, "None")
