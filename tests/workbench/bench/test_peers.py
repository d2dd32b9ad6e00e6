"""Peers beside ours: each in its process, compared before it is timed, and nothing that one does is our error."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from tests.workbench.bench import fake_peer
from workbench.bench.peers import cases, child, process
from workbench.bench.peers.case import Place
from workbench.bench.peers.contest import Effort, contest
from workbench.bench.peers.process import environment
from workbench.bench.peers.record import PeersRecord, lines_of, to_csv, to_json
from workbench.cli import DONE, WRONG, main
from workbench.cli.runs import peers

ROOT = Path(__file__).parents[3]
FAKE = "tests.workbench.bench.fake_peer"
EFFORT = Effort(least=3, most=3, seconds=0.0, ready=30.0, run=30.0)
DEVICE = CpuBackend().info


@pytest.fixture(autouse=True)
def found_by_children(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setattr(process, "ENDING", 0.5)


def tried(does: str, effort: Effort = EFFORT):
    return contest(fake_peer.CASE, FAKE, fake_peer.size(does), DEVICE, 1, effort)


def test_both_are_timed_in_processes_of_their_own():
    found = tried("same")
    assert not found.refused
    assert found.difference == 0.0
    assert (found.ours.seconds, found.theirs.seconds, found.ratio) == (0.25, 0.5, 2.0)
    assert (found.ours.runs, found.ours.threads, found.ours.device) == (3, 1, "cpu")
    assert set(found.theirs.versions) == {"numpy"}  # of what is installed
    assert 0.0 <= found.ours.core_seconds < 1.0
    assert {"numpy", "numba"} <= set(found.ours.versions)
    processes = {note.split(",")[0] for note in (found.ours.note, found.theirs.note)}
    assert len(processes | {f"PID {os.getpid()}"}) == 3


def test_time_of_cores_is_that_of_all_that_worked_for_a_process(monkeypatch: pytest.MonkeyPatch):
    """User and system, its own and its children's; not the clock on the wall."""
    monkeypatch.setattr(child.os, "times", lambda: (1.0, 2.0, 4.0, 8.0, 100.0))
    assert child.core_seconds() == 15.0


def test_a_peer_that_is_not_there_is_told_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(fake_peer.MODULE, "no_such_package.inside")
    found = tried("same")
    assert found.refused == "Countess is not installed: pip install countess"
    assert not found.wrong
    assert found.ratio is None


@pytest.mark.parametrize("does", ["wrong", "slightly wrong", "none"])
def test_a_wrong_answer_is_not_timed(does):
    found = tried(does)
    assert found.wrong
    assert "where 1e-06 is allowed (largest difference of the counts)" in found.refused
    assert found.ours is None


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        ("raises", "Countess ended: ArithmeticError: no more counts"),
        ("exits", "Countess ended: out of numbers"),
        ("killed", "Countess ended: exit code -9, nothing was said"),
    ],
)
def test_what_crashes_is_told_by_its_last_words(does, reason):
    found = tried(does)
    assert (found.refused, found.wrong) == (reason, False)


@pytest.mark.parametrize("does", ["late", "slow"])
def test_what_takes_too_long_is_ended(does):
    patience = Effort(least=1, most=1, seconds=0.0, ready=3.0, run=3.0)
    assert tried(does, patience).refused == "Countess takes longer than 3 s"


def test_both_have_the_same_threads_and_one_device(monkeypatch: pytest.MonkeyPatch):
    from dataclasses import replace

    given = environment(DEVICE, 3)
    assert {given[name] for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")} == {"3"}
    assert (given["JAX_PLATFORMS"], given["CUDA_VISIBLE_DEVICES"]) == ("cpu", "")
    second = replace(DEVICE, kind="cuda", id="cuda:1")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert environment(second, 3)["CUDA_VISIBLE_DEVICES"] == "1"
    assert environment(second, 3)["JAX_PLATFORMS"] == "cuda,cpu"  # and no CPU in a GPU's place
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    assert environment(second, 3)["CUDA_VISIBLE_DEVICES"] == "7"


@pytest.mark.parametrize(("ours", "given"), [(True, None), (False, "PASSIVE")])
def test_a_peer_waits_as_it_does_by_itself_or_as_a_person_says(monkeypatch: pytest.MonkeyPatch, ours, given):
    """Brian2 in C++, whose threads were put to sleep by our setting, made a third of its steps."""
    monkeypatch.setattr(process, "SLEEP_IS_OURS", ours)
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    assert environment(DEVICE, 2).get("OMP_WAIT_POLICY") == given


@pytest.mark.parametrize("said", [None, "PASSIVE"])
def test_a_peer_that_imports_our_modules_waits_so_too(monkeypatch: pytest.MonkeyPatch, said):
    """Brian2's side takes the network's values from ours, and its program had the environment of its process."""
    monkeypatch.setattr(process, "SLEEP_IS_OURS", said is None)
    if said:
        monkeypatch.setenv("OMP_WAIT_POLICY", said)
    assert tried("waits").theirs.note == f"OMP_WAIT_POLICY is {said}"


def test_a_record_has_all_that_is_needed_to_repeat_it():
    records = [tried("same"), tried("wrong")]
    record = PeersRecord.of(DEVICE, 1, records, 0.5)
    document = json.loads(to_json(record))
    assert document["device"]["name"] == DEVICE.name
    assert document["records"][0]["ratio"] == 2.0
    assert document["records"][0]["values"] == {"does": "same"}
    assert document["records"][0]["ours"] == asdict(records[0].ours)
    rows = list(csv.DictReader(io.StringIO(to_csv(record))))
    assert [row["ratio"] for row in rows] == ["2.0", ""]
    assert float(rows[0]["theirs_seconds"]) == 0.5
    text = "\n".join(lines_of(records[0]))
    assert "ours / Countess: 2.00×" in text
    assert "answers differ by 0.0e+00 of 1e-06 allowed" in text
    assert records[1].refused in "\n".join(lines_of(records[1]))


@pytest.fixture
def only_the_fake(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cases, "MODULES", {"fake": FAKE})
    monkeypatch.setattr(peers, "MODULES", cases.MODULES)


@pytest.mark.usefixtures("only_the_fake")
def test_the_command_writes_what_it_prints(tmp_path, capsys):
    assert main(["bench", "peers", "--quick", "--device", "cpu", "--out", str(tmp_path), "--json"]) == DONE
    answer = json.loads(capsys.readouterr().out)
    kept = json.loads((tmp_path / "peers.json").read_text())
    assert answer["peers"] == kept
    assert [one["size"] for one in kept["records"]] == ["same"]
    assert len((tmp_path / "peers.csv").read_text().splitlines()) == 2
    assert main(["bench", "peers", "--quick", "--device", "cpu", "--out", str(tmp_path)]) == DONE, "over its own"


@pytest.mark.usefixtures("only_the_fake")
def test_a_file_of_a_person_is_not_replaced(tmp_path, capsys):
    (tmp_path / "peers.csv").write_text("of a person")
    assert main(["bench", "peers", "--quick", "--device", "cpu", "--out", str(tmp_path)]) == 2
    assert "peers.csv' is there already, and is none of Workbench's" in capsys.readouterr().err
    assert (tmp_path / "peers.csv").read_text() == "of a person"


@pytest.mark.usefixtures("only_the_fake")
def test_a_wrong_answer_is_the_commands_exit_code(capsys):
    assert main(["bench", "peers", "fake", "--quick", "--case", "slightly wrong", "--device", "cpu"]) == WRONG
    assert "answers differ by 1.1e-06" in capsys.readouterr().out


def test_comparisons_are_listed_and_misspelt_ones_refused(capsys):
    assert main(["bench", "peers", "--list"]) == DONE
    listed = capsys.readouterr().out
    assert "pip install fdtdx" in listed
    assert all(name in listed for name in cases.MODULES)
    with pytest.raises(ProblemError, match=r"There is no comparison 'ftdt'; the nearest is 'fdtd'\."):
        peers.chosen(["ftdt"])


@pytest.mark.parametrize("name", cases.MODULES)
def test_a_case_is_named_as_its_module_and_has_a_size_for_every_device(name):
    case = cases.case_of(name)
    assert case.id == name
    assert all(case.sizes[kind] for kind in ("cpu", "cuda"))
    for sizes in case.sizes.values():
        assert len({one.name for one in sizes}) == len(sizes)
        json.dumps([dict(one.values) for one in sizes])
    assert Place("cpu", 1).open().info.kind == "cpu"
