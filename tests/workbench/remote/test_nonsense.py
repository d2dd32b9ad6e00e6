"""What no window and no server of ours sends ends its line with a sentence, and the run goes on."""

import json
import os
import socket
import struct
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from engines.api import Selection
from engines.api.errors import ProblemError
from tests.workbench.remote.conftest import EVERY, frame_of, wait_for
from workbench.remote import messages as m
from workbench.remote import runner as asking
from workbench.remote.streams import LineLost
from workbench.remote.wire import HEAD, WHOLE
from workbench.run.frames import FrameRequest, RunState
from workbench.run.states.taken import TakeSnapshot


def test_another_version_is_told(there, monkeypatch):
    monkeypatch.setattr("workbench.remote.connection.__version__", "0.0.1")
    with pytest.raises(LineLost, match=r"0\.0\.1 here: install the same"):
        there.connect()


def test_what_is_no_window_ends_its_own_connection_and_not_the_run(there, running):
    _, runner = running
    for content in (b"GET / HTTP/1.1\r\n\r\n", HEAD.pack(WHOLE, 4) + b"\0\0\0\0", os.urandom(2000)):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(str(there.path))
            stranger.sendall(content)
            stranger.shutdown(socket.SHUT_WR)
            stranger.settimeout(5.0)
            with suppress(ConnectionResetError):
                while stranger.recv(4096):
                    pass
    runner.take_samples()
    wait_for(lambda: runner.take_samples())
    assert runner.state is RunState.RUNNING


def test_nonsense_of_a_window_that_was_greeted_ends_its_line_and_not_the_run(there, running):
    connection, runner = running
    content = json.dumps({"kind": "Ask", "body": {"run": runner.run_id}, "sizes": []}).encode()
    message = struct.pack(">I", len(content)) + content
    connection._stream.write(HEAD.pack(WHOLE, len(message)) + message)
    wait_for(lambda: connection.lost)
    again = there.connect()
    again.attach()
    wait_for(lambda: again.runner.state is RunState.RUNNING)


NOBODY = {"surface": ("voltage", Selection(np.array([0, 216], np.int32)))}


REQUESTS = {
    "element": FrameRequest(1, NOBODY),
    "negative": FrameRequest(1, {"s": ("voltage", Selection(np.array([-1], np.int32)))}),
    "not whole": FrameRequest(1, {"s": ("voltage", Selection(np.array([0.5])))}),
    "offsets": FrameRequest(1, {"s": ("voltage", Selection(np.zeros(4, np.int32), np.array([0, 9], np.int32)))}),
    "points": FrameRequest(1, {"s": ("voltage", Selection(np.zeros(4, np.int32), points=np.zeros(9, np.int32)))}),
    "field": FrameRequest(1, {"s": ("volts", Selection(np.zeros(1, np.int32)))}),
    "inspected": FrameRequest(1, EVERY, element=10**6),
    "pair": FrameRequest(1, EVERY, pair=(0, -3)),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_what_is_not_there_is_not_looked_for(there, running, request_):
    """In Numba's and CUDA's kernels a number of no element would read whatever memory there is."""
    connection, runner = running
    runner.watch(request_)
    wait_for(lambda: connection.lost)
    assert "asked for" in connection.lost
    again = there.connect()
    again.attach()
    wait_for(lambda: again.runner.state is RunState.RUNNING)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda values: values[:-1],
        lambda values: np.concatenate([values, values]),
        lambda values: np.stack([values, values], 1),
        lambda values: values.astype(np.float64),
    ],
    ids=["short", "long", "components", "double"],
)
def test_values_that_nobody_asked_for_are_not_drawn(there, running, monkeypatch, wrong):
    """The view's kernels do not look: what is too short would have them read whatever memory there is."""
    connection, runner = running
    hosted = there.server._hosted
    right = hosted.frame

    def frame():
        shown = right()
        if shown is None:
            return None
        values = {name: wrong(each) for name, each in shown.frame.values.items()}
        return replace(shown, frame=replace(shown.frame, values=values))

    monkeypatch.setattr(hosted, "frame", frame)
    runner.watch(FrameRequest(1, EVERY))
    wait_for(lambda: connection.lost)
    assert "nobody had asked for" in connection.lost
    assert runner.frames.take() is None


def test_more_than_was_asked_for_is_not_expanded_and_who_asked_is_told(running, monkeypatch):
    """2 MB became 2 GB; and whoever had asked for what ended the line waited for ever."""
    connection, runner = running
    runner.watch(FrameRequest(1, EVERY))
    frame_of(runner)
    assert connection._most(m.Shown) - connection._most(m.News) == 4 * 216
    runner.pause()
    wait_for(lambda: runner.state is RunState.PAUSED)
    monkeypatch.setattr(asking, "free_memory_bytes", lambda: 0)
    monkeypatch.setattr(asking, "MOST_TOLD", 500)
    assert "came together" in str(runner.post(TakeSnapshot()).exception(20))
    wait_for(lambda: connection.lost)
    assert "came together" in connection.lost


@pytest.mark.parametrize("pace", [0.0, -1.0, float("nan")])
def test_a_pace_that_is_none_does_not_reach_the_run(there, running, pace):
    connection, runner = running
    runner.pace = pace
    wait_for(lambda: connection.lost)
    assert "no positive number" in connection.lost
    assert there.server._hosted.runner.pace is None
    assert there.server._hosted.runner.state is RunState.RUNNING


@pytest.mark.parametrize("value", [float("nan"), "x", None, [1.0], {}, -1.0, 10**400], ids=repr)
def test_a_live_parameter_that_no_form_takes_does_not_reach_the_run(there, running, value):
    _, runner = running
    with pytest.raises(ProblemError, match="set"):
        runner.set_control("delay", value).result(10.0)
    assert runner.state is RunState.RUNNING
