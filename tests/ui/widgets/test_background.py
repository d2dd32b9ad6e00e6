"""Closing while something goes on: saves are waited for, an estimate that never ends is not."""

import threading

from ui.widgets import background
from ui.widgets.background import Background


def test_closing_does_not_wait_for_an_estimate_that_never_ends(qapp, monkeypatch):
    """An engine's estimate that hung kept the window from closing for good."""
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.05)
    answered, saved, never = [], [], threading.Event()
    lanes = Background()
    lanes.submit("estimates", never.wait, answered.append)
    lanes.submit("estimates", lambda: 1, answered.append)
    lanes.submit("files", lambda: 2, saved.append)
    lanes.close()
    assert lanes.held_up
    assert not answered
    assert saved == [2]
    never.set()  # its thread ends


def test_what_has_ended_holds_nobody_up(qapp):
    lanes, told = Background(), []
    lanes.submit("estimates", lambda: 1, told.append)
    lanes.close()
    assert not lanes.held_up
