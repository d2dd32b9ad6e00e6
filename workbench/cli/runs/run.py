"""``workbench run``: the same run as the window's, its results in a folder."""

from __future__ import annotations

import errno
import io
import math
import os
import shlex
import shutil
import signal
import sys
import threading
import time as clock
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any

from engines.api import Finding
from engines.api.device import Backend
from engines.api.errors import DeviceError, ProblemError, WorkbenchError
from engines.backend.devices.faster import open_for
from engines.ranks.world import World
from workbench.cli import BAD_INPUT, DONE, INTERRUPTED, RUN_FAILED
from workbench.cli.arguments import MOVIE_FRAMES
from workbench.cli.opening import open_project
from workbench.cli.runs.asked import Asked
from workbench.cli.runs.folder import alone_in, check_results
from workbench.cli.runs.pictures import Pictures, RunMovie
from workbench.cli.runs.progress import ProgressLine
from workbench.cli.runs.ranks import end_ranks, hush_others, joined, launch, note_folder, to_launch
from workbench.cli.telling import fact_lines, tell_findings
from workbench.project.document import Document
from workbench.project.findings import estimate_of, findings_of
from workbench.ranks.meeting import lead, open_of_rank, stand_by
from workbench.run.earlier import CHECKPOINT
from workbench.run.frames import RunState
from workbench.run.recording import Recorder
from workbench.run.runner import Runner
from workbench.run.session import probe_elements, start
from workbench.run.states.checkpoint import CheckpointMeta, checkpoints_at, problem_fingerprint, read_checkpoint
from workbench.storage.atomic import StorageError, refusal, storing, write_bytes
from workbench.storage.error_log import keep_traceback
from workbench.storage.patience import Patience
from workbench.words.failures import with_place
from workbench.words.units import time_text

LEAST_FREE = 1 << 16
"""Bytes: where not even the heads of the tables have room, nothing needs to be computed."""
TERMINATED = 128 + signal.SIGTERM
PATIENCE = 1.0
"""Seconds that an interrupted run which is still being built has for it: there is nothing to save."""
DRAWING_SECONDS = 3.0
"""In which a run that is told to end at once begins to draw pictures that wait; others are left to be resumed."""
SAME_SECONDS = 1.0
"""Within which signals are one request: a terminal that closes, ``timeout`` and schedulers send two at once."""
DISK_PATIENCE = 600.0
"""Seconds that a run waits for room on a disk that is full, before it ends: what it has is its last checkpoint."""
ENDS = (RunState.FINISHED, RunState.FAILED, RunState.CLOSED)


def run_command(options: Namespace) -> int:
    """Run a project; returns the exit code. Raises WorkbenchError for input that cannot be run."""
    if to_launch(options.ranks):
        return launch(options, options.ranks)
    hush_others()
    if options.movie is None and options.movie_frames is not None:
        raise ProblemError("--movie-frames is the number of a movie's pictures: add --movie FILE, or leave it out.")
    document = open_project(options)
    until = options.until or document.project.run.until
    if until is None and not document.engine.ends(document.complete_problem()):
        raise ProblemError(f"The project does not say how far to run: add --until T [{document.time_unit}].")
    return run_document(document, until, options)


def run_document(document: Document, until: float | None, options: Namespace) -> int:
    """Run ``document``, whatever became of the project that it was opened from; returns the exit code."""
    world = joined(options.ranks)
    if world is not None and world.rank:
        stand_by(world, document, options.device or document.project.run.device)
        return DONE
    if options.range is not None:
        shown = {"range": options.range, "follow": False}
        document.project.view = document.project.view.model_copy(update=shown)
    code = RUN_FAILED
    try:
        folder = _output_folder(options, document)
        with alone_in(folder):
            note_folder(folder)
            code = _run_into(folder, document, until, options, world)
    finally:
        if world is not None:
            end_ranks(world, code)
    return code


def _run_into(folder: Path, document: Document, until: float | None, options: Namespace, world: World | None) -> int:
    resume = None
    if options.resume:
        resume = read_checkpoint(folder / CHECKPOINT, problem_fingerprint(document, probe_elements(document)))
        if resume.noticed:
            print(resume.noticed, file=sys.stderr)
    drawings = [Pictures(folder, document, options.pictures, until, ranged=options.range is not None)]
    if options.movie is not None:
        drawings.append(RunMovie(options.movie, document, options.movie_frames or MOVIE_FRAMES, until))
    if resume is not None and until is not None and resume.meta.time > until + _half_a_step(resume.meta):
        told = time_text(resume.meta.time, document.time_unit)
        raise ProblemError(
            f"The run in '{folder}' has come to {told} already: give an --until beyond that, or run without --resume."
        )
    backend, findings = _looked_at(document, options, until, "" if resume is None else resume.meta.device, world)
    options.ranks = None if world is None else world.size
    recorder = Recorder(
        folder,
        document,
        findings=findings,
        snapshot_interval=options.snapshot_every,
        checkpoint_seconds=options.checkpoint_every,
        checkpoints=options.checkpoints,
        resume=resume,
        command=Asked.of(options, until, folder).model_dump(),
        patience=Patience(DISK_PATIENCE, lambda text: print(text, file=sys.stderr)),
        tell=partial(tell_findings, quiet=options.quiet),
        settle=drawings[0].settle,
    )
    with ended_by_signals() as again:
        runner = start(
            document,
            backend.id,
            (recorder, *drawings),
            autostart=True,
            until=until,
            resume_from=None if resume is None else resume.state,
            can_reset=False,
            open_backend=lambda device, reserve_core: backend,
            build=None if world is None else partial(lead, world, document),
        )
        ends = document.engine.ends(document.complete_problem())
        line = ProgressLine(until, document.time_unit, may_end=ends, quiet=options.quiet)
        interrupted = _watch(runner, drawings, line, recorder, again)
        for each in drawings:
            each.end()
        with redirect_stdout(io.StringIO()) if options.quiet else nullcontext():
            code = _report(runner, recorder, drawings, interrupted)
    record = recorder.record()
    asked = record.pop("command", None)
    record["asked"] = asked and {name: value for name, value in asked.items() if name != "mark"}
    if code != DONE:
        record["error"] = "Interrupted." if runner.error is None else str(runner.error)
    options.answer.update(folder=str(folder.absolute()), **record)
    return code


def _half_a_step(meta: CheckpointMeta) -> float:
    """By which a run ends after its ``until`` at most: at the step that is nearest."""
    return 0.5000001 * meta.time / max(meta.step, 1)


def _looked_at(
    document: Document, options: Namespace, until: float | None, state_of: str, world: World | None
) -> tuple[Backend, tuple[Finding, ...]]:
    """The opened device, and what is known of the problem before it runs there, told on stderr. ``state_of``: the name
    of the device that the run began on.

    Raises WorkbenchError.
    """
    named, problem = options.device or document.project.run.device, document.complete_problem()
    if world is not None:
        backend = open_of_rank(world, named)
    else:
        ahead = math.inf if until is None else until
        say: Callable[[str], None] = (lambda _: None) if options.quiet else partial(print, file=sys.stderr)
        backend = open_for(document.engine, problem, named, state_of=state_of, ahead=ahead, say=say)
    try:
        estimate = estimate_of(document, backend, until, options.snapshot_every)
    except BaseException:
        backend.close()
        raise
    findings = findings_of(document, estimate)
    tell_findings(findings, options.quiet)
    if not options.quiet:
        for line in (*fact_lines(estimate.facts), *filter(None, [backend.chosen])):
            print(line, file=sys.stderr)
    return backend, findings


def _watch(
    runner: Runner, drawings: Sequence[Pictures], line: ProgressLine, recorder: Recorder, again: Callable[[], None]
) -> int:
    """Show progress and draw pictures until the run ends; returns 0, or the exit code of the interruption. ``again``:
    of :func:`ended_by_signals`."""
    interrupted, latest, pause = 0, math.inf, 0.1
    try:
        while runner.wait(RunState.FINISHED, timeout=pause) not in ENDS:
            again()
            line.show(runner)
            pause = 0.01 if _draw(drawings) else 0.1  # the run waits for pictures, of which few may wait
    except KeyboardInterrupt as signal_:
        interrupted = signal_.args[0] if signal_.args else INTERRUPTED
        for each in drawings:
            each.abandon(DRAWING_SECONDS if interrupted == TERMINATED else math.inf)
        recorder.stop_waiting()
        if interrupted == TERMINATED:
            recorder.hurry()
        if interrupted and runner.info is None:
            latest = clock.monotonic() + PATIENCE
    runner.close(timeout=0)
    try:
        while runner.alive and clock.monotonic() < latest:
            _draw(drawings)
            runner.join(0.05)
        _draw(drawings)
    finally:  # who asks again waits for no picture
        for each in drawings:
            each.abandon(0.0)
    line.show(runner, last=True)
    return interrupted


def _draw(drawings: Sequence[Pictures]) -> bool:
    waited = [each.draw() for each in drawings]
    return any(waited)


def _report(runner: Runner, recorder: Recorder, drawings: Sequence[Pictures], interrupted: int) -> int:
    answers = {finding.message for finding in runner.noticed}
    for message in runner.take_messages():
        if message.severity == "warning" or message.text in answers:
            print(message.text, file=sys.stderr)
    for trouble in dict.fromkeys(each.trouble for each in drawings if each.trouble):
        print(trouble, file=sys.stderr)
    saved = (
        [*recorder.saved(), *(_named(path, recorder.folder) for each in drawings for path in each.drawn)]
        if runner.info
        else []
    )
    ended = f"{'Interrupted' if interrupted else 'Finished'} at {time_text(recorder.time, runner.time_unit, '.6g')}."
    where = f"Saved in '{recorder.folder}': {', '.join(saved)}." if saved else "Nothing was saved."
    if runner.error is not None:
        told = with_place(runner.error)
        parts = [told, *([] if runner.info is None else [where]), _way_on(runner, runner.error, recorder.folder)]
        parts += [] if runner.failure is None else [keep_traceback(runner.failure, recorder.folder)]
        print(" ".join(filter(None, parts)), file=sys.stderr)
        refused = runner.info is None and runner.failure is None and not runner.error.torn
        return BAD_INPUT if refused else RUN_FAILED
    if runner.ending:
        print(runner.ending)
    print(f"{ended} {where}")
    return interrupted or DONE


def _named(path: Path, folder: Path) -> str:
    return path.name if path.parent == folder else f"'{path}'"


def _way_on(runner: Runner, error: WorkbenchError, folder: Path) -> str:
    """How to go on after a device or a disk has ended a run; empty after all else, whose sentence says what to do."""
    if not (error.torn or isinstance(error, StorageError)):
        return ""
    off_the_gpu = isinstance(error, DeviceError) and runner.device not in ("", "cpu")
    if runner.info is None or not checkpoints_at(folder / CHECKPOINT):
        return "With --device cpu it runs on the CPU." if off_the_gpu else ""
    command = f"workbench resume {shlex.quote(str(folder))}{' --device cpu' if off_the_gpu else ''}"
    return f"'{command}' goes on from its last checkpoint{' on the CPU' if off_the_gpu else ''}."


def _output_folder(options: Namespace, document: Document) -> Path:
    """The folder for the results, made and found to have room. Raises ProblemError or StorageError."""
    folder: Path = options.out
    if folder is None:
        if options.resume:
            raise ProblemError("Say with --out which folder holds the run to resume.")
        stem = document.path.stem if document.path else document.project.title
        name = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in stem) or "run"
        folder = _fresh_folder(f"{name}-results")
    if folder.exists() and not folder.is_dir():
        raise ProblemError(f"'{folder}' is a file: choose a folder with --out.")
    check_results(folder, anew=not options.resume)
    write_bytes(folder / ".writable", b"")
    (folder / ".writable").unlink(missing_ok=True)  # another that begins now may have removed it
    if shutil.disk_usage(folder).free < LEAST_FREE:
        raise refusal(OSError(errno.ENOSPC, "full"), folder)
    return folder


def _fresh_folder(name: str) -> Path:
    """Made by this run alone, however many of a project begin at once. Raises StorageError."""
    folder, number = Path(name), 1
    with storing(folder):
        while True:
            with suppress(FileExistsError):
                folder.mkdir()
                return folder
            number += 1
            folder = Path(f"{name}-{number}")


@contextmanager
def ended_by_signals() -> Iterator[Callable[[], None]]:
    """A request to terminate and a lost terminal end the run as Ctrl-C does, with exit codes of their own; who asks
    again later will not wait for what is still to be saved.

    Gives what raises once more what has been asked for: what is raised while a compiler calls back is forgotten.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return

    latest, given = -math.inf, 0

    def again() -> None:
        if given:
            raise KeyboardInterrupt(given)

    def end(number: int, frame: Any) -> None:
        nonlocal latest, given
        now = clock.monotonic()
        if now < latest + SAME_SECONDS:
            return
        latest = now
        if number not in (signal.SIGTERM, signal.SIGINT):
            _forget_terminal()
        given = 128 + number
        raise KeyboardInterrupt(given)

    ended_by = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ended_by = [number for number in ended_by if signal.getsignal(number) is not signal.SIG_IGN]  # nohup
    before = [(number, signal.signal(number, end)) for number in ended_by]
    try:
        yield again
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _forget_terminal() -> None:
    """Write to nowhere what a terminal would show that is gone: an error in writing must not cost the checkpoint."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if stream.isatty():
            os.dup2(nowhere, stream.fileno())
