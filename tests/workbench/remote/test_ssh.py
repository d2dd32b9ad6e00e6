"""The whole way with processes of their own: SSH's stand-in, the server that it starts, a line cut, a server killed."""

import signal
import sys

import pytest

from tests.workbench.remote.conftest import end, wait_for
from workbench.project.presets import open_preset, presets
from workbench.remote import streams
from workbench.remote.connection import Connection, Place
from workbench.remote.streams import LineLost
from workbench.run.frames import RunState


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
    assert runner.error.goes_on
    again = Connection(place)
    assert again.run == runner.run_id
    again.attach()
    wait_for(lambda: again.runner.state is RunState.RUNNING)

    end(signal.SIGKILL)
    wait_for(lambda: again.lost)
    assert again.lost == (
        "The server of me@lab has ended: nothing of its run was kept yet, so it begins at zero again."
    )
    assert not again.runner.error.goes_on
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


def test_a_machine_that_never_greets_is_not_waited_for_without_end(lab, monkeypatch):
    """A profile that asks something, or never ends: the window waited for as long as it was open."""
    monkeypatch.setattr(streams, "GREETING_SECONDS", 0.5)
    (lab / "bin" / "ssh").write_text("#!/bin/sh\necho 'Which terminal?'\nexec sleep 60\n")
    with pytest.raises(LineLost, match="me@lab has let us in and not started Workbench within"):
        Connection(Place("me@lab"))
