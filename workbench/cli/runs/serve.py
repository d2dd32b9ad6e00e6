"""``workbench serve`` beside the solver, and ``workbench connect`` from where the window is."""

from __future__ import annotations

import os
import signal
import sys
import time as clock
from argparse import Namespace
from pathlib import Path

from engines.api.errors import ProblemError
from workbench.cli import DONE, RUN_FAILED
from workbench.remote import slurm
from workbench.remote.beginning import begin, unkept_at
from workbench.remote.streams import SOCKETS, WAITS, check_host, listens, relay, socket_path

STOPPING_SECONDS = 45.0


def serve_command(options: Namespace) -> int:
    if not SOCKETS:
        raise ProblemError("'workbench serve' needs Linux or macOS: Windows is where its window may be.")
    path = (options.socket or socket_path()).absolute()
    options.answer["socket"] = str(path)
    if options.slurm is not None:
        return _in_a_job(options)
    if options.stdio:
        begin(path, options.idle, options.waits)
        relay(path, 0, 1)
        return DONE
    if options.stop:
        options.answer["stopped"] = _stop(path)
        return _told_of(path) if options.answer["stopped"] else DONE
    from workbench.remote.server import Server  # loads the engines

    server = Server(path, 60 * options.idle)
    server.listen()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: server.stop())
    print(f"Serving at '{path}'.", flush=True)
    server.serve()
    return DONE


def connect_command(options: Namespace) -> int:
    from workbench.cli import open_window

    here = options.beside or options.local is not None
    if here and not options.project:  # what stands alone is no host
        options.host, options.project = "", options.host
    if (bool(options.host), options.beside, options.local is not None).count(True) != 1:
        raise ProblemError(
            "Name one place: 'workbench connect USER@HOST', or --beside or --local SOCKET on this machine."
        )
    if options.host:
        check_host(options.host)
        where = [f"--host={options.host}", f"--command={options.there}"]
        where += [] if options.slurm is None else [f"--slurm={options.slurm}"]
        where += ["--asks"] if sys.stdin is not None and sys.stdin.isatty() else []
    else:
        where = ["--beside"] if options.beside else [f"--socket={options.local.absolute()}"]
    return open_window([options.project] if options.project else [], where)


def _in_a_job(options: Namespace) -> int:
    """``--slurm``: what is asked for happens in a job, which is submitted where there is none."""
    if options.stop:
        job = slurm.end()
        options.answer["stopped"] = job is not None
        print("No job with a server is on." if job is None else f"Slurm's job {job.number} has been told to end.")
        return DONE
    job = slurm.begun(options.slurm, options.idle)
    if job.waits:
        print(f"{job}. It stays in the queue: connect again later.", file=sys.stderr)
        return WAITS
    if options.stdio:
        server = [sys.executable, "-P", "-m", "workbench", "serve", "--stdio", "--waits"]
        os.execvp("srun", slurm.within(job, server))
    print(f"Slurm's job {job.number} serves.")
    return DONE


def _stop(path: Path) -> bool:
    """Whether there was one; its process says which it is in a file beside the socket."""
    if not listens(path):  # the number in the file may be somebody else's by now
        print("No server is on.")
        return False
    number = int(path.with_suffix(".pid").read_text())
    os.kill(number, signal.SIGTERM)
    latest = clock.monotonic() + STOPPING_SECONDS
    while listens(path) or path.with_suffix(".pid").exists():  # it keeps its run
        if clock.monotonic() > latest:
            raise ProblemError(f"The server has been told to end, and has not: 'kill -9 {number}' ends it at once.")
        clock.sleep(0.1)
    print("It has been ended.")
    return True


def _told_of(path: Path) -> int:
    """The exit code of a server that has ended, and what it could not keep."""
    left = unkept_at(path)
    if not left.is_file():
        return DONE
    print(left.read_text("utf-8"), file=sys.stderr)
    left.unlink(missing_ok=True)
    return RUN_FAILED
