"""The window on a server of this machine: what runs there is seen, lost, found again, and outlives the window."""

import os
import shutil
import signal
import socket
import tempfile
import threading
import time as clock
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QSettings, Qt

from engines.api.errors import DeviceError
from tests.ui.doubles import keep_aside
from tests.ui.viewport.doubles import FakeViewport
from ui.app import open_named, place_in
from ui.charts.runs.dialog import WHEN
from ui.connecting.area import END, ENDED, ENDS, GOES_ON, GONE, KEPT, LEFT, LEFT_THERE, SHOW, STAYS
from ui.connecting.dialog import PlaceDialog
from ui.session.controller import Phase
from ui.session.house import HouseServices
from ui.window.main_window import MainWindow
from ui.window.questions.going_on import AGAIN, HERE, MEANWHILE, RECONNECT, TRY
from ui.window.questions.starting_over import QUESTION
from workbench.remote.connection import Place
from workbench.remote.server import Server
from workbench.remote.streams import listens
from workbench.run.states.memory import runs_dir

SLAB = "small_slab"

pytestmark = pytest.mark.usefixtures("own_folders")


@pytest.fixture
def server():
    folder = Path(tempfile.mkdtemp(prefix="wb"))
    server = Server(folder / "own" / "serve.sock")
    server.listen()
    thread = threading.Thread(target=server.serve)
    thread.start()
    yield server
    server.stop()
    thread.join(20)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def make_window(qtbot, tmp_path):
    windows = []

    def make():
        settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
        windows.append(MainWindow(HouseServices(), FakeViewport, settings))
        qtbot.addWidget(windows[-1])
        windows[-1].show()
        return windows[-1]

    yield make
    for window in windows:
        window.close_at_once()


@pytest.fixture
def running(server, make_window, qtbot):
    """A window whose run is on the server."""
    window = make_window()
    window.connecting.go_to(Place(socket=server.path))
    qtbot.waitUntil(lambda: window.services.place is not None, timeout=20_000)
    window.open_preset(next(preset for preset in window.services.presets() if preset.id == SLAB))
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY, timeout=20_000)
    window.model.edit(("run", "until"), None, "end of the run")
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING and bool(window.viewport.frames), timeout=20_000)
    qtbot.waitUntil(lambda: len(window.probes.store.series) > 0 or len(window.probes.store.probes) > 0)
    return window


def test_what_runs_there_is_seen_lost_and_found_again(running, server, qtbot):
    window, document = running, running.model.document
    assert window.controller.away
    assert window.status.place.text() == "Server of this computer"
    assert server._hosted.document.project.title == document.project.title
    window.services._there._stream._connection.shutdown(socket.SHUT_RDWR)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FAILED)
    assert window.timeline.bar.note == "broken off"
    qtbot.waitUntil(lambda: bool(window.banner.answers))
    assert [button.text() for button in window.banner.answers] == [RECONNECT]
    assert window.banner.text.startswith("The server of this computer has ended")
    begun = server._hosted
    window.model.edit(("parameters", "numerics", "step"), 0.01, "step")
    drawn = max(len(buffer.times) for buffer in window.probes.store.probes.values())
    qtbot.mouseClick(window.banner.answers[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=20_000)
    assert server._hosted is begun, "it has gone on meanwhile"
    assert window.model.document is document, "what is open stays open"
    assert window.controller.stale, "what was edited meanwhile waits for Reset"
    qtbot.waitUntil(lambda: max(len(buffer.times) for buffer in window.probes.store.probes.values()) >= drawn)
    frames = len(window.viewport.frames)
    qtbot.waitUntil(lambda: len(window.viewport.frames) > frames)


def test_live_parameters_that_are_changed_while_the_line_is_lost_are_sent_when_it_is_there_again(
    running, server, qtbot, monkeypatch
):
    window, scale, taken = running, ("parameters", "conductivity_scale"), []
    hosted = server._hosted.runner
    plain = hosted.set_control
    monkeypatch.setattr(hosted, "set_control", lambda *change: (taken.append(change), plain(*change))[1])
    window.services._there._stream._connection.shutdown(socket.SHUT_RDWR)
    qtbot.waitUntil(lambda: bool(window.banner.answers), timeout=20_000)
    assert MEANWHILE not in window.banner.text
    for value in (0.8, 0.5):
        window.model.edit(scale, value, "scale")
    assert window.banner.text.endswith(MEANWHILE)
    assert [button.text() for button in window.banner.answers] == [RECONNECT]
    assert not taken
    qtbot.mouseClick(window.banner.answers[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: taken == [("conductivity_scale", 0.5)], timeout=20_000)
    assert not window.controller.unsent
    assert not window.controller.stale


def test_a_run_that_broke_off_there_goes_on_from_the_state_that_was_kept_there(running, server, qtbot):
    window, broken = running, server._hosted.runner
    qtbot.waitUntil(lambda: bool(broken.marks), timeout=20_000)

    def fail():
        raise DeviceError("The memory ran out.")

    broken.post(lambda simulation: setattr(simulation, "synchronize", fail))
    qtbot.waitUntil(lambda: bool(window.banner.answers), timeout=20_000)
    assert [button.text() for button in window.banner.answers] == [HERE, AGAIN]
    assert f"It can go on from {broken.rescued.mark.time:.2f} ms." in window.banner.text
    qtbot.mouseClick(window.banner.answers[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=20_000)
    said = [window.log.lines.text(row) for row in range(window.log.lines.rowCount())]
    assert any(f"Goes on from {broken.rescued.mark.time:g}\u00a0ms" in line for line in said)


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
    window.open_preset(next(preset for preset in window.services.presets() if preset.id == SLAB))
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY, timeout=20_000)
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
        qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING and window.controller.time > 0, timeout=60_000)
        return window

    return begin


def open_slab(qtbot, window):
    with qtbot.waitSignal(window.model.opened, timeout=20_000):
        window.open_preset(next(preset for preset in window.services.presets() if preset.id == SLAB))
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY, timeout=20_000)


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


def test_the_dialog_knows_which_process_of_this_computer_there_is(make_window, qtbot, tmp_path):
    window = make_window()
    for place in (Place(), Place(socket=tmp_path / "other.sock")):
        dialog = PlaceDialog(place, Place("lab"), window)
        chosen = []
        dialog.chosen.connect(chosen.append)
        assert dialog.beside.isChecked()
        assert dialog.focusWidget() is dialog.beside, "what is typed is for no other machine"
        assert dialog.host.text() == "lab"
        dialog.buttons.accepted.emit()
        assert chosen == [place]
    assert place_in(["--beside"]) == Place()


def test_the_meters_lead_to_a_process_beside_the_window(beside, make_window, qtbot):
    window = make_window()
    window.meters.beside_asked.emit()
    qtbot.waitUntil(lambda: window.services.place == Place(), timeout=60_000)
    assert listens(beside)


def test_closing_the_window_leaves_the_run_on_and_another_window_shows_it(running, server, make_window, qtbot):
    begun = server._hosted
    running.close_at_once()
    assert server._hosted is begun
    again = make_window()
    again.connecting.go_to(Place(socket=server.path))
    qtbot.waitUntil(lambda: again.controller.phase is Phase.RUNNING, timeout=20_000)
    assert again.model.document.project.title == begun.document.project.title
    assert again.model.document.path is None
    assert not again.model.document.project.run.until
    qtbot.waitUntil(lambda: bool(again.viewport.frames))
    times = max((buffer.times for buffer in again.probes.store.probes.values()), key=len)
    assert times[0] < 1.0, "its curves begin where it began"
    again.controller.reset()
    qtbot.waitUntil(lambda: again.controller.phase is Phase.READY)
    assert server._hosted is begun


def test_a_run_that_another_window_has_taken_over_is_not_called_broken_off(running, server, make_window, qtbot):
    make_window().connecting.go_to(Place(socket=server.path))
    qtbot.waitUntil(lambda: running.controller.phase is Phase.FAILED, timeout=20_000)
    assert running.timeline.bar.note == "goes on there, not seen here"


def test_back_on_this_computer_the_run_there_goes_on(running, server, qtbot):
    begun = server._hosted
    panel = running.charts.panel
    qtbot.waitUntil(lambda: any(len(series) > 1 for series in panel.present[1].values()))  # else there is none to list
    running.connecting.choose(None)
    qtbot.waitUntil(lambda: running.controller.phase is Phase.READY, timeout=20_000)
    assert not running.controller.away
    assert running.status.place.text() == "This computer"
    assert server._hosted is begun
    assert running.banner.text == LEFT_THERE.format(goes_on="goes on", where="on this computer")
    running.charts.runs.show()
    assert running.charts.runs.dialog.table.item(0, WHEN).text() == "goes on"


def test_a_machine_that_is_not_there_is_one_sentence(make_window, qtbot, tmp_path):
    window = make_window()
    window.connecting.go_to(Place(socket=tmp_path / "none.sock"))
    qtbot.waitUntil(lambda: bool(window.banner.text))
    assert window.banner.text.endswith(f"start 'workbench serve --socket {tmp_path / 'none.sock'}'.")
    assert window.services.place is None
    assert [button.text() for button in window.banner.answers] == [TRY], "no line had been there to be found again"


def test_what_has_not_begun_here_begins_there_and_a_run_stays_where_it_is(server, make_window, qtbot):
    window = make_window()
    window.open_preset(next(preset for preset in window.services.presets() if preset.id == SLAB))
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY, timeout=20_000)
    window.connecting.go_to(Place(socket=server.path))
    qtbot.waitUntil(lambda: window.controller.away and window.controller.phase is Phase.READY, timeout=20_000)
    window.connecting.choose(None)
    qtbot.waitUntil(lambda: not window.controller.away and window.controller.phase is Phase.READY, timeout=20_000)
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.time > 0, timeout=20_000)
    window.controller.pause()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED, timeout=20_000)
    hints = []
    window.controller.hint.connect(hints.append)
    window.connecting.go_to(Place(socket=server.path))
    qtbot.waitUntil(lambda: bool(hints), timeout=20_000)
    assert hints == [STAYS.format(title="this computer")]
    assert window.status.place.text() == "Server of this computer after Reset", "the run that is seen is not there"
    assert not window.meters.takes_turns, "what is chosen need not be offered"
    window.controller.reset()
    qtbot.waitUntil(lambda: window.controller.away, timeout=20_000)
    assert window.status.place.text() == "Server of this computer"
    window.connecting.choose(None)
    qtbot.waitUntil(lambda: not window.controller.away and window.controller.phase is Phase.READY, timeout=20_000)
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.time > 0, timeout=20_000)
    window.controller.pause()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED, timeout=20_000)
    assert (window.controller.phase, window.controller.away) == (Phase.PAUSED, False)


def test_the_dialog_asks_for_a_machine_and_refuses_what_is_none(window, qtbot):
    window.actions_["where"].trigger()
    dialog = window.connecting.dialog
    assert isinstance(dialog, PlaceDialog)
    accept = next(each for each in dialog.buttons.buttons() if dialog.buttons.buttonRole(each).name == "AcceptRole")
    assert (dialog.here.isChecked(), accept.text()) == (True, "Compute here")
    chosen = []
    dialog.chosen.disconnect()
    dialog.chosen.connect(chosen.append)
    qtbot.keyClicks(dialog.host, "-oProxyCommand=x")
    assert dialog.there.isChecked(), "who types a machine means it"
    assert accept.text() == "Compute there"
    dialog.buttons.accepted.emit()
    assert "no name of a machine" in dialog.said.text()
    assert not chosen
    dialog.host.setText("me@lab")
    dialog.buttons.accepted.emit()
    assert chosen == [Place("me@lab")]
    assert not dialog.job_options.isEnabled()
    dialog.in_a_job.click()
    qtbot.keyClicks(dialog.job_options, "--gpus=1")
    dialog.buttons.accepted.emit()
    assert chosen[1:] == [Place("me@lab", job_options="--gpus=1")]


def test_the_command_line_names_the_place():
    assert place_in(["--host=me@lab", "--command=/opt/wb", "--asks", "sphere"]) == Place("me@lab", "/opt/wb")
    assert place_in(["--host=me@lab", "--slurm=--gpus=1"]) == Place("me@lab", job_options="--gpus=1")
    assert place_in(["--socket=/run/x.sock"]) == Place(socket=Path("/run/x.sock"))
    assert place_in(["--theme", "sphere"]) is None


def test_a_server_that_is_gone_is_told_and_the_next_goes_on_where_the_run_was_kept(running, server, qtbot):
    window = running
    qtbot.waitUntil(lambda: window.controller.time > 0)
    server.stop()
    qtbot.waitUntil(lambda: bool(window.banner.answers), timeout=20_000)
    assert window.banner.text.startswith("The server has been ended there")
    again = Server(server.path)
    qtbot.waitUntil(lambda: not server.path.exists())
    again.listen()
    thread = threading.Thread(target=again.serve)
    thread.start()
    try:
        qtbot.mouseClick(window.banner.answers[0], Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: window.controller.phase is Phase.READY, timeout=20_000)
        assert window.banner.text == GONE.format(title="this computer")
        times = max((buffer.times for buffer in window.probes.store.probes.values()), key=len)
        assert times[0] < 1.0, "its curves begin where it began"
        said = [window.log.lines.text(row) for row in range(window.log.lines.rowCount())]
        assert any("Goes on from" in line for line in said)
        window.close_at_once()
    finally:
        again.stop()
        thread.join(20)


def test_who_was_asked_at_the_terminal_is_asked_there_again(monkeypatch):
    made = []

    def connection(place, asks=False):
        made.append((place, asks))
        return SimpleNamespace(place=place, asks=asks, run="", runner=None, attach=lambda: None, close=lambda: None)

    monkeypatch.setattr("ui.session.house.Connection", connection)
    services = HouseServices()
    services.connect(Place("me@lab"), asks=True)
    services.reconnect()
    assert made == [(Place("me@lab"), True)] * 2
