"""``workbench run --ranks N``: MPI's own ``mpiexec`` starts N of this command, of which rank 0 speaks.

What mpiexec says of ranks that end goes to a file: rank 0 writes to this command's own terminal or pipes, and a run
whose rank is killed ends with one sentence. Ctrl-C reaches rank 0 alone, which ends the run as a run on one rank does.
SIGUSR1 shows where all threads of all ranks are (:mod:`workbench.ranks.launched`).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from engines.api.errors import ProblemError
from engines.backend.threads import usable_cores
from engines.ranks.world import MISSING, World, started
from workbench.cli import RUN_FAILED
from workbench.ranks.launched import (
    HELD,
    LAUNCHED,
    end_with_starter,
    end_with_this_thread,
    own_rank,
    stacks_when_asked,
    write_stacks_at_signal,
)
from workbench.run.earlier import CHECKPOINT
from workbench.run.states.checkpoint import checkpoints_at
from workbench.storage.locking import ProcessLock

SAID = "rank-"
"""Begins the name of a file in which a rank says why it ends all."""
BEGIN = (
    "import sys; sys.path[:] = {path!r}; from workbench.ranks import launched; launched.end_with_starter(); "
    "launched.write_stacks_at_signal(); from workbench.cli.runs.ranks import rank_main; rank_main()"
)
ALLOCATED = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE")
"""Where ``mpiexec`` may start ranks on other hosts: in a job of Slurm, PBS, LSF or Grid Engine."""
WAYS = "OMPI_MCA_btl"
"""How ranks reach each other, as Open MPI is told; whoever starts us may have said so."""
_voice: TextIO | None = None
MANNERS = {
    # Open MPI runs as root only where it is told twice, has a slot for each core only, and binds each rank to one.
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


def hush_others() -> None:
    """From now on a process beside rank 0 prints nothing but what it alone knows: rank 0 says the same."""
    global _voice
    if started() < 2 or own_rank() == 0 or _voice is not None:
        return
    _voice = os.fdopen(os.dup(2), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)


def to_launch(ranks: int | None) -> bool:
    """Whether ranks are asked for that nobody has started yet."""
    return (ranks or 1) > 1 and started() < 2


def joined(ranks: int | None) -> World | None:
    """The ranks that MPI or Slurm has started, this process among them; None: it is alone. Raises ProblemError."""
    there = started()
    if there < 2:
        return None
    world = World.joined()
    world.voice = _words_of(world.rank) or _voice or sys.stderr
    if LAUNCHED not in os.environ:
        write_stacks_at_signal(world.voice)
        end_with_starter()
    if world.size == 1:
        raise ProblemError(
            f"{there} ranks have been started, and MPI knows this one alone: under Slurm start them with "
            "'srun --mpi=pmix' ('srun --mpi=list' tells what your cluster has), else with the mpiexec of this MPI."
        )
    if world.size != (ranks or world.size):
        raise ProblemError(f"{world.size} ranks have been started, and --ranks says {ranks}: leave it out here.")
    if world.rank > 0:
        _leave_signals_to_rank_0()
    return world


def _leave_signals_to_rank_0() -> None:
    """What ends a job asks every rank of it at once, and rank 0 needs the others for its last checkpoint."""
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)


def _words_of(rank: int) -> TextIO | None:
    """Where whoever started the ranks reads what this one says: mpiexec passes on nothing more once all are ended."""
    with suppress(KeyError, OSError):  # started otherwise, or on another machine
        return (Path(os.environ[LAUNCHED]) / f"{SAID}{rank}").open("w", buffering=1)
    return None


def launch(options: Namespace, ranks: int, cores: int | None = None) -> int:
    """Start so many ranks of this command, each on its share of the cores or on so many, and wait for their end; the
    exit code of rank 0. Raises ProblemError."""
    mpiexec = None if getattr(sys, "frozen", False) else _mpiexec()  # a bundle is no Python that could be started
    if mpiexec is None:
        raise ProblemError(MISSING)
    with tempfile.TemporaryDirectory(prefix="workbench-ranks-") as scratch:
        folder = Path(scratch)
        share = cores or max(1, usable_cores() // ranks)
        environment = {**_environment(share), LAUNCHED: scratch, "WORKBENCH_TERMINAL": str(os.getpid())}
        command = [mpiexec, "-n", str(ranks), sys.executable, "-P", "-c", BEGIN.format(path=sys.path), *options.given]
        held = ProcessLock(folder / HELD)
        held.acquire()
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=end_with_this_thread if os.name == "posix" else None,
            )  # fmt: skip
            with stacks_when_asked(process.send_signal, folder):
                _wait(process, folder)
        code = _end(folder, process.returncode, ranks)
        held.release()
    return code


def _environment(cores: int) -> dict[str, str]:
    """Of the ranks, of which each has so many cores. Those of one machine share memory and open no port: Open MPI's are
    open to every network, whatever it was told to use. The port of its starter, ``prterun`` 3.0, cannot be bound to one
    machine."""
    found = {"NUMBA_NUM_THREADS": str(cores), **MANNERS, **os.environ}
    if not any(name in ALLOCATED or name.startswith(WAYS) for name in found):
        found[WAYS] = "^tcp"
    return found


def _wait(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Until all ranks have ended; a signal to this command is one to rank 0, a second one ends all."""
    from workbench.cli.runs.run import ended_by_signals

    asked = False
    with ended_by_signals():
        while process.poll() is None:
            try:
                process.wait()
            except KeyboardInterrupt as given:
                number = given.args[0] - 128 if given.args else signal.SIGINT
                try:
                    if asked:
                        raise OSError
                    os.kill(int((folder / "pid").read_text()), number)
                    asked = True
                except (OSError, ValueError):  # it has not begun, or hears nothing
                    with suppress(OSError):
                        os.killpg(process.pid, signal.SIGKILL)


def _end(folder: Path, code: int, ranks: int) -> int:
    """The exit code of rank 0; where it left none, what there is to say of that on stderr."""
    with suppress(OSError, ValueError):
        return int((folder / "code").read_text())
    lines = (folder / "log").read_text(errors="replace").splitlines()
    lines += [line for said in sorted(folder.glob(f"{SAID}*")) for line in said.read_text().splitlines()]
    told = [line for line in lines if line.startswith("Rank ")]
    if not told:
        told = [f"One of the {ranks} ranks was ended from outside, and the others with it."]
    with suppress(OSError):
        results = Path((folder / "folder").read_text())
        if checkpoints_at(results / CHECKPOINT):
            told.append(f"'workbench resume {results}' goes on from the last checkpoint.")
    if code and not (folder / "pid").exists():  # before any of them was ours: mpiexec's own words
        told = [f"mpiexec could not start {ranks} ranks: {' '.join(' '.join(lines).split())[:400]}"]
    print(" ".join(told), file=sys.stderr)
    return RUN_FAILED


def rank_main() -> None:
    """The process of a rank that :func:`launch` has started."""
    from workbench.cli import main

    rank = own_rank()
    if rank == 0:
        _speak_to(int(os.environ["WORKBENCH_TERMINAL"]))
        _note("pid", str(os.getpid()))
    code = main(sys.argv[1:])
    if rank == 0:
        _note("code", str(code))
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    if "mpi4py.MPI" in sys.modules:
        World.leave()
    os._exit(0 if rank == 0 else code)  # mpiexec ends all where one has another code


def end_ranks(world: World, code: int) -> None:
    """On rank 0, which is through with this exit code: the others end, and are ended where they cannot hear it."""
    if not world.end():
        _note("code", str(code))
        world.abort(code)


def note_folder(folder: Path) -> None:
    """On rank 0: where the results are, for whoever started the ranks."""
    _note("folder", str(folder))


def _note(name: str, text: str) -> None:
    if LAUNCHED in os.environ:
        (Path(os.environ[LAUNCHED]) / name).write_text(text)


def _speak_to(process: int) -> None:
    """Have what this one prints go where that one's does, on a terminal as a terminal."""
    for number in (1, 2):
        with suppress(OSError):  # a socket, or no Linux: then by way of mpiexec's log
            opened = os.open(f"/proc/{process}/fd/{number}", os.O_WRONLY | os.O_APPEND)
            os.dup2(opened, number)
            os.close(opened)


def _mpiexec() -> str | None:
    """MPI's starter beside this Python, or that of the system."""
    beside = str(Path(sys.executable).parent)
    return shutil.which("mpiexec", path=os.pathsep.join([beside, os.environ.get("PATH", "")]))
