"""A line on which nothing comes any more, though it is there."""

import time as clock

from tests.workbench.remote.conftest import wait_for
from workbench.remote import hosted as hosting
from workbench.remote import runner as asking
from workbench.run.frames import RunState


def test_a_machine_that_says_nothing_any_more_is_told_and_that_it_answers_again(there, running, monkeypatch):
    """Stopped or gone to sleep: what was seen stood still, without a word, for as long as the line was there."""
    connection, runner = running
    monkeypatch.setattr(hosting, "STILL_SECONDS", 0.05)
    runner.pause()
    wait_for(lambda: runner.state is RunState.PAUSED)
    for _ in range(3):  # a run that rests says that it does
        received = connection._line.received
        wait_for(lambda before=received: connection._line.received > before)
    told = []

    def says(words):
        told.extend(message.text for message in runner.take_messages())
        return any(words in text for text in told)

    assert not says("Nothing has come")
    monkeypatch.setattr(asking, "SILENT_SECONDS", 0.5)
    with there.server._lock:
        wait_for(lambda: says("Nothing has come from the run for"))
        clock.sleep(0.1)
        assert not says("answers again")
        assert len(told) == 1
    wait_for(lambda: says("answers again"))
    assert connection.lost == ""


def test_a_window_that_was_suspended_itself_does_not_speak_of_silence(running, monkeypatch):
    _, runner = running
    monkeypatch.setattr(asking, "SILENT_SECONDS", 0.0)
    monkeypatch.setattr(asking, "ASLEEP_SECONDS", 0.0)
    clock.sleep(0.01)
    assert runner.take_messages() == []
