"""A window's connection to the process that has its runs: how it is made, what it begins, and how it is lost."""

from __future__ import annotations

import threading
import time as clock
import uuid
from collections import deque
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engines.api import Array, Estimate
from workbench import __version__
from workbench.project.document import Document
from workbench.remote import messages as m
from workbench.remote.beginning import begin
from workbench.remote.checking import MOST_AT_ONCE, check_attached, check_size
from workbench.remote.codec import WireError, unpack
from workbench.remote.packing import Received, folder_of, packed, parts_of
from workbench.remote.runner import MOST_TOLD, RemoteRunner
from workbench.remote.streams import SOCKETS, LineLost, ProcessStream, SocketStream, socket_path, through_ssh, to_socket
from workbench.remote.wire import Line
from workbench.run.frames import BEGUN
from workbench.run.streams.curves import Curves
from workbench.words.failures import as_sentence
from workbench.words.units import clock_text

BESIDE = "this computer beside the window"
PATIENCE_SECONDS = 60.0
"""Until the other side has answered a greeting: its first device takes seconds to be opened."""
LOOK_SECONDS = 5.0
TO_WINDOW = m.kinds(m.Welcome, m.Wanted, m.FilePart, m.Refused, m.Built, m.News, m.Shown, m.Answer)


@dataclass(frozen=True)
class Place:
    """Where a problem is computed: a machine that SSH knows, a ``socket`` of this one, or, without either, a process of
    this one beside the window, begun where there is none. ``command`` starts Workbench on the other machine,
    ``job_options`` (of ``sbatch``) in a job of Slurm that is submitted there."""

    host: str = ""
    command: str = "workbench"
    socket: Path | None = None
    job_options: str | None = None

    @property
    def title(self) -> str:
        return BESIDE if self.beside else self.host or "this computer"

    @property
    def beside(self) -> bool:
        """Whether it is a process of this computer that a window began for its runs."""
        return not self.host and self.socket is None

    def stream(self, asks: bool) -> SocketStream | ProcessStream:
        """Raises ProblemError, LineLost."""
        if self.host:
            return through_ssh(self.host, self.command, asks, self.job_options)
        if self.socket is None:
            begin(socket_path())
        return to_socket(self.socket or socket_path())


def seen_beside() -> m.Seen:
    """The run of the process beside the window, as far as there is one; begins none."""
    seen, over = m.Seen(), threading.Event()

    def take(message: m.Seen) -> None:
        nonlocal seen
        check_size(message, MOST_AT_ONCE)
        seen = message
        over.set()

    if SOCKETS:
        with suppress(LineLost):
            line = Line(to_socket(socket_path()), m.kinds(m.Seen), take, lambda _: over.set())
            line.open()
            line.send(m.Look())
            over.wait(LOOK_SECONDS)
            line.end()
            line.join(2.0)
    return seen


class Connection:
    """To one place, with at most one run. ``lost`` says why it is gone; empty while it is there."""

    def __init__(self, place: Place, asks: bool = False) -> None:
        """Connect; takes seconds. ``asks``: SSH may ask at the terminal. Raises ProblemError, LineLost."""
        self.place, self.asks = place, asks
        self.lost = ""
        self.runner: RemoteRunner | None = None
        self.devices: tuple[tuple[str, str], ...] = ()
        self._attached: m.Attached | None = None
        self._welcome = threading.Event()
        self._files: Mapping[str, Path] = {}
        self._received = Received()
        self._awaited: dict[str, int] = {}
        self._all_there = threading.Event()
        self._leaving = False
        self._own: deque[str] = deque(maxlen=64)  # runs that may make way for the next
        self._sending = threading.Lock()
        self._numbers = count(-1, -1)  # those of a run count up from zero
        self._judged: dict[int, Future[Estimate]] = {}
        self._stream = place.stream(asks)
        self._line = Line(self._stream, TO_WINDOW, self._take, self._ended, self._fresh, self._most)
        near = not place.host
        if near:
            self._line.come_near()
        self._line.open()
        self._line.send(m.Hello(__version__, near))
        if not self._welcome.wait(PATIENCE_SECONDS) or self.lost:
            self.close()
            raise LineLost(self.lost or f"{place.title} does not answer: try 'workbench connect' again.")

    @property
    def run(self) -> str:
        """The one that was there when it was made; empty: none."""
        return "" if self._attached is None else self._attached.run

    def end_run(self) -> None:
        """The one that was there when it was made ends, kept where it stands."""
        self._line.send(m.Steer(self.run, "close"))

    def close(self) -> None:
        """A run goes on."""
        self._leaving = True
        self._line.end("")
        self._line.join(2.0)

    def start(
        self,
        document: Document,
        *,
        autostart: bool,
        state: Mapping[str, Array] | None = None,
        state_of: str = "",
        kept: bool = False,
        curves: Curves = MappingProxyType({}),
        on_the_way: m.OnTheWay = (),
    ) -> RemoteRunner:
        """Begin a run of the document as it is now in the place of the one that there is; returns at once.

        ``state``: go on from it, of the device ``state_of``, with the ``curves`` of before; ``kept``: from where the
        last run of this problem stood there, if one did, also with what was ``on_the_way`` to it. Raises LineLost.
        """
        run, settings = uuid.uuid4().hex, document.project.run
        replaces = tuple(self._own)
        runner = RemoteRunner(run, self._line, document.time_unit, settings.until, settings.pace)
        runner.curves = curves
        before, self.runner = self.runner, runner
        if self.lost:  # asked for once it would be told: the line may be lost at any moment
            self.runner = before
            raise LineLost(self.lost)
        self._own.append(run)

        def send() -> None:
            try:
                runner.geometry = document.geometry
                problem, files = packed(document)
                start = m.Start(run, replaces, problem, autostart, state, state_of, kept, curves, on_the_way)
                with self._sending:
                    if self.runner is runner:  # else another was begun meanwhile
                        self._files = files
                        self._line.send_long(start)
            except Exception as error:
                runner.fail(as_sentence(error))

        threading.Thread(target=send, name="workbench-sending", daemon=True).start()
        return runner

    def estimate(self, document: Document) -> Estimate:
        """What a run of it needs there; waits until its files are there. Raises WorkbenchError."""
        while (runner := self.runner) is not None and not runner.is_there and runner.alive and not self.lost:
            clock.sleep(0.05)
        if self.lost:
            raise LineLost(self.lost)
        number = next(self._numbers)
        answer: Future[Estimate] = Future()
        self._judged[number] = answer
        self._line.send(m.Judge(number, packed(document)[0]))
        try:
            return answer.result(PATIENCE_SECONDS)
        except (CancelledError, TimeoutError) as error:
            raise LineLost(self.lost or f"{self.place.title} does not say what this needs: try again.") from error

    def attach(self) -> Document | None:
        """What the run that there is is of, which :attr:`runner` then follows; None where there is none.

        Waits for its files. Raises ProblemError, LineLost.
        """
        attached = self._attached
        if attached is None:
            return None
        check_attached(attached.until, attached.pace, attached.curves)
        missing = self._received.missing(attached.problem)
        if missing:
            self._awaited = {file.sha256: file.size for file in attached.problem.files if file.sha256 in missing}
            self._line.send(m.Wanted(missing))
            came, latest = -1, 0.0
            while not self._all_there.wait(0.2):
                if self._line.received > came:
                    came, latest = self._line.received, clock.monotonic() + PATIENCE_SECONDS
                if self.lost or clock.monotonic() > latest:
                    raise LineLost(self.lost or f"{self.place.title} does not send what its run is of: try again.")
        self._received.forget_old()
        document = self._received.document(attached.problem, folder_of(attached.run, "shown"))
        runner = RemoteRunner(attached.run, self._line, document.time_unit, attached.until, attached.pace)
        runner.geometry, runner.curves = document.geometry, attached.curves
        settings = document.project.run
        settings.last_until = settings.until or settings.last_until
        settings.last_pace = settings.pace or settings.last_pace
        settings.until, settings.pace = attached.until, attached.pace
        self.runner = runner
        self._own.append(attached.run)
        self._line.send(m.Attend(attached.run))
        return document

    # The line's threads.

    def _fresh(self) -> Any:
        return None if self.runner is None else self.runner.fresh()

    def _most(self, kind: type) -> int:
        """Bytes of arrays: a frame has what was asked for, beside lines and charts; what is long is unpacked later."""
        asked = self.runner.most_of_a_frame if kind is m.Shown and self.runner is not None else 0
        return MOST_TOLD + asked

    def _take(self, message: Any) -> None:
        runner = self.runner
        match message:
            case m.Welcome():
                self.devices, self._attached = message.devices, message.attached
                self._welcome.set()
            case m.Wanted():
                for sha256 in message.files:
                    if sha256 in self._files:
                        self._line.send_all(parts_of(sha256, self._files[sha256]))
            case m.FilePart():
                if self._received.take(message, self._awaited):
                    del self._awaited[message.sha256]
                if not self._awaited:
                    self._all_there.set()
            case m.Answer(number=number) if number < 0:
                if number in self._judged:
                    self._take_estimate(self._judged.pop(number), message)
            case m.Answer() if runner is not None:
                runner.take(message)
            case _ if runner is not None and message.run == runner.run_id:
                runner.take(message)

    def _take_estimate(self, asked: Future[Estimate], answer: m.Answer) -> None:
        if answer.error is None:
            try:
                asked.set_result(unpack(Estimate, answer.value.tree, answer.value.arrays, MOST_TOLD))
            except WireError as error:
                asked.set_exception(error)
                raise
        else:
            asked.set_exception(m.error_of(answer.error))

    def _ended(self, why: str) -> None:
        stream = self._stream
        cut = not why and isinstance(stream, ProcessStream) and stream.is_cut
        self.lost = why or self._reason(cut)
        self._welcome.set()
        for asked in list(self._judged.values()):  # another thread may be asking
            asked.cancel()
        if self.runner is not None and self._leaving:
            self.runner.leave()  # who still waits for an answer is not left waiting
        elif self.runner is not None:
            error = LineLost(self.lost)
            error.torn = True
            error.goes_on = cut or bool(why and not why.startswith(m.ENDED))
            self.runner.fail(error)

    def _reason(self, cut: bool) -> str:
        if cut and isinstance(stream := self._stream, ProcessStream):
            words = stream.words()
            return f"The line to {self.place.title} is lost{f' ({words})' if words else ''}: what runs there goes on."
        ended, run = f"The server of {self.place.title} has ended", self.runner
        if run is not None and run.kept is not None:
            return f"{ended}: its run can go on from {clock_text(run.kept, run.time_unit)}, where it was last kept."
        begun = run is not None and run.state in BEGUN
        return f"{ended}: nothing of its run was kept yet, so it begins at zero again." if begun else f"{ended}."
