"""Messages both ways over a stream of bytes: what is short goes first, what is long goes in pieces beside it.

Every piece is five bytes, its kind and its length, and then its content. A message is JSON with the bytes of its
arrays behind it. Long ones (frames, states, files) are cut into pieces, and few are on their way before the other side
has confirmed them: an answer never waits behind more than these, however slow the line is and however much its buffers
would take. Frames are not queued at all: when the one before has left, the newest is asked for.
"""

from __future__ import annotations

import json
import math
import struct
import threading
import time as clock
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from engines.api.errors import WorkbenchError
from workbench.remote.codec import LARGEST_ARRAY, WireError, pack, unpack

HEAD = struct.Struct(">BI")
WHOLE, PIECE, LAST, CONFIRMED = 1, 2, 3, 4
PIECE_BYTES = 1 << 14
UNCONFIRMED = 24 * PIECE_BYTES
"""On their way at most: at 100 Mbit/s 31 ms. A line of 20 ms there and back carries 19 MB/s with it."""
NEAR_PIECE_BYTES = 1 << 18
"""Within one machine, where each piece and its confirmation cost more than what is in it."""
WAITING_SECONDS = 0.04
"""That pieces may stand in buffers of the line, beyond what the way itself takes; on slower lines fewer are sent."""
AGAIN_SECONDS = 10.0
LARGEST_WHOLE = 1 << 24
MOST_STANDING = 4 * LARGEST_WHOLE
"""Of short messages that nobody takes, as beyond a window that is suspended: the line ends, and the run goes on."""
NOT_TAKEN = "What came over the line was not taken for too long: connect again."
LARGEST_LONG = LARGEST_ARRAY + (1 << 24)
LARGEST_HEAD = 1 << 25
"""Of the JSON of a message, which takes some twenty times as much memory: a project of 16 MB fits."""
LENGTH = struct.Struct(">I")


class Stream(Protocol):
    """Where bytes come from and go to. :meth:`close` has whoever reads or writes return."""

    def read(self, most: int) -> bytes:
        """Some bytes, at most so many; none at the end."""

    def write(self, content: bytes) -> None:
        """All of it. Raises OSError."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class Ended:
    """The last message of a line: why it ends, in a sentence."""

    sentence: str


class _Allowance:
    """How many bytes may be on their way: fewer as soon as they begin to stand in a queue before the line.

    Every :data:`AGAIN_SECONDS` it begins with one ``piece``, so that what the empty way takes is known as it is now.
    """

    def __init__(self, piece: int = PIECE_BYTES) -> None:
        self._piece, self._limit = piece, UNCONFIRMED // PIECE_BYTES * piece
        self._sent = self._confirmed = 0
        self._on_way: deque[tuple[int, int, float]] = deque()
        """Of each piece: where it ends, how many bytes were on their way with it, and when that was."""
        self._begin()

    def _begin(self) -> None:
        self._began, self._most, self._least, self._doubling = clock.monotonic(), float(self._piece), math.inf, True

    @property
    def more(self) -> bool:
        return self._sent - self._confirmed + self._piece <= self._most

    def sent(self, length: int) -> None:
        self._sent += length
        self._on_way.append((self._sent, self._sent - self._confirmed, clock.monotonic()))

    def confirmed(self, length: int) -> None:
        self._confirmed = min(self._sent, self._confirmed + length)
        now = clock.monotonic()
        if now - self._began > AGAIN_SECONDS:
            self._begin()
        while self._on_way and self._on_way[0][0] <= self._confirmed:
            _, together, when = self._on_way.popleft()
            if when < self._began:
                continue
            took = now - when
            self._least = min(took, self._least)
            right = self._least + WAITING_SECONDS
            if took > right:
                self._most = max(self._piece, min(self._most, together * right / took))
                self._doubling = False
            else:
                more = self._piece if self._doubling else self._piece * self._piece / self._most
                self._most = min(self._limit, self._most + more)


class Line:
    """One end of it. ``kinds``: what may come, by name; ``receive`` is given each message on the line's own thread.

    ``most`` says how many bytes the arrays of a message may take once they are expanded, by its kind, before they are.
    ``ended`` is called once, on one of the line's threads, with why: what the other side said, or an empty text where
    the stream just ended. ``fresh`` gives the newest long message worth sending or None; it is asked again when the one
    before has left and after :meth:`wake`.
    """

    def __init__(
        self,
        stream: Stream,
        kinds: Mapping[str, type],
        receive: Callable[[Any], None],
        ended: Callable[[str], None],
        fresh: Callable[[], Any] = lambda: None,
        most: Callable[[type], int] = lambda kind: LARGEST_ARRAY,
    ) -> None:
        self._most = most
        self._stream, self._kinds = stream, {**kinds, "Ended": Ended}
        self._receive, self._ended, self._fresh = receive, ended, fresh
        self._changed = threading.Condition()
        self._short: deque[bytes] = deque()
        self._standing = 0  # bytes of them
        self._long: deque[Iterator[Any]] = deque()
        self._going = memoryview(b"")  # what is left of the long message on its way
        self._piece_bytes, self._allowance = PIECE_BYTES, _Allowance()
        self.near = False
        """Whether both ends are on one machine: nothing is squeezed then."""
        self._to_confirm = 0
        self._woken = False
        self._closing = False
        self._told = False
        self._why = ""
        self._coming = bytearray()
        self.sent = self.received = 0
        """Bytes."""
        self.heard = clock.monotonic()
        """When something came last."""
        self._threads = [
            threading.Thread(target=work, name=f"workbench-line-{work.__name__[1:]}", daemon=True)
            for work in (self._writing, self._reading)
        ]

    def open(self) -> None:
        for thread in self._threads:
            thread.start()

    def come_near(self) -> None:
        """Both ends are on one machine. Before anything long is sent."""
        with self._changed:
            self.near, self._piece_bytes, self._allowance = True, NEAR_PIECE_BYTES, _Allowance(NEAR_PIECE_BYTES)

    def send(self, message: Any) -> None:
        """Before everything that is long; never waits."""
        content = encoded(message, not self.near)
        with self._changed:
            if self._closing:
                return
            self._short.append(HEAD.pack(WHOLE, len(content)) + content)
            self._standing += len(content)
            full = self._standing > MOST_STANDING
            self._changed.notify_all()
        if full:
            self._give_up(NOT_TAKEN)

    def send_long(self, *messages: Any) -> None:
        """After what is short, in the order of such messages; packed when its turn comes."""
        self.send_all(messages)

    def send_all(self, messages: Iterable[Any]) -> None:
        """As :meth:`send_long`; each is made when its turn comes."""
        with self._changed:
            if not self._closing:
                self._long.append(iter(messages))
                self._changed.notify_all()

    def wake(self) -> None:
        """``fresh`` may have something."""
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def end(self, sentence: str = "") -> None:
        """Send what is short, then ``sentence``, and close."""
        self.send(Ended(sentence))
        self._why = self._why or sentence
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def _give_up(self, sentence: str) -> None:
        with self._changed:
            self._why, self._closing = self._why or sentence, True
            self._short.clear()
            self._changed.notify_all()
        self._stream.close()  # whoever waits for the other end returns

    def join(self, seconds: float) -> None:
        for thread in self._threads:
            if thread is not threading.current_thread() and thread.ident is not None:
                thread.join(seconds)

    # Both threads.

    def _writing(self) -> None:
        try:
            while True:
                content = self._next()
                if content is None:
                    break
                self._stream.write(content)
                self.sent += len(content)
        except OSError:
            self._threads[1].join(1.0)  # what the other side said last may still be read
        except WorkbenchError as error:  # a file that was to be sent is gone
            self._close(str(error))
        except Exception as error:  # a message that does not travel: a mistake of this program, not of the line
            self._close(f"The line was ended by an unexpected {type(error).__name__}: {error}.")
        self._close("")

    def _next(self) -> bytes | None:
        """What is to be written next; None once all is."""
        while True:
            with self._changed:
                self._changed.wait_for(self._has_work)
                if self._to_confirm:
                    confirmed, self._to_confirm = self._to_confirm, 0
                    return HEAD.pack(CONFIRMED, confirmed)
                if self._short:
                    content = self._short.popleft()
                    self._standing -= len(content) - HEAD.size
                    return content
                if self._closing:
                    return None
                if self._going:
                    return self._piece()
                self._woken = False
                messages = self._long[0] if self._long else None
            message = self._fresh() if messages is None else next(messages, None)
            if message is None and messages is not None:
                with self._changed:
                    self._long.popleft()
                    self._woken = True
            if message is not None:
                self._going = memoryview(encoded(message, not self.near))
                with self._changed:
                    self._woken = True  # and what is fresh after it

    def _has_work(self) -> bool:
        long = bool(self._going or self._long or self._woken) and self._allowance.more
        return bool(self._short or self._closing or self._to_confirm or long)

    def _piece(self) -> bytes:
        piece, self._going = self._going[: self._piece_bytes], self._going[self._piece_bytes :]
        self._allowance.sent(len(piece))
        return HEAD.pack(PIECE if self._going else LAST, len(piece)) + bytes(piece)

    def _reading(self) -> None:
        why = ""
        try:
            while True:
                kind, length = HEAD.unpack(self._exactly(HEAD.size))
                message = self._take(kind, length)
                if isinstance(message, Ended):
                    why = message.sentence
                    break
                if message is not None:
                    self._receive(message)
        except (EOFError, OSError):
            pass
        except WorkbenchError as error:
            why = str(error)
            self.end(why)
            self._threads[0].join(1.0)
        except Exception as error:  # of whoever receives: it ends this line and nothing else
            why = f"The line was ended by an unexpected {type(error).__name__}: {error}."
            self.end(why)
            self._threads[0].join(1.0)
        self._close(why)

    def _take(self, kind: int, length: int) -> Any:
        """The message that is complete with this piece, or None. Raises WireError."""
        if kind == CONFIRMED:
            with self._changed:
                self._allowance.confirmed(length)
                self._changed.notify_all()
            return None
        if kind == WHOLE and length <= LARGEST_WHOLE:
            return decoded(self._exactly(length), self._kinds, self._most)
        if kind not in (PIECE, LAST) or length > NEAR_PIECE_BYTES or len(self._coming) + length > LARGEST_LONG:
            raise WireError("What came over the line is no message of Workbench: is the same version on both sides?")
        self._coming += self._exactly(length)
        with self._changed:
            self._to_confirm += length
            self._changed.notify_all()
        if kind == PIECE:
            return None
        content, self._coming = bytes(self._coming), bytearray()
        return decoded(content, self._kinds, self._most)

    def _exactly(self, length: int) -> bytes:
        content = bytearray()
        while len(content) < length:
            part = self._stream.read(min(length - len(content), 1 << 20))
            if not part:
                raise EOFError
            content += part
            self.heard = clock.monotonic()
        self.received += length
        return bytes(content)

    def _close(self, why: str) -> None:
        with self._changed:
            first, self._told, self._closing = not self._told, True, True
            self._changed.notify_all()
        self._stream.close()
        if first:
            self._ended(why or self._why)


def encoded(message: Any, squeezed: bool = True) -> bytes:
    """Length of the JSON, the JSON, and the arrays' bytes."""
    packed = pack(message, squeezed)
    tree = {"kind": type(message).__name__, "body": packed.tree, "sizes": [len(each) for each in packed.arrays]}
    head = json.dumps(tree, separators=(",", ":")).encode()
    return b"".join((LENGTH.pack(len(head)), head, *packed.arrays))


def decoded(content: bytes, kinds: Mapping[str, type], most: Callable[[type], int] = lambda kind: LARGEST_ARRAY) -> Any:
    """Raises WireError."""
    try:
        (length,) = LENGTH.unpack_from(content)
        if length > LARGEST_HEAD:
            raise ValueError
        tree = json.loads(content[LENGTH.size : LENGTH.size + length])
        kind, body, sizes = kinds[tree["kind"]], tree["body"], tree["sizes"]
        arrays, at = [], LENGTH.size + length
        for size in sizes:
            if type(size) is not int or size < 0:
                raise ValueError
            arrays.append(content[at : at + size])
            at += size
        if at != len(content):
            raise ValueError
    except (struct.error, ValueError, KeyError, TypeError, RecursionError) as error:
        raise WireError("What came over the line is no message of Workbench: is the same version on both?") from error
    return unpack(kind, body, arrays, most(kind))
