"""The whole way with processes of their own: SSH's stand-in, the server that it starts, a line cut, a server killed."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.workbench.remote.conftest import wait_for
from workbench.project.presets import open_preset, presets
from workbench.remote.connection import Connection, Place
from workbench.remote.streams import LineLost, socket_path
from workbench.run.frames import RunState

ROOT = Path(__file__).parents[3]
STANDIN = """#!/bin/sh
for last; do :; done
printf '%s\\n' "$@" > "$WORKBENCH_TOLD"
echo "Welcome to the laboratory."
eval "exec $last"
"""


def end(how):
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


def test_a_run_through_ssh_outlives_the_line_and_its_server_is_missed(lab):
    place = Place("me@lab", f"{sys.executable} -m workbench")
    connection = Connection(place)
    told = (lab / "told").read_text().splitlines()
    assert told[-3:] == ["--", "me@lab", f"{sys.executable} -m workbench serve --stdio"]
    assert "-oBatchMode=yes" in told
    document = open_preset(next(preset for preset in presets() if preset.id == "heat_on_a_plate"))
    document.project.run.until = None
    runner = connection.start(document, autostart=True)
    wait_for(lambda: runner.state is RunState.RUNNING, 60)

    connection._stream._process.kill()
    wait_for(lambda: connection.lost)
    assert connection.lost == "The line to me@lab is lost: what runs there goes on."
    again = Connection(place)
    assert again.run == runner.run_id
    again.attach()
    wait_for(lambda: again.runner.state is RunState.RUNNING)

    end(signal.SIGKILL)
    wait_for(lambda: again.lost)
    assert again.lost == "The server of me@lab has ended: what it ran can go on from where it was last kept."
    third = Connection(place)
    assert not third.run, "another server, of which the socket that was left behind is no hindrance"
    third.close()


def test_a_machine_that_does_not_let_in_is_told_with_the_words_of_ssh(lab):
    (lab / "bin" / "ssh").write_text("#!/bin/sh\necho 'me@lab: Permission denied (publickey).' >&2\nexit 255\n")
    with pytest.raises(LineLost, match=r"me@lab cannot be reached: me@lab: Permission denied \(publickey\)\."):
        Connection(Place("me@lab"))
    (lab / "bin" / "ssh").write_text("#!/bin/sh\necho 'sh: workbench: not found' >&2\nexit 127\n")
    with pytest.raises(LineLost, match="workbench: not found"):
        Connection(Place("me@lab"))
