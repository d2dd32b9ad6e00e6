"""Each long form, with a count as small as it goes; and what is planted is found and named with what does it again."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.long.many import Lost, batches, chosen, in_turn, spread

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, and killed by signals of POSIX")


def long_form(arguments: list[str], folder: Path, planted: str = "") -> tuple[int, dict[str, Any], str]:
    """The exit code, the JSON and what was printed, in a process of its own, where threads of this one are not."""
    out = folder / "counts.json"
    begin = f"import sys; {planted or 'pass'}\nfrom tests.long.__main__ import main; sys.exit(main())"
    given = [*arguments, "--out", str(out), "--folder", str(folder)]
    done = subprocess.run(
        [sys.executable, "-c", begin, *given], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert out.exists(), done.stdout
    return done.returncode, json.loads(out.read_text("utf-8")), done.stdout


def test_mutated_files_are_counted_by_reader(tmp_path):
    code, told, printed = long_form(["fuzz", "--count", "250", "-j", "2"], tmp_path)
    assert (code, told["failures"], told["total"]["inputs"]) == (0, [], 250), printed
    assert [row["inputs"] for row in told["rows"].values()] == [100, 100, 50]
    assert told["total"]["refused"] + told["total"]["opened"] == 250
    assert not list(tmp_path.glob("workbench-fuzz-*"))


def test_a_reader_that_fails_is_named_with_the_file_and_the_command_that_does_it_again(tmp_path):
    planted = (
        "import tests.fuzz.readers as r; known = r.readers\n"
        "def bad(folder):\n"
        "    found = known(folder)\n"
        "    def read(path):\n"
        "        if b'nan' in path.read_bytes(): raise KeyError(7)\n"
        "    return {'stl': r.Reader(read, found['stl'].seeds)}\n"
        "r.readers = bad"
    )
    code, told, printed = long_form(["fuzz", "--count", "400", "-j", "2"], tmp_path, planted)
    assert code == 1, printed
    assert told["failures"], printed
    first = told["failures"][0]
    assert first["in"] == "stl"
    assert first["what"].startswith("KeyError: 7 (")
    assert b"nan" in Path(first["what"].partition("(")[2].rstrip(")")).read_bytes()
    again = shlex.split(first["again"])
    assert again[:3] == ["python", "-m", "tests.long"]
    code, repeated, printed = long_form([*again[3:], "-j", "1"], tmp_path, planted)
    assert code == 1, printed
    assert [each["again"] for each in repeated["failures"]] == [first["again"]]


def test_numbers_at_their_ends_are_counted_by_engine(tmp_path):
    code, told, printed = long_form(["extremes", "--count", "6", "--only", "one_particle", "-j", "1"], tmp_path)
    assert (code, told["failures"], sum(told["rows"]["battery"].values())) == (0, [], 6), printed


def test_projects_are_counted_by_preset(tmp_path):
    pytest.importorskip("hypothesis")
    code, told, printed = long_form(["projects", "--count", "8", "--only", "one_particle", "-j", "1"], tmp_path)
    assert (code, told["failures"]) == (0, []), printed
    assert sum(told["rows"]["one_particle"].values()) >= 8


SMALL = (
    "import tests.resuming.killing as k; k.ANYWHERE, k.SIGNALS = 0.0, k.SIGNALS[:1]; "
    "k.unbroken = lambda *of: k._unbroken(*of, 60.0, 10.0); "
    "k.killed_until_it_ends.__defaults__ = (1, float('inf'))"
)
"""A short run, once undisturbed and once killed while it steps."""


def test_a_run_is_killed_until_it_ends_and_a_file_that_differs_is_named(tmp_path):
    """Nothing differs at first, or this would be lost; then as if going on had lost the last row of a table."""
    planted = (
        "; end = k.differences\n"
        "def lossy(whole, out):\n"
        "    assert end(whole, out) == []\n"
        "    table = out / 'traces.csv'; table.write_bytes(table.read_bytes().rsplit(b'\\n', 2)[0] + b'\\n')\n"
        "    return end(whole, out)\n"
        "k.differences = lossy"
    )
    arguments = ["kills", "--count", "1", "--only", "small_slab", "-j", "1"]
    code, told, printed = long_form(arguments, tmp_path, SMALL + planted)
    assert code == 1, printed
    row = told["rows"]["small_slab"]
    assert row["SIGKILL"] >= 1
    assert row["files"] / row["compared"] > 3
    (first,) = told["failures"]
    assert first["what"].startswith("differs in traces.csv (")
    assert first["again"] == "python -m tests.long kills --device cpu --only small_slab --seed 1 --count 1"


def test_work_whose_process_dies_or_hangs_is_told_and_the_rest_is_done():
    def work(job: str) -> str:
        if job == "dies":
            sys.exit(3)
        if job == "hangs":
            time.sleep(60)
        if job == "raises":
            raise KeyError(job)
        return job.upper()

    jobs = ["a", "dies", "b", "hangs", "raises", "c"]
    answers = dict(spread(work, in_turn(jobs), 2, time.monotonic() + 60, longest=3.0))
    assert {job: told for job, told in answers.items() if not isinstance(told, Lost)} == {"a": "A", "b": "B", "c": "C"}
    why = {job: told.why for job, told in answers.items() if isinstance(told, Lost)}
    assert why["dies"] == "the process ended with 3"
    assert why["hangs"].startswith("not done after 3")
    assert why["raises"] == "KeyError: 'raises'"
    assert not any(told.late for told in answers.values() if isinstance(told, Lost))


def test_nothing_is_begun_after_the_end_and_what_it_cuts_off_is_no_failure(monkeypatch):
    monkeypatch.setattr("tests.long.many.GRACE_SECONDS", 0.5)
    answers = list(spread(time.sleep, in_turn([0.0, 60.0, 0.0]), 1, time.monotonic() + 3.0, longest=30.0))
    assert [job for job, _ in answers] == [0.0, 60.0]
    assert answers[1][1].late
    assert list(spread(time.sleep, in_turn([0.0]), 1, time.monotonic() - 1, longest=30.0)) == []


SPREADING = """
import os, subprocess, time
from tests.long.many import in_turn, spread, stop_when_told

def work(job):
    print(os.getpid(), subprocess.Popen(["sleep", "60"]).pid, flush=True)
    time.sleep(60)

stop_when_told()
for job, told in spread(work, in_turn(["job"]), 1, time.monotonic() + 60, 60.0):
    print(job, told.late, flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_who_is_ended_leaves_no_process_behind_and_tells_what_was_done_unless_killed(number):
    process = subprocess.Popen([sys.executable, "-c", SPREADING], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    assert process.stdout is not None
    worker, its = map(int, process.stdout.readline().split())
    process.send_signal(number)
    try:
        process.wait(20)
        latest = time.monotonic() + 20
        while lives(worker) and time.monotonic() < latest:
            time.sleep(0.02)
        assert not lives(worker)
        if number != signal.SIGKILL:
            assert process.stdout.read() == "job True\n"
            assert not lives(its)
    finally:
        process.stdout.close()
        if lives(its):
            os.kill(its, signal.SIGKILL)


def lives(number: int) -> bool:
    """Whether there is such a process that has not ended."""
    try:
        return ") Z " not in Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False


def test_batches_take_turns_and_their_counts_add_up():
    assert list(batches(["a", "b"], 5, 25, 10)) == [("a", 5, 10), ("b", 5, 10), ("a", 6, 5)]
    assert list(batches([], 5, 25, 10)) == []
    assert list(batches(["a"], 5, 0, 10)) == []


def test_a_name_that_nothing_has_ends_the_command():
    assert chosen(["a", "b"], ["b"]) == ["b"]
    with pytest.raises(SystemExit, match="--only c: there is a, b"):
        chosen(["a", "b"], ["b", "c"])
