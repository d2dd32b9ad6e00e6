"""The process beside the run: it has one run at a time and answers one window, whichever came last.

It listens on a Unix socket alone, in a folder that nobody else may enter, and asks the system who has connected. A
window that goes, or is lost, leaves a run that has begun as it is; the next one that comes sees it with its curves.
"""

from __future__ import annotations

import math
import os
import select
import shutil
import socket
import stat
import struct
import sys
import threading
import time as clock
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.api.errors import ProblemError, WorkbenchError
from workbench import __version__
from workbench.project.document import Document
from workbench.project.findings import Estimator
from workbench.remote import messages as m
from workbench.remote.beginning import IDLE_MINUTES, unkept_at
from workbench.remote.codec import Raw, WireError, pack
from workbench.remote.hosted import Hosted
from workbench.remote.packing import Received, edited, folder_of, parts_of
from workbench.remote.questions import LONG
from workbench.remote.streams import SocketStream, listens, own_folder
from workbench.remote.wire import Line
from workbench.run.frames import RunState
from workbench.storage.atomic import StorageError, write_text
from workbench.storage.locking import ProcessLock

LOOK_SECONDS = 1 / 60
UNSEEN_SECONDS = 0.25
ENDING_SECONDS = 45.0
KEEPING_SECONDS = 10.0
"""That a window waits at most for the end of the run before, where one goes on from what is kept: shorter than silence
may last."""
"""In which a server that listens no more has kept its run."""
LONGEST_NAME = 107
"""Bytes of a socket's name, unix(7)."""
FROM_WINDOW = m.kinds(
    m.Hello, m.Look, m.Start, m.Attend, m.FrameTaken, m.FilePart, m.Wanted, m.Watch, m.Steer, m.End, m.Ask, m.Judge
)
TAKEN_OVER = "Another window looks at this run now: this one no longer follows it."
REPLACED = (
    "A run of '{title}' that this window does not look at is on there: choose that place anew under Run > Compute "
    "elsewhere… to see it or to end it."
)


def peer_of(connection: socket.socket) -> int | None:
    """The user at the other end; None where the system does not tell (the folder keeps others out)."""
    if sys.platform != "linux":
        return None
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", told)[1])


@dataclass
class _Window:
    """The one that is looking."""

    line: Line
    welcomed: bool = False
    attends: bool = False
    built: bool = False


class Server:
    """:meth:`listen`, then :meth:`serve` until it is told to :meth:`stop`."""

    def __init__(self, path: Path, idle_seconds: float = 60 * IDLE_MINUTES) -> None:
        self.path = path
        self._idle_seconds = idle_seconds
        self._lock = threading.RLock()
        self._window: _Window | None = None
        self._hosted: Hosted | None = None
        self._ending: threading.Thread | None = None  # the run before
        self._start: m.Start | None = None  # one whose files are still coming
        self._wanted: dict[str, int] = {}
        self._received = Received()
        self._estimator = Estimator()
        self._judged: tuple[tuple[m.FileTold, ...], Document] | None = None
        self._judging = threading.Lock()
        self._stopping = threading.Event()
        self._seen = clock.monotonic()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._bound: os.stat_result | None = None
        self._pid, self._guarded = (path.with_suffix(each) for each in (".pid", ".lock"))
        self._guard = ProcessLock(self._guarded)

    def listen(self) -> None:
        """Raises ProblemError where that cannot be, and where another listens or something else stands there; a server
        that ends is waited for."""
        own_folder(self.path.parent)
        _check_own(self._guarded, b"")
        if len(os.fsencode(self.path)) > LONGEST_NAME:
            raise ProblemError(f"'{self.path}' is longer than names of sockets may be: choose another with --socket.")
        latest = clock.monotonic() + ENDING_SECONDS
        while not self._guard.acquire():
            if listens(self.path) or clock.monotonic() > latest:
                raise ProblemError(f"A server listens at '{self.path}' already: connect to it, or end it first.")
            clock.sleep(LOOK_SECONDS)
        try:
            self._bind()
        except BaseException:
            self._guard.release(remove=True)
            raise
        self._socket.listen(4)
        self._received.forget_old()

    def _bind(self) -> None:
        _check_own(self._pid, b"0123456789")
        if os.path.lexists(self.path):
            if not stat.S_ISSOCK(self.path.lstat().st_mode):
                raise ProblemError(
                    f"'{self.path}' stands there already and is no socket: choose another with --socket."
                )
            if listens(self.path):
                raise ProblemError(f"Another program listens at '{self.path}': choose another with --socket.")
            self.path.unlink()  # of a server that was killed
        before = os.umask(0o177)
        try:
            self._socket.bind(str(self.path))
        finally:
            os.umask(before)
        self._bound = self.path.lstat()
        unkept_at(self.path).unlink(missing_ok=True)
        write_text(self._pid, str(os.getpid()))  # before anybody finds that it listens

    def serve(self) -> None:
        """Until it is stopped, or nobody has wanted anything for long."""
        while not self._stopping.is_set():
            if select.select([self._socket], [], [], LOOK_SECONDS if self._window else UNSEEN_SECONDS)[0]:
                self._accept()
            self._look()
        self._close()

    def stop(self) -> None:
        self._stopping.set()

    # Connections.

    def _accept(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except OSError:  # gone already, or no more files may be open: the run goes on, and who waits is let in later
            clock.sleep(LOOK_SECONDS)
            return
        if peer_of(connection) in (None, os.getuid()):
            self._open(connection)
        else:
            connection.close()

    def _open(self, connection: socket.socket) -> None:
        window: list[_Window] = []

        def receive(message: Any) -> None:
            with self._lock:
                self._take(window[0], message)

        def ended(_: str) -> None:
            with self._lock:
                self._left(window[0])

        def fresh() -> Any:
            hosted = self._hosted if window[0] is self._window and window[0].built else None
            return None if hosted is None else hosted.frame()

        window.append(_Window(Line(SocketStream(connection), FROM_WINDOW, receive, ended, fresh)))
        window[0].line.open()

    def _left(self, window: _Window) -> None:
        if window is not self._window:
            return
        self._window, self._start, self._seen = None, None, clock.monotonic()
        if self._hosted is not None:
            if self._hosted.begun:
                self._hosted.runner.watch(None)
            else:
                self._drop()  # nothing of it is worth coming back for

    def _take(self, window: _Window, message: Any) -> None:
        if not window.welcomed:
            self._welcome(window, message)
            return
        if window is not self._window:
            return  # it has been told
        match message:
            case m.Start():
                self._begin(window, message)
            case m.FilePart():
                self._store(message)
            case m.Wanted():
                self._send_files(window, message)
            case m.Judge():
                threading.Thread(
                    target=self._judge, args=(window, message), name="workbench-judging", daemon=True
                ).start()
            case m.Attend():
                window.attends = True
            case _ if self._hosted is not None and getattr(message, "run", "") == self._hosted.run:
                self._pass_on(window, self._hosted, message)

    def _welcome(self, window: _Window, message: Any) -> None:
        if isinstance(message, m.Look):
            window.line.send(self._told())
            return
        if not isinstance(message, m.Hello):
            raise WireError("What came first is no greeting of a window.")
        if message.version != __version__:
            raise WireError(
                f"Workbench {__version__} is on there and {message.version} here: install the same on both, and end "
                "what is on there with 'workbench serve --stop'."
            )
        if self._window is not None:
            self._window.line.end(TAKEN_OVER)
        window.welcomed, self._window, self._start = True, window, None
        self._received.begin()
        if message.near:
            window.line.come_near()
        attached = None if self._hosted is None else self._hosted.attached(message.near)
        window.line.send_long(m.Welcome(__version__, _devices(), attached))

    def _told(self) -> m.Seen:
        if (hosted := self._hosted) is None:
            return m.Seen()
        goes_on = hosted.runner.state in (RunState.BUILDING, RunState.RUNNING)
        return m.Seen(hosted.run, hosted.document.project.title, goes_on, self._window is not None)

    def _pass_on(self, window: _Window, hosted: Hosted, message: Any) -> None:
        match message:
            case m.Watch():
                hosted.watch(message)
            case m.FrameTaken():
                hosted.seen()
                window.line.wake()
            case m.Steer(what="close"):
                self._drop()
            case m.Steer():
                hosted.steer(message)
            case m.End():
                check_times(message.until, message.pace)
                hosted.runner.until, hosted.runner.pace = message.until, message.pace
            case m.Ask():
                long = message.kind in {each.__name__ for each in LONG}
                hosted.answer(message, window.line.send_long if long else window.line.send)

    # Problems.

    def _begin(self, window: _Window, start: m.Start) -> None:
        hosted = self._hosted
        if hosted is not None and hosted.run not in start.replaces:
            sentence = REPLACED.format(title=hosted.document.project.title)
            window.line.send(m.Refused(start.run, m.Trouble(sentence, "problem")))
            return
        self._drop()
        self._start = start
        missing = self._received.missing(start.problem)
        self._wanted = {file.sha256: file.size for file in start.problem.files if file.sha256 in missing}
        if missing:
            window.line.send(m.Wanted(missing))
        else:
            self._run(window)

    def _store(self, part: m.FilePart) -> None:
        if self._start is None or self._window is None:
            return
        if part.sha256 not in self._wanted and self._received.path(part.sha256).is_file():
            return  # asked for twice, as Run was pressed again before it came
        if self._received.take(part, self._wanted):
            del self._wanted[part.sha256]
        if not self._wanted:
            self._run(self._window)

    def _run(self, window: _Window) -> None:
        start, self._start = self._start, None
        assert start is not None
        try:
            document = self._received.document(start.problem, folder_of(start.run, "runs"))
            if start.kept and self._ending is not None:
                self._ending.join(KEEPING_SECONDS)  # it may be of this problem, opened again
            self._hosted = Hosted(start, document, window.line.near)
            window.attends, window.built = True, False
        except WorkbenchError as error:
            window.line.send(m.Refused(start.run, m.trouble_of(error)))
            shutil.rmtree(folder_of(start.run, "runs"), ignore_errors=True)

    def _send_files(self, window: _Window, wanted: m.Wanted) -> None:
        known = set() if self._hosted is None else {file.sha256 for file in self._hosted.problem.files}
        for sha256 in wanted.files:
            if sha256 in known:
                window.line.send_all(parts_of(sha256, self._received.path(sha256)))

    def _judge(self, window: _Window, judge: m.Judge) -> None:
        """On a thread of its own: meshes are read, devices opened."""
        try:
            with self._judging:
                if self._received.missing(judge.problem):
                    raise ProblemError("The files of this problem are not there yet.")
                folder, document = folder_of(f"judged {self.path}", "runs"), None
                if self._judged is not None and self._judged[0] == judge.problem.files:
                    document = edited(self._judged[1], judge.problem, folder)
                document = document or self._received.document(judge.problem, folder)
                self._judged = judge.problem.files, document
                estimate = pack(self._estimator.estimate(document, beside=self._hosted is not None))
            answer = m.Answer(judge.number, 0, Raw(estimate.tree, tuple(estimate.arrays)))
        except Exception as error:
            answer = m.Answer(judge.number, 0, error=m.trouble_of(error))
        window.line.send(answer)

    def _drop(self) -> None:
        """End the run that there is."""
        hosted, self._hosted, self._seen = self._hosted, None, clock.monotonic()
        if hosted is not None:
            self._ending = threading.Thread(target=_end, args=(hosted,), name="workbench-ending", daemon=True)
            self._ending.start()

    # What is done again and again.

    def _look(self) -> None:
        with self._lock:
            window, hosted = self._window, self._hosted
            if hosted is None or window is None:
                if hosted is not None:
                    hosted.keep()
                elif window is None and clock.monotonic() - self._seen > self._idle_seconds:
                    self.stop()
                return
            if not window.attends:
                return
            try:
                self._tell(window, hosted)
            except Exception as error:  # of an engine that somebody else wrote: the run goes on
                window.line.end(f"What this run tells cannot be sent ({type(error).__name__}: {error}).")
        if hosted.has_frame:
            window.line.wake()

    def _tell(self, window: _Window, hosted: Hosted) -> None:
        if not window.built:
            built = hosted.built()
            if built is not None:
                window.line.send(built)
                window.built = True
        hosted.tell(window.line.send)

    def _close(self) -> None:
        self._socket.close()
        with self._lock:
            window, hosted = self._window, self._hosted
            self._window = self._hosted = None
        told = m.STOPPED
        if hosted is not None:
            _end(hosted)
            told = hosted.farewell
        if told != m.STOPPED:
            print(told, file=sys.stderr, flush=True)
            with suppress(StorageError):
                write_text(unkept_at(self.path), told)
        if window is not None:
            window.line.end(told)
            window.line.join(2.0)
        if self._bound is not None:
            with suppress(FileNotFoundError):
                if os.path.samestat(self._bound, self.path.lstat()):  # and nothing that came in its place
                    self.path.unlink()
            self._pid.unlink(missing_ok=True)
        self._guard.release(remove=True)


def _check_own(file: Path, letters: bytes) -> None:
    """Raises ProblemError where a file beside the socket is none that a server wrote, which has nothing but these."""
    if not os.path.lexists(file):
        return
    if not stat.S_ISREG(file.lstat().st_mode) or file.read_bytes().strip(letters):
        raise ProblemError(f"'{file}' is there already and of no server: choose another name with --socket.")


def check_times(*times: float | None) -> None:
    """Raises WireError."""
    if not all(time is None or 0 < time < math.inf for time in times):
        raise WireError("An end or a pace came that is no positive number.")


def _end(hosted: Hosted) -> None:
    hosted.close()
    shutil.rmtree(folder_of(hosted.run, "runs"), ignore_errors=True)


def _devices() -> tuple[tuple[str, str], ...]:
    from engines.backend.devices.select import available  # Numba and CuPy are imported when they are needed

    return (("auto", "Automatic"), *((info.id, info.name) for info in available()))
