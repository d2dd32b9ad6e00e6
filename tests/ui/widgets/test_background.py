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


def test_a_file_that_is_slow_to_read_does_not_hold_up_the_next(qapp, qtbot):
    """All imports shared one thread."""
    lanes, told, slow = Background(), [], threading.Event()
    lanes.submit("imports", lambda: slow.wait(60), lambda _: told.append("slow"))
    lanes.submit("imports", lambda: "quick", told.append)
    qtbot.waitUntil(lambda: told == ["quick"], timeout=10_000)
    slow.set()
    qtbot.waitUntil(lambda: told == ["quick", "slow"], timeout=10_000)
    lanes.close()


def test_files_are_read_by_a_bounded_number_of_threads_and_told_in_order(qapp, qtbot):
    lanes, told, begun, slow = Background(), [], [], threading.Event()
    wide = background.WIDE["imports"]

    def read(number):
        begun.append(number)
        slow.wait(60)
        return number

    asked = [lanes.submit("imports", lambda number=number: read(number), told.append) for number in range(wide + 3)]
    qtbot.waitUntil(lambda: len(begun) == wide, timeout=10_000)
    assert asked[wide].cancel()
    assert not asked[0].cancel()
    qtbot.wait(50)
    assert len(begun) == wide
    slow.set()
    assert all(one.result(10) == number for number, one in enumerate(asked) if number != wide)
    qtbot.waitUntil(lambda: not lanes.busy, timeout=10_000)
    assert told == [*range(wide), wide + 1, wide + 2]
    assert wide not in begun
    lanes.close()
