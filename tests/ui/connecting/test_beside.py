"""A process beside the window that computes: it is begun, outlives the window, and is found by the next one."""

import os
import shutil
import signal
import socket
import tempfile
import threading
import time as clock
from contextlib import suppress
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.ui.doubles import keep_aside
from tests.ui.house import SLAB, open_slab
from ui.app import open_named
from ui.connecting.area import END, ENDED, ENDS, GOES_ON, KEPT, LEFT, SHOW
from ui.session.running.phase import Phase
from ui.window.questions.starting_over import QUESTION
from workbench.remote.connection import Place
from workbench.remote.streams import listens
from workbench.run.states.memory import runs_dir

pytestmark = pytest.mark.usefixtures("own_folders")


@pytest.fixture
def beside(monkeypatch):
    """Where a process of this computer listens, ended afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="wb"))
    path = folder / "own" / "serve.sock"
    monkeypatch.setattr("workbench.remote.connection.socket_path", lambda: path)
    yield path
    with suppress(OSError, ValueError):
        os.kill(int(path.with_suffix(".pid").read_text()), signal.SIGTERM)
    latest = clock.monotonic() + 20
    while listens(path) and clock.monotonic() < latest:
        clock.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)


def test_a_process_beside_the_window_is_begun_outlives_it_and_is_begun_again_once_it_was_killed(
    beside, make_window, qtbot
):
    window = make_window()
    open_slab(qtbot, window)
    assert window.meters.takes_turns
    window.connecting.ask()
    dialog = window.connecting.dialog
    assert dialog.here.isChecked()
    dialog.beside.click()
    [accept] = [each for each in dialog.buttons.buttons() if each.text() == "Compute there"]
    accept.click()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY and window.controller.away, timeout=60_000)
    assert window.status.place.text() == "Beside the window"
    assert not window.meters.takes_turns
    window.model.edit(("run", "until"), 1e6, "end of the run")
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING and window.controller.time > 0, timeout=60_000)
    first = int(beside.with_suffix(".pid").read_text())
    assert first != os.getpid()
    window.close_at_once()

    again = make_window()
    again.connecting.choose(Place())
    qtbot.waitUntil(lambda: again.controller.phase is Phase.RUNNING, timeout=60_000)
    assert int(beside.with_suffix(".pid").read_text()) == first, "it has gone on without a window"
    os.kill(first, signal.SIGKILL)
    qtbot.waitUntil(lambda: bool(again.banner.answers), timeout=20_000)
    assert again.banner.text.startswith("The server of this computer beside the window has ended")
    qtbot.mouseClick(again.banner.answers[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: again.controller.phase is Phase.READY, timeout=60_000)
    assert int(beside.with_suffix(".pid").read_text()) != first
    again.model.edit(("run", "until"), None, "end of the run")
    again.controller.run()
    qtbot.waitUntil(lambda: again.controller.phase is Phase.RUNNING and again.controller.time > 0, timeout=60_000)
    again.close_at_once()

    last = make_window()
    last.connecting.choose(Place())
    qtbot.waitUntil(lambda: last.services.place is not None, timeout=60_000)
    assert last.model.document is None, "a run without an end has ended with its window"


@pytest.fixture
def run_beside(beside, make_window, qtbot):
    """A window whose run has a process beside it, and goes on until ``until``."""

    def begin(until, step=0.04):
        window = make_window()
        open_slab(qtbot, window)
        window.model.edit(("parameters", "numerics", "step"), step, "step")
        window.model.edit(("run", "until"), until, "end of the run")
        window.connecting.choose(Place())
        qtbot.waitUntil(lambda: window.controller.phase is Phase.READY and window.controller.away, timeout=60_000)
        window.controller.run()
        going = (Phase.RUNNING, Phase.FINISHED)  # a short run may be over before anybody looks
        qtbot.waitUntil(lambda: window.controller.phase in going and window.controller.time > 0, timeout=60_000)
        return window

    return begin


def press(box, text):
    next(button for button in box.buttons() if button.text() == text).click()


def test_the_question_at_closing_says_whether_a_run_beside_the_window_goes_on_or_ends(run_beside, make_window, qtbot):
    window = run_beside(None)
    window.close()
    question = window.leaving.question
    assert question.text().endswith("has unsaved changes.")
    assert ENDS.format(again=KEPT["unsaved"]) in question.informativeText()
    press(question, "Cancel")
    window.model.edit(("run", "until"), 1e6, "end of the run")
    window.close()
    assert GOES_ON in window.leaving.question.informativeText()
    press(window.leaving.question, "Cancel")
    assert window.isVisible()
    window.model.undo_stack.setClean()
    window.close()
    question = window.leaving.question
    assert (question.text(), question.informativeText()) == ("Close the window of 'Small slab'?", GOES_ON)
    assert [button.text() for button in question.buttons()] == ["Close", "Cancel"]
    press(question, "Close")
    assert not window.isVisible()


def test_a_new_window_says_that_a_run_was_left_beside_and_shows_it_or_ends_it(run_beside, make_window, qtbot):
    """As where the window before was killed: a run without an end ends with it only where it is closed."""
    killed = run_beside(None)
    killed.services._there._stream._connection.shutdown(socket.SHUT_RDWR)
    qtbot.waitUntil(lambda: killed.controller.phase is Phase.FAILED)
    window = make_window()
    open_named(window, SLAB)  # as where a preset is named on the command line
    window.connecting.tell_of_what_goes_on()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY, timeout=20_000)
    left = LEFT.format(title="Small slab", goes_on="goes on")
    qtbot.waitUntil(lambda: window.banner.text == left, timeout=20_000)
    window.banner.say("Something else.", "info")
    window.banner._expire()
    qtbot.waitUntil(lambda: window.banner.text == left)
    assert [button.text() for button in window.banner.answers] == [SHOW, END]
    open_slab(qtbot, window)
    qtbot.waitUntil(lambda: window.banner.text == left)  # what opens does not answer it
    qtbot.mouseClick(window.banner.answers[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING and window.controller.away, timeout=60_000)
    other = make_window()
    other.connecting.tell_of_what_goes_on()
    qtbot.waitUntil(lambda: not other.background.busy, timeout=20_000)
    assert not other.banner.text, "a window looks at it"
    window.services._there._stream._connection.shutdown(socket.SHUT_RDWR)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FAILED)
    other.connecting.tell_of_what_goes_on()
    qtbot.waitUntil(lambda: bool(other.banner.text), timeout=20_000)
    other.banner._close()
    qtbot.wait(50)
    assert not other.banner.text, "to close it is to be asked no more"
    other.connecting.tell_of_what_goes_on()
    qtbot.waitUntil(lambda: bool(other.banner.text), timeout=20_000)
    qtbot.mouseClick(other.banner.answers[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: other.banner.text == ENDED, timeout=20_000)
    assert not other.services.seen_beside().run
    assert other.services.place is None


def test_of_a_run_beside_and_a_problem_that_opens_what_was_clicked_last_is_open(run_beside, make_window, qtbot):
    """Reading may take longer for either; the run beside goes on in both."""
    killed = run_beside(None)
    killed.services._there._stream._connection.shutdown(socket.SHUT_RDWR)
    qtbot.waitUntil(lambda: killed.controller.phase is Phase.FAILED)
    window, read = make_window(), threading.Event()
    preset = next(preset for preset in window.services.presets() if preset.id == SLAB)

    def slow(_):
        assert read.wait(60)
        document = window.services.open_preset(preset)
        document.project.title = "Read slowly"
        return document

    window.controller.opening.open_with(slow, "Opening")
    window.connecting._show_left()
    qtbot.waitUntil(lambda: window.controller.away and window.controller.phase is Phase.RUNNING, timeout=60_000)
    read.set()
    qtbot.waitUntil(lambda: not window.controller.opening.goes_on, timeout=20_000)
    qtbot.wait(50)
    assert window.controller.away
    assert window.model.document.project.title == "Small slab"
    window.services._there._stream._connection.shutdown(socket.SHUT_RDWR)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FAILED)

    other, read = make_window(), threading.Event()
    connect = other.services.connect
    other.services.connect = lambda *given: (read.wait(60), connect(*given))[1]
    other.connecting._show_left()
    qtbot.waitUntil(lambda: other.background.busy)
    qtbot.wait(200)  # it is being connected to
    with qtbot.waitSignal(other.model.opened, timeout=20_000):
        other.open_preset(preset)
    read.set()
    qtbot.waitUntil(lambda: other.banner.text == LEFT.format(title="Small slab", goes_on="goes on"), timeout=60_000)
    assert not other.controller.away
    assert other.services.place is None


def test_a_run_beside_that_was_kept_aside_opens_with_its_curves(run_beside, make_window, qtbot):
    window = run_beside(None, step=0.02)  # another problem than the preset, whose run forgets what is kept of it
    qtbot.waitUntil(lambda: window.controller.time > 1.0, timeout=60_000)
    window.open_preset(next(preset for preset in window.services.presets() if preset.id == SLAB))
    keep_aside(window)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY and bool(window.welcome.unsaved.cards))
    qtbot.waitUntil(lambda: bool(list(runs_dir().glob("*.curves"))), timeout=20_000)
    window.close_at_once()

    again = make_window()
    qtbot.waitUntil(lambda: bool(again.welcome.unsaved.cards))
    qtbot.mouseClick(again.welcome.unsaved.cards[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: again.controller.phase is Phase.READY, timeout=20_000)
    assert min(times[0] for times, _ in again.probes.curves().values()) < 1.0


def test_a_run_that_has_come_to_its_end_beside_asks_in_another_window_as_in_its_own(run_beside, make_window, qtbot):
    window = run_beside(4.0)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FINISHED, timeout=60_000)
    window.services._there._stream._connection.shutdown(socket.SHUT_RDWR)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FAILED)
    again = make_window()
    again.connecting.tell_of_what_goes_on()
    qtbot.waitUntil(lambda: bool(again.banner.answers), timeout=20_000)
    qtbot.mouseClick(again.banner.answers[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: again.controller.phase is Phase.FINISHED and again.controller.time > 0, timeout=60_000)
    again.timeline.toggled.emit()
    assert again.banner.text == QUESTION
    assert again.banner.answers[0].text() == "Run on to 8 ms"


def test_what_is_edited_goes_beside_the_window_without_a_question(beside, make_window, qtbot):
    window = make_window()
    open_slab(qtbot, window)
    window.model.edit(("run", "until"), None, "end of the run")
    window.connecting.choose(Place())
    qtbot.waitUntil(lambda: window.controller.away or window.leaving.question is not None, timeout=60_000)
    assert window.leaving.question is None
    assert window.model.document.project.run.until is None
    assert not window.model.undo_stack.isClean()


def test_the_meters_lead_to_a_process_beside_the_window(beside, make_window, qtbot):
    window = make_window()
    window.meters.beside_asked.emit()
    qtbot.waitUntil(lambda: window.services.place == Place(), timeout=60_000)
    assert listens(beside)
