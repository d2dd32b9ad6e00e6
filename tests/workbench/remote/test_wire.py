"""Two ends of a line: what is short passes what is long, frames are dropped rather than queued, nonsense ends it."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import threading
import time as clock
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pytest

from engines.api import Array
from workbench.remote import wire
from workbench.remote.messages import kinds
from workbench.remote.streams import ProcessStream, SocketStream
from workbench.remote.wire import HEAD, LAST, PIECE_BYTES, UNCONFIRMED, WHOLE, Ended, Line, _Allowance, decoded, encoded


@dataclass(frozen=True)
class Word:
    text: str


@dataclass(frozen=True)
class Load:
    number: int
    values: Array


KINDS = kinds(Word, Load)


class End:
    """One end of a line, with what has come to it."""

    def __init__(self, connection, fresh=lambda: None, pause=0.0):
        self.got, self.why, self.came = [], None, threading.Condition()
        self.pause = pause
        self.line = Line(SocketStream(connection), KINDS, self.take, self.ended, fresh)
        self.line.open()

    def take(self, message):
        clock.sleep(self.pause)
        with self.came:
            self.got.append(message)
            self.came.notify_all()

    def ended(self, why):
        with self.came:
            self.why = why
            self.came.notify_all()

    def until(self, true, seconds=60.0):
        with self.came:
            assert self.came.wait_for(true, seconds)


@pytest.fixture
def sockets():
    pair = socket.socketpair(socket.AF_UNIX)
    yield pair
    for each in pair:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)  # wakes who reads it, which closing does not
        each.close()


def noise(megabytes, number=0):
    return Load(number, np.random.default_rng(number).integers(0, 256, megabytes << 20, np.uint8))


def test_messages_arrive_in_their_order_short_and_long(sockets):
    near, far = (End(each) for each in sockets)
    for number in range(20):
        near.line.send(Word(str(number)))
        near.line.send_long(Load(number, np.arange(number * 1000)))
    far.until(lambda: len(far.got) == 40)
    assert [message.text for message in far.got if isinstance(message, Word)] == [str(number) for number in range(20)]
    loads = [message for message in far.got if isinstance(message, Load)]
    assert [load.number for load in loads] == list(range(20))
    assert all((load.values == np.arange(load.number * 1000)).all() for load in loads)
    near.line.end("enough")
    far.until(lambda: far.why is not None)
    assert far.why == "enough"


def test_a_short_message_does_not_wait_for_a_long_one(sockets):
    """On a socket that nobody reads only the bytes that are not confirmed stand before it."""
    near, reader = End(sockets[0]), sockets[1]
    near.line.send_long(noise(4))
    reader.settimeout(5.0)
    reader.recv(1, socket.MSG_PEEK)  # it is on its way
    near.line.send(Word("now"))
    before = 0
    while True:
        kind, length = HEAD.unpack(_exactly(reader, HEAD.size))
        content = _exactly(reader, length)
        if kind == WHOLE:
            break
        before += length
    assert content == encoded(Word("now"))
    assert 0 < before <= UNCONFIRMED


def test_within_one_machine_nothing_is_squeezed_or_cut_small(sockets):
    near, reader = End(sockets[0]), sockets[1]
    near.line.come_near()
    load = Load(1, np.zeros(50_000, np.float32))
    near.line.send_long(load)
    reader.settimeout(5.0)
    kind, length = HEAD.unpack(_exactly(reader, HEAD.size))
    assert (kind, length) == (LAST, len(encoded(load, squeezed=False)))
    assert decoded(_exactly(reader, length), KINDS).values.tobytes() == load.values.tobytes()
    assert load.values.nbytes < length


def test_within_one_machine_megabytes_arrive(sockets):
    near, far = (End(each) for each in sockets)
    near.line.come_near()
    sent = [noise(16, number) for number in range(3)]
    near.line.send_long(*sent)
    far.until(lambda: len(far.got) == 3)
    assert all((one.values == other.values).all() for one, other in zip(sent, far.got, strict=True))


def _exactly(reader, length):
    content = b""
    while len(content) < length:
        content += reader.recv(length - len(content))
    return content


def test_frames_are_dropped_rather_than_queued(sockets):
    """A reader that takes 50 ms for each gets the newest, not all of them in a row."""
    made = []

    def fresh():
        made.append(clock.monotonic())
        return noise(1, len(made))

    near, far = End(sockets[0], fresh), End(sockets[1], pause=0.1)
    ends = clock.monotonic() + 1.5
    while clock.monotonic() < ends:
        near.line.wake()
        clock.sleep(0.005)
    far.until(lambda: len(far.got) >= 5)
    numbers = [load.number for load in far.got]
    assert numbers == sorted(numbers)
    assert len(made) - numbers[-1] <= 2, "one is made when the one before has left, and no other waits"


class Way:
    """A line of so many bytes a second and seconds there and back, with buffers without end, on a clock of its own."""

    def __init__(self, monkeypatch, rate, seconds):
        self.rate, self.seconds, self.now, self.free = rate, seconds, 0.0, 0.0
        monkeypatch.setattr("workbench.remote.wire.clock.monotonic", lambda: self.now)
        self.allowance, self.on_way = _Allowance(), []

    def run(self, seconds):
        """Send what may be sent for so long; what 95 % of short messages would have waited at most, in the second
        half."""
        ends, waits = self.now + seconds, []
        while self.now < ends:
            while self.allowance.more:
                self.allowance.sent(PIECE_BYTES)
                self.free = max(self.free, self.now) + PIECE_BYTES / self.rate
                self.on_way.append(self.free + self.seconds)
            if self.now > ends - seconds / 2:
                waits.append(self.free - self.now)
            self.now = self.on_way.pop(0)
            self.allowance.confirmed(PIECE_BYTES)
        return np.percentile(waits, 95)


@pytest.mark.parametrize("rate", [0.5e6, 2.5e6, 12.5e6])
@pytest.mark.parametrize("seconds", [0.001, 0.02, 0.2])
def test_no_line_is_filled_with_frames(monkeypatch, rate, seconds):
    """4, 20 and 100 Mbit/s: what stands before a short message is gone within the 100 ms that an answer may take."""
    assert Way(monkeypatch, rate, seconds).run(40.0) < 0.1


def test_a_fast_line_is_used(monkeypatch):
    way = Way(monkeypatch, 12.5e6, 0.02)
    way.run(10.0)
    assert way.allowance._confirmed > 0.9 * 10.0 * 12.5e6


@pytest.mark.parametrize(
    "content",
    [
        b"GET /",
        HEAD.pack(WHOLE, 1 << 30),
        HEAD.pack(2, 1 << 20),
        HEAD.pack(WHOLE, 4) + b"\0\0\0\0",
        HEAD.pack(WHOLE, 9) + b"\0\0\0\5[1,2]",
        HEAD.pack(9, 0),
        HEAD.pack(WHOLE, len(encoded(Ended("x")) + b"y")) + encoded(Ended("x")) + b"y",
    ],
    ids=["http", "huge", "long piece", "empty", "no object", "unknown", "more than it says"],
)
def test_nonsense_ends_the_line_with_a_sentence(sockets, content):
    near = End(sockets[0])
    sockets[1].sendall(content)
    near.until(lambda: near.why is not None)
    assert near.why.startswith("What came over the line is no message of Workbench")
    sockets[1].settimeout(5.0)
    said = b""
    while part := sockets[1].recv(4096):
        said += part
    assert b"no message of Workbench" in said, "the other side is told"


def test_noise_ends_the_line_and_nothing_else(sockets):
    chance = random.Random(3)
    for _ in range(60):
        pair = socket.socketpair(socket.AF_UNIX)
        near = End(pair[0])
        try:
            pair[1].sendall(chance.randbytes(chance.randint(1, 3000)))
            pair[1].shutdown(socket.SHUT_WR)
        except OSError:
            pass
        near.until(lambda near=near: near.why is not None)
        pair[1].close()


def test_a_line_that_is_cut_says_nothing(sockets):
    near, far = (End(each) for each in sockets)
    sockets[1].shutdown(socket.SHUT_RDWR)
    near.until(lambda: near.why is not None)
    far.until(lambda: far.why is not None)
    assert (near.why, far.why) == ("", "")
    near.line.send(Word("into nothing"))  # and returns


def test_what_nobody_takes_ends_the_line_instead_of_filling_memory(sockets, monkeypatch):
    """A window that was suspended beside a run that went on: what it was to be told grew for as long as that."""
    monkeypatch.setattr(wire, "MOST_STANDING", 1 << 20)
    near = End(sockets[0])  # the other end reads nothing
    for _ in range(200):
        near.line.send(Word("x" * (1 << 16)))
        assert near.line._standing <= (1 << 20) + (1 << 17)
    near.until(lambda: near.why is not None)
    assert near.why == wire.NOT_TAKEN
    assert not near.line._short


def test_what_is_taken_late_ends_no_line(sockets, monkeypatch):
    monkeypatch.setattr(wire, "MOST_STANDING", 1 << 20)
    near, far = End(sockets[0]), End(sockets[1])
    for number in range(100):
        near.line.send(Word("x" * (1 << 16)))
        far.until(lambda number=number: len(far.got) > number)
    assert near.why is None


def test_what_a_receiver_raises_ends_the_line_alone(sockets):
    near, far = End(sockets[0]), End(sockets[1])
    far.take = None
    far.line._receive = lambda message: 1 / 0
    near.line.send(Word("hello"))
    near.until(lambda: near.why is not None)
    assert "ZeroDivisionError" in near.why


@pytest.mark.skipif(os.name == "nt", reason="a shell that is not there")
@pytest.mark.parametrize(
    ("does", "words", "waits", "cut"),
    [
        ("exit 0", "", False, False),
        ("echo first >&2; echo ' The last. ' >&2; exit 255", "The last", False, True),
        ("echo queued >&2; exit 75", "queued", True, True),
        ("kill -TERM $$", "", False, False),
        ("echo gone >&2; sleep 20 & exit 255", "gone", False, True),
    ],
)
def test_a_process_that_ended_says_how_at_once(does, words, waits, cut):
    """What it has left behind may still hold its end open."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen(["sh", "-c", does], start_new_session=True, **pipes)
    stream, began = ProcessStream(process), clock.monotonic()
    try:
        assert (stream.words(), stream.waits, stream.is_cut) == (words, waits, cut)
        assert clock.monotonic() - began < 10
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


def test_what_is_fresh_comes_after_what_is_long_though_it_was_there_before(sockets):
    fresh = [Word("fresh")]
    far = End(sockets[1])
    near = Line(SocketStream(sockets[0]), KINDS, far.got.append, far.ended, lambda: fresh.pop() if fresh else None)
    near.send_long(Load(0, np.zeros(3)))
    near.wake()
    near.open()
    far.until(lambda: len(far.got) == 2)
    assert [type(message) for message in far.got] == [Load, Word]
