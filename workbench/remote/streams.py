"""Streams of bytes to the process that has the run: its socket, and OpenSSH's client."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from engines.api.errors import ProblemError, WorkbenchError
from workbench.storage.paths import state_dir

GREETING = b"\nworkbench-serve\n"
"""Before it come the words of the other machine's shell, which nobody wants."""
MOST_WORDS = 1 << 16
GREETING_SECONDS = 240.0
"""Until the other side has greeted: a password may be asked for, a job of Slurm waited for, and a server started."""
SOCKETS = sys.platform != "win32"
"""Whether this system has sockets that are files with an owner."""
WAITS = 75
"""The exit code of what can be tried again later: a job that waits in a queue."""
OPTIONS = ("ConnectTimeout=15", "ServerAliveInterval=5", "ServerAliveCountMax=3", "ClearAllForwardings=yes")
"""A line that is dead is noticed after fifteen seconds."""
HOST = re.compile(r"[A-Za-z0-9._%+\-\[\]:]+(@[A-Za-z0-9._%+\-\[\]:]+)?")


class LineLost(WorkbenchError):
    """The way to the other machine is not, or no longer, there."""

    goes_on = False
    """Whether what ran there does."""


class SocketStream:
    """A connected socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def read(self, most: int) -> bytes:
        return self._connection.recv(most)

    def write(self, content: bytes) -> None:
        self._connection.sendall(content)

    def close(self) -> None:
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


class ProcessStream:
    """What a process reads and writes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._stdin = process, process.stdin
        self._in, self._out = process.stdin.fileno(), process.stdout.fileno()

    def read(self, most: int) -> bytes:
        return os.read(self._out, most)

    def write(self, content: bytes) -> None:
        left = memoryview(content)
        while left:
            left = left[os.write(self._in, left) :]

    def close(self) -> None:
        with suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(1.0)  # how it ended says why
        except subprocess.TimeoutExpired:
            self._process.terminate()

    @property
    def waits(self) -> bool:
        """Whether what was to answer has said that it will later."""
        return self._process.returncode == WAITS

    @property
    def is_cut(self) -> bool:
        """Whether SSH has ended because the line did, and not because the other end closed it."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(2.0)
        return self._process.returncode not in (0, -signal.SIGTERM)

    def words(self) -> str:
        """The last line of what it said, once it has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(2.0)
        said = b""
        if self._process.stderr is not None:
            if os.name != "nt":
                os.set_blocking(self._process.stderr.fileno(), False)  # what SSH leaves behind may hold it open
            said = self._process.stderr.read() or b""
        lines = said.decode(errors="replace").strip().splitlines()
        return lines[-1].strip().removesuffix(".") if lines else ""


def socket_path() -> Path:
    """Where this person's server of this machine listens: in a folder that outlasts logging out, whatever the session,
    of a name of its own where machines share their homes."""
    return state_dir() / "serve" / f"{socket.gethostname().partition('.')[0][:32]}.sock"


def own_folder(folder: Path) -> None:
    """Make it, for this person alone. Raises ProblemError where it is somebody else's or open to others."""
    folder.mkdir(0o700, parents=True, exist_ok=True)
    told = folder.lstat()
    if not stat.S_ISDIR(told.st_mode) or told.st_uid != os.getuid():
        raise ProblemError(f"'{folder}' is not a folder of yours: remove it, or choose another with --socket.")
    if stat.S_IMODE(told.st_mode) & 0o077:
        raise ProblemError(f"Others may look into '{folder}': run 'chmod 700 {folder}', then again.")


def to_socket(path: Path) -> SocketStream:
    """Raises LineLost."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(str(path))
    except OSError as error:
        connection.close()
        where = "" if path == socket_path() else f" --socket {shlex.quote(str(path))}"
        raise LineLost(
            f"Nothing listens at '{path}' ({error.strerror or error}): start 'workbench serve{where}'."
        ) from error
    return SocketStream(connection)


def listens(path: Path) -> bool:
    try:
        to_socket(path).close()
    except LineLost:
        return False
    return True


def through_ssh(
    host: str, command: str = "workbench", asks: bool = False, job_options: str | None = None
) -> ProcessStream:
    """``asks``: SSH may ask for a password at the terminal; ``job_options``: to a job of Slurm with these. Raises
    ProblemError, LineLost."""
    check_host(host)
    options = [f"-o{option}" for option in (*OPTIONS, *(() if asks else ("BatchMode=yes",)))]
    in_a_job = "" if job_options is None else f" --slurm={shlex.quote(job_options)}"
    told = ["ssh", "-T", *options, "--", host, f"{command} serve --stdio{in_a_job}"]
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(told, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    except OSError as error:
        raise ProblemError("There is no 'ssh' here: install OpenSSH's client.") from error
    stream = ProcessStream(process)
    greeted: list[bool] = []
    waiting = threading.Thread(target=lambda: greeted.append(_greeted(stream)), name="workbench-greeting", daemon=True)
    waiting.start()
    waiting.join(GREETING_SECONDS)
    if not greeted:
        stream.close()
        raise LineLost(
            f"{host} has let us in and not started Workbench within {GREETING_SECONDS / 60:g} minutes: see whether "
            f"'ssh {host} {command} doctor' answers there."
        )
    if not greeted[0]:
        stream.close()
        if stream.waits:
            raise LineLost(f"{stream.words()}.")
        raise LineLost(f"{host} cannot be reached: {stream.words() or 'it said nothing'}.")
    return stream


def check_host(host: str) -> None:
    """Raises ProblemError for what would be an option, or a command."""
    if not HOST.fullmatch(host) or host.startswith("-"):
        raise ProblemError(f"'{host[:60]}' is no name of a machine: write user@host, or a Host of ~/.ssh/config.")


def _greeted(stream: ProcessStream) -> bool:
    said = b""
    while GREETING not in said:
        part = stream.read(1)
        if not part or len(said) > MOST_WORDS:
            return False
        said += part
    return True


def relay(path: Path, incoming: int, outgoing: int) -> None:
    """Between two descriptors and the socket, until one of them ends. Raises LineLost."""
    stream = to_socket(path)
    os.write(outgoing, GREETING)

    def forth() -> None:
        with suppress(OSError):
            while content := os.read(incoming, 1 << 16):
                stream.write(content)
        stream.close()

    threading.Thread(target=forth, daemon=True).start()
    with suppress(OSError):
        while content := stream.read(1 << 16):
            left = memoryview(content)
            while left:
                left = left[os.write(outgoing, left) :]
