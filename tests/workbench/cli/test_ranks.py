"""``workbench run --ranks``: two processes write what one writes, and where one is killed the run is not lost."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time as clock
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.ranks.world import World
from tests.faults.folders import content as datasets
from tests.workbench.cli.pair import Pair, measure_little
from workbench.cli import main
from workbench.cli.runs import ranks, scaling
from workbench.cli.runs.folder import refuse_strange
from workbench.ranks.launched import LAUNCHED
from workbench.ranks.scaling import Measured
from workbench.run.states.checkpoint import checkpoints_at

ROOT = Path(__file__).parents[3]
PLATE = [
    "heat_on_a_plate", "--set", "grid.cells_x=48", "--set", "grid.cells_y=41", "--device", "cpu",
    "--checkpoints", "1",  # how many there are hangs on the clock
]  # fmt: skip


COMMAND = """
import os
from tests.long.many import end_with
end_with(os.getppid())
from tests.workbench.cli.pair import measure_little
measure_little()
from workbench.cli import command
command()
"""


@pytest.fixture(scope="module")
def has_mpi():
    pytest.importorskip("mpi4py", reason="needs the extra 'mpi'")
    if ranks._mpiexec() is None:
        pytest.skip("needs the mpiexec of an MPI: the extra 'mpi'")


@pytest.fixture(scope="module")
def pair(has_mpi, tmp_path_factory):
    """Two ranks for the commands of all tests."""
    found = Pair(tmp_path_factory.mktemp("pair"))
    yield found
    found.close()


@pytest.fixture
def mpi(has_mpi):
    """Starts a command of the workbench, which ends with this process."""
    started = []

    def start(*given: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        command = [sys.executable, "-P", "-c", COMMAND, *given]
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def end(process, seconds=120):
    """(exit code, what it printed on stdout, on stderr)"""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def content(folder: Path) -> dict[str, Any]:
    """The files of results that do not tell when, and on what, they were made; those of HDF5, to which a slow run
    appends more often, as what is in them."""
    told = {"run.json", "timing.csv", "timing.jsonl"}
    files = [file for file in folder.rglob("*") if file.is_file() and file.name not in told]
    return {
        str(file.relative_to(folder)): datasets(file) if file.suffix == ".h5" else file.read_bytes()
        for file in files
        if file.suffix not in (".npz", ".png")
    }


def state_of(folder: Path) -> dict[str, np.ndarray]:
    with np.load(folder / "checkpoint.npz") as file:
        return {name: file[name] for name in file.files if not name.endswith(".json")}


def numbers(text: bytes) -> np.ndarray:
    """(columns, rows) of a table."""
    return np.array([[float(word) for word in line.split(",")] for line in text.decode().splitlines()[1:]]).T


def same(one: Path, other: Path) -> bool:
    mine, theirs = content(one), content(other)
    for table in [name for name in ROUNDED if name in mine and mine[name] != theirs[name]]:
        for found, expected in zip(numbers(mine.pop(table)), numbers(theirs.pop(table)), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)
    assert mine == theirs
    assert {file.name for file in one.iterdir()} == {file.name for file in other.iterdir()}
    first, second = state_of(one), state_of(other)
    assert first.keys() == second.keys()
    for name, values in first.items():
        if name in SUMS:
            np.testing.assert_allclose(values, second[name], rtol=0, atol=1e-12 * np.abs(values).max(), err_msg=name)
        else:
            np.testing.assert_array_equal(values, second[name], name)
    return True


WAVES = [
    "fdtd_dipole", "--device", "cpu", "--no-pictures", "--checkpoints", "1", "--set", "faces.layer=4",
    *(word for axis in "xyz" for word in ("--set", f"grid.cells_{axis}=32")),
]  # fmt: skip
CELLS = ["thousand_cells", "--device", "cpu", "--no-pictures", "--checkpoints", "1", "--set", "ensemble.cells=130"]
BODY = ["crack_branching", "--set", "bonds.spacing=1", "--device", "cpu", "--no-pictures", "--checkpoints", "1"]
SUMS = ("ecg", "points")
"""Arrays of a checkpoint that are sums over all elements, which ranks add in another order."""
ROUNDED = ("series.csv",)
"""Tables with numbers that are what is left of such sums: an imbalance of 1e-7 %."""
RUNS = {
    "heart": (["small_slab", "--device", "cpu", "--no-pictures", "--checkpoints", "1"], "1.5", "2"),
    "plate": ([*PLATE, "--snapshot-every", "1", "--pictures", "1"], "2", "3"),
    "waves": (WAVES, "0.6", "0.9"),
    "cells": (CELLS, "60", "100"),
    "body": (BODY, "8", "12"),
    "neurons": (["izhikevich_2003", "--device", "cpu", "--no-pictures", "--checkpoints", "1"], "40", "60"),
}


@pytest.mark.parametrize("run", RUNS)
def test_two_ranks_write_what_one_writes_and_a_checkpoint_of_two_opens_on_one(pair, tmp_path, run):
    one, two = tmp_path / "one", tmp_path / "two"
    command, until, further = RUNS[run]
    asked = [*command, "--until", until]
    pair.begin("run", *asked, "--out", str(two), "--ranks", "2")
    assert main(["run", *asked, "--out", str(one)]) == 0
    code, out, err = pair.end()
    assert (code, err.count("Traceback")) == (0, 0), err
    assert out.startswith("Finished at ")
    assert out.count("Finished at ") == 1
    assert same(one, two)
    assert json.loads((two / "run.json").read_text())["command"]["ranks"] == 2
    for folder in (one, two):
        assert main(["run", *asked, "--out", str(folder), "--resume", "--until", further]) == 0
    assert same(one, two)


def test_ranks_that_do_not_know_each_other_say_how_they_are_started(monkeypatch):
    """As under 'srun' without MPI."""
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "2")
    monkeypatch.setattr(World, "joined", lambda: World(SimpleNamespace(rank=0, size=1)))
    for name in ("end_with_starter", "write_stacks_at_signal"):
        monkeypatch.setattr(ranks, name, lambda *_: None)
    with pytest.raises(ProblemError, match=r"^2 ranks have been started, .* 'srun --mpi=pmix'"):
        ranks.joined(None)


def test_a_signal_to_all_ranks_is_heard_by_rank_0_alone(monkeypatch):
    """As of Slurm at the end of a job's time: the others are there for the last checkpoint."""
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "2")
    for name in ("end_with_starter", "write_stacks_at_signal"):
        monkeypatch.setattr(ranks, name, lambda *_: None)
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = [signal.getsignal(number) for number in numbers]
    try:
        for rank, expected in ((0, before), (1, [signal.SIG_IGN] * 3)):
            monkeypatch.setattr(World, "joined", lambda rank=rank: World(SimpleNamespace(rank=rank, size=2)))
            ranks.joined(None)
            assert [signal.getsignal(number) for number in numbers] == expected
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def until(seen, seconds=100):
    """Waits for it; what was seen."""
    latest = clock.monotonic() + seconds
    while not (found := seen()) and clock.monotonic() < latest:
        clock.sleep(0.1)
    assert found
    return found


def ranks_of(process) -> list:
    """The processes that a command has started with mpiexec, which comes first; empty before there are all three.
    Whatever else the command starts for a moment, as ``uname``, is none of them."""
    import psutil

    for mpiexec in psutil.Process(process.pid).children():
        with suppress(psutil.NoSuchProcess):
            if len(found := mpiexec.children(recursive=True)) == 2:
                return [mpiexec, *sorted(found, key=lambda one: one.pid)]
    return []


def gone(processes) -> bool:
    return not any(one.is_running() and one.status() != "zombie" for one in processes)


def test_a_run_on_ranks_that_is_killed_or_asked_to_end_goes_on_from_its_checkpoint(mpi, tmp_path):
    """Where a rank is killed all end with a sentence, where the command is killed all end without; a signal to it ends
    the run as on one rank, and another one shows where all ranks are."""
    psutil = pytest.importorskip("psutil")
    out = tmp_path / "out"
    process = mpi("run", *PLATE, "--until", "1e6", "--out", str(out), "--ranks", "2", "--checkpoint-every", "0.2",
                  "--no-pictures")  # fmt: skip
    until(lambda: checkpoints_at(out / "checkpoint.npz"))
    started = until(lambda: ranks_of(process))
    open_ports = [port for one in started[1:] for port in one.net_connections() if port.status == psutil.CONN_LISTEN]
    assert not open_ports, "each had one for every network"
    process.send_signal(signal.SIGUSR1)
    shown = ""

    def both_shown() -> bool:
        nonlocal shown
        if select.select([process.stderr], [], [], 0)[0]:
            shown += os.read(process.stderr.fileno(), 65536).decode()
        return "in _watch" in shown and "in follow" in shown

    until(both_shown)
    next(
        one for one in started if one.environ().get("OMPI_COMM_WORLD_RANK", one.environ().get("PMI_RANK")) == "1"
    ).kill()
    code, _, err = end(process)
    err = shown + err
    assert code == 3
    of_first, of_second = err.split("Rank 0:")[1].split("Rank 1:")
    assert "in _watch" in of_first
    assert "in follow" in of_second
    assert "One of the 2 ranks was ended from outside, and the others with it." in err
    assert f"'workbench resume {out}' goes on from the last checkpoint." in err
    assert gone(started)
    for number in (signal.SIGKILL, signal.SIGINT):
        before = state_of(out)["step"]
        resumed, process = json.loads((out / "run.json").read_text())["resumed_at"], mpi("resume", str(out))
        until(lambda: json.loads((out / "run.json").read_text())["resumed_at"] != resumed)  # noqa: B023
        until(lambda: state_of(out)["step"] > before)  # noqa: B023
        started = until(lambda: ranks_of(process))  # noqa: B023
        process.send_signal(number)
        code, printed, err = end(process)
        until(lambda: gone(started), seconds=8)  # noqa: B023
        if number == signal.SIGKILL:
            continue
        assert code == 130, err
        assert "Interrupted at" in printed
    assert state_of(out)["step"] > before


ORPHANS = """
import sys
from argparse import Namespace
from workbench.cli.runs import ranks
from workbench.cli.runs.folder import refuse_strange
from workbench.ranks import launched
launched._libc = None
ranks.BEGIN = "import sys; sys.path[:] = {path!r}; from workbench.ranks import launched; launched.end_with_starter(); "
ranks.BEGIN += "import time; time.sleep(600)"
ranks.launch(Namespace(given=[]), 2)
"""


def test_ranks_end_with_the_command_also_where_the_system_tells_nobody_of_its_end(has_mpi):
    """As on macOS; the folder that the command would have removed is gone, too."""
    pytest.importorskip("psutil")
    command = [sys.executable, "-c", ORPHANS]
    path = os.pathsep.join([str(ROOT), *sys.path])
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path}) as process:
        try:
            started = until(lambda: ranks_of(process))
            until(lambda: all(one.num_threads() > 1 for one in started[1:]))
            folder = Path(started[1].environ()[LAUNCHED])
            assert folder.is_dir()
        finally:
            process.kill()
    until(lambda: gone(started), seconds=8)
    assert not folder.exists()


def test_what_ranks_cannot_do_is_refused_in_a_sentence(pair, tmp_path):
    """The first of them says it, once."""
    asked = ["poisson_two_charges", "--until", "2", "--device", "cpu", "--ranks", "2", "--out", str(tmp_path / "none")]
    pair.begin("run", *asked)
    code, _, err = pair.end()
    assert code == 2
    assert err.count("Poisson's equation is solved on one rank: run it without --ranks.") == 1


def test_scaling_replaces_no_file_of_a_person(tmp_path, capsys):
    (tmp_path / "scaling.json").write_text("of a person")
    assert main(["bench", "scaling", "heat_on_a_plate", "--device", "cpu", "--out", str(tmp_path)]) == 2
    assert "scaling.json' is there already, and is none of Workbench's" in capsys.readouterr().err


def test_scaling_is_measured_and_projected(has_mpi, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(ranks, "BEGIN", ranks.BEGIN)
    measure_little()
    small = ["--set", "grid.cells_x=64", "--set", "grid.cells_y=64"]
    asked = ["bench", "scaling", "heat_on_a_plate", *small, "--ranks", "2", "--device", "cpu", "--out", str(tmp_path)]
    assert main(asked) == 0
    out = capfd.readouterr().out
    assert [line.split("|")[1].strip() for line in out.splitlines() if line.startswith("|")][2:5] == ["1", "2", "4"]
    found = json.loads((tmp_path / "scaling.json").read_text())
    assert [each["ranks"] for each in found["measured"]] == [1, 2]
    refuse_strange(tmp_path, ["scaling.json"])  # it is known again
    # the edge of a round: as many rows of 64 float32 values as it has steps
    assert found["measured"][1]["sent"]["bytes"] == 64 * 4


@pytest.mark.parametrize(("ended", "code"), [(3, 3), (0, 1)])
def test_ranks_that_measure_nothing_end_the_comparison(monkeypatch, capsys, ended, code):
    monkeypatch.setattr(scaling, "_alone", lambda *_: Measured(1, 1e-3, "CPU"))
    monkeypatch.setattr(scaling, "launch", lambda *_: ended)
    assert main(["bench", "scaling", "heat_on_a_plate", "--ranks", "2", "--device", "cpu"]) == code
    assert "each rank" not in capsys.readouterr().out


def test_without_mpi_it_is_said_what_adds_it(monkeypatch, capsys):
    from workbench.cli.runs import ranks

    monkeypatch.setattr(ranks, "_mpiexec", lambda: None)
    assert main(["run", *PLATE, "--until", "1", "--ranks", "2"]) == 2
    assert "Several ranks need MPI, the extra 'mpi', which is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "found"), [({}, "^tcp"), ({"SLURM_JOB_ID": "7"}, None), ({"OMPI_MCA_btl_tcp_if_exclude": "docker0"}, None)]
)
def test_ranks_of_one_machine_open_no_port_unless_somebody_says_how_they_talk(monkeypatch, said, found):
    for name in [name for name in os.environ if name in ranks.ALLOCATED or name.startswith(ranks.WAYS)]:
        monkeypatch.delenv(name)
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    assert ranks._environment(2).get("OMPI_MCA_btl") == found


FAILING = """
import os, sys, time
import numpy as np
sys.path[:] = {path!r}
from tests.workbench.cli.pair import measure_little
from engines.ranks import world
from engines.stencil.engine import StencilEngine
from workbench.cli.runs.ranks import rank_main

measure_little()
FAILS = int(os.environ["OMPI_COMM_WORLD_RANK"]) == {rank}
world.END_SECONDS = 2.0
build_part = StencilEngine.build_part

def fail(*given):
    with open(os.environ["FAILED"], "w") as file:
        print(time.monotonic(), file=file)
    raise MemoryError("no room is left here")

def failing(self, problem, backend, ranks, *more):
    if FAILS and {name!r} == "build":
        fail()
    ranks.gathered(np.zeros(1))
    part = build_part(self, problem, backend, ranks, *more)
    method, calls = getattr(part.simulation, {name!r}, None), []
    def now_and_then(*given):
        calls.append(given)
        if FAILS and len(calls) > 8:
            fail()
        if {together!r}:
            ranks.gathered(np.zeros(1))
        return method(*given)
    setattr(part.simulation, {name!r}, now_and_then)
    return part

StencilEngine.build_part = failing
rank_main()
"""


@pytest.mark.parametrize(
    ("rank", "name", "together"),
    [
        (2, "build", True),
        (1, "advance", False),
        (0, "non_finite", True),
        pytest.param(0, "build", True, marks=pytest.mark.slow),
        pytest.param(0, "advance", False, marks=pytest.mark.slow),
        pytest.param(1, "non_finite", True, marks=pytest.mark.slow),
        pytest.param(1, "non_finite", False, marks=pytest.mark.slow),
    ],
)
def test_a_rank_that_fails_while_others_wait_for_it_ends_all_in_seconds_with_its_sentence(
    has_mpi, monkeypatch, tmp_path, capfd, rank, name, together
):
    """What was computed until then is in the last checkpoint. ``together``: the others meet in what it fails in."""
    out = tmp_path / "out"
    failing = FAILING.format(path=sys.path, rank=rank, name=name, together=together)
    monkeypatch.setattr(ranks, "BEGIN", failing.replace("{", "{{").replace("}", "}}"))
    asked = ["run", *PLATE, "--until", "1e6", "--out", str(out), "--ranks", "3", "--checkpoint-every", "0.05"]
    asked += ["--no-pictures"]
    monkeypatch.setenv("FAILED", str(tmp_path / "failed"))
    assert main(asked) == 3
    assert clock.monotonic() - float((tmp_path / "failed").read_text()) < 20.0
    told = capfd.readouterr().err
    assert told.count("memory") == 1, told
    assert "Traceback" not in told
    assert checkpoints_at(out / "checkpoint.npz") or name == "build"


def test_what_a_rank_says_stands_there_line_by_line(monkeypatch, tmp_path):
    """Before it ends: it may be killed. One that nobody has launched says nothing."""
    monkeypatch.setenv(LAUNCHED, str(tmp_path))
    words = ranks._words_of(3)
    print("said", file=words)
    assert (tmp_path / f"{ranks.SAID}3").read_text() == "said\n"
    words.close()
    monkeypatch.delenv(LAUNCHED)
    assert ranks._words_of(3) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells processes so on Linux alone")
def test_what_starts_the_ranks_ends_with_the_command_however_that_ends(tmp_path):
    """Else they compute on, and nobody sees it."""
    launcher, told = tmp_path / "mpiexec", tmp_path / "pid"
    launcher.write_text(f"#!/bin/sh\necho $$ > {told}.tmp && mv {told}.tmp {told}\nexec sleep 600\n")
    launcher.chmod(0o755)
    program = (
        "from types import SimpleNamespace\nfrom workbench.cli.runs import ranks\n"
        f"ranks._mpiexec = lambda: {str(launcher)!r}\nranks.launch(SimpleNamespace(given=[]), 2, 1)"
    )
    command = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)
    try:
        wait_until(told.exists)
        process = Path("/proc", told.read_text().strip())
        assert runs(process)
    finally:
        command.kill()
        command.wait()
    wait_until(lambda: not runs(process))


def runs(process):
    with suppress(OSError):
        return "(zombie)" not in (process / "status").read_text()
    return False


def wait_until(true, seconds=60.0):
    ends = clock.monotonic() + seconds
    while not true():
        assert clock.monotonic() < ends
        clock.sleep(0.02)
