"""Two at once: servers that begin as another does or ends, and files that are on their way twice."""

import os
import subprocess
import time as clock
from types import SimpleNamespace

import pytest

from engines.api.errors import ProblemError
from tests.workbench.remote.conftest import wait_for
from workbench.remote import beginning, packing
from workbench.remote import connection as connecting
from workbench.remote import runner as asking
from workbench.remote import server as serving
from workbench.remote.beginning import begin
from workbench.remote.codec import WireError, pack
from workbench.remote.packing import Received
from workbench.remote.runner import RemoteRunner
from workbench.remote.streams import LineLost, listens
from workbench.run.frames import RunState


def test_a_server_that_ends_is_waited_for(folder, monkeypatch):
    """It listens no more and keeps its run still: who connected then was told to connect to it."""
    path = folder / "own" / "serve.sock"
    first, second = serving.Server(path), serving.Server(path)
    first.listen()
    first._socket.close()
    monkeypatch.setattr(serving, "clock", SimpleNamespace(monotonic=clock.monotonic, sleep=lambda _: first._close()))
    second.listen()
    assert listens(path)
    second._close()
    assert not path.exists()


def test_whose_server_it_is_is_known_before_it_listens(folder, monkeypatch):
    """A command to end it read the number of one that was killed, or none."""
    path, told = folder / "own" / "serve.sock", []
    server, write = serving.Server(path), serving.write_text
    monkeypatch.setattr(serving, "write_text", lambda *given: (told.append(listens(path)), write(*given)))
    server.listen()
    assert told == [False]
    assert path.with_suffix(".pid").read_text() == str(os.getpid())
    server._close()


def test_where_there_are_no_such_sockets_a_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(beginning, "SOCKETS", False)
    with pytest.raises(ProblemError, match="needs Linux or macOS"):
        begin(tmp_path / "serve.sock")


def test_who_begins_a_server_as_another_does_connects_to_that(folder, monkeypatch):
    path = folder / "own" / "serve.sock"
    server = serving.Server(path)

    def poll():
        """The one that was begun here ends, as another listens."""
        if not path.exists():
            server.listen()
        return 2

    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: SimpleNamespace(poll=poll))
    begin(path, 1.0, waits=False)
    server._close()


def test_a_file_that_a_line_was_lost_in_is_sent_anew(there, document, monkeypatch):
    """Each window that came after was told that nobody had asked for its first part."""
    monkeypatch.setattr(packing, "PART_BYTES", 1000)
    take = Received.take

    def lost_after(self, part, wanted):
        take(self, part, wanted)
        raise WireError("The line is lost.")

    with monkeypatch.context() as lossy:
        lossy.setattr(Received, "take", lost_after)
        lost = there.connect()
        lost.start(document, autostart=True)
        wait_for(lambda: lost.lost)
    runner = there.connect().start(document, autostart=True)
    wait_for(lambda: runner.state in (RunState.RUNNING, RunState.FAILED))
    assert runner.error is None


def test_a_file_that_is_asked_for_twice_is_taken_once(there, document, monkeypatch):
    """As Run is pressed again, with one file more, while the first is on its way: the line ended."""
    connection, begun = there.connect(), []
    begin, store = serving.Server._begin, serving.Server._store

    def twice(self, window, start):
        begin(self, window, start)
        begun.append(start)

    def and_another(self, part):
        store(self, part)
        if begun and self._start is None:
            self._start, self._wanted = begun.pop(), {"0" * 64: 1}  # what it waits for does not come
            store(self, part)
            self._start = None

    monkeypatch.setattr(serving.Server, "_begin", twice)
    monkeypatch.setattr(serving.Server, "_store", and_another)
    runner = connection.start(document, autostart=True)
    wait_for(lambda: runner.state in (RunState.RUNNING, RunState.FAILED))
    assert not connection.lost


def test_a_run_that_begins_as_the_line_is_lost_is_told_so(there, document, monkeypatch):
    """It was waited for without end."""
    connection = there.connect()

    def lost_meanwhile(*given):
        connection._ended("The line is lost.")
        return RemoteRunner(*given)

    monkeypatch.setattr(connecting, "RemoteRunner", lost_meanwhile)
    with pytest.raises(LineLost, match="The line is lost"):
        connection.start(document, autostart=True)
    assert connection.runner is None
    connection._line.end()


def test_who_asks_as_the_run_is_left_is_not_left_waiting(running, monkeypatch):
    _, runner = running
    monkeypatch.setattr(asking, "pack", lambda question: (runner.leave(), pack(question))[1])
    assert runner.set_control("delay", 0.0).cancelled()
