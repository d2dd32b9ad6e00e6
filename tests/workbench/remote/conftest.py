"""A server of the fake engine in this process, and connections to it."""

import os
import shutil
import signal
import tempfile
import threading
import time as clock
from pathlib import Path

import numpy as np
import pytest

from engines.api import Selection
from workbench.project.document import open_document
from workbench.remote.connection import Connection, Place
from workbench.remote.server import Server
from workbench.remote.streams import socket_path
from workbench.run.frames import RunState

ROOT = Path(__file__).parents[3]
EVERY = {"surface": ("voltage", Selection(np.arange(216, dtype=np.int32)))}
"""The request of a view that draws every element of the document."""
STANDIN = """#!/bin/sh
for last; do :; done
printf '%s\\n' "$@" > "$WORKBENCH_TOLD"
echo "Welcome to the laboratory."
eval "exec $last"
"""


@pytest.fixture
def folder():
    """Names of sockets are short."""
    path = Path(tempfile.mkdtemp(prefix="wb"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


class There:
    """The other machine."""

    def __init__(self, path):
        self.path, self.server, self.thread = path, None, None
        self.connections = []

    def start(self, **options):
        self.server = Server(self.path, **options)
        self.server.listen()
        self.thread = threading.Thread(target=self.server.serve, daemon=True)
        self.thread.start()

    def stop(self):
        self.server.stop()
        self.thread.join(10.0)
        assert not self.thread.is_alive()

    def connect(self):
        self.connections.append(Connection(Place(socket=self.path)))
        return self.connections[-1]


@pytest.fixture
def there(folder, house):
    there = There(folder / "own" / "serve.sock")
    there.start()
    yield there
    for connection in there.connections:
        if not connection.lost:
            connection.close()
    there.stop()


def wait_for(true, seconds=60.0):
    ends = clock.monotonic() + seconds
    while not true():
        assert clock.monotonic() < ends, "it did not come"
        clock.sleep(0.005)


def frame_of(runner, after=-1):
    found = []

    def came():
        frame = runner.frames.take()
        if frame is not None and frame.step > after:
            found.append(frame)
        return found

    wait_for(came)
    return found[-1]


@pytest.fixture
def document(project):
    document = open_document(project)
    document.project.run.until = None
    document.parameters = document.parameters.model_copy(update={"delay": 0.001})
    return document


@pytest.fixture
def running(there, document):
    """A connection, and its run that goes on."""
    connection = there.connect()
    runner = connection.start(document, autostart=True)
    wait_for(lambda: runner.state is RunState.RUNNING)
    return connection, runner


def end(how):
    """What the server of this machine is told."""
    os.kill(int(socket_path().with_suffix(".pid").read_text()), how)


@pytest.fixture
def lab(folder, monkeypatch):
    """A machine that SSH's stand-in leads to: where its server keeps its files."""
    ssh = folder / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(STANDIN)
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    monkeypatch.setenv("WORKBENCH_TOLD", str(folder / "told"))
    yield folder
    if socket_path().exists():
        end(signal.SIGTERM)
