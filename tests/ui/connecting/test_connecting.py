"""The window on a server of this machine: what runs there is seen, lost, found again, and outlives the window."""

import shutil
import socket
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from engines.api.errors import DeviceError
from tests.ui.house import open_slab
from ui.app import place_in
from ui.charts.runs.dialog import WHEN
from ui.connecting.area import GONE, LEFT_THERE, STAYS
from ui.connecting.dialog import PlaceDialog
from ui.session.house import HouseServices
from ui.session.running.phase import Phase
from ui.session.snapshots import Beginning
from ui.window.questions.going_on import AGAIN, HERE, MEANWHILE, RECONNECT, TRY
from workbench.remote.connection import Place
from workbench.remote.questions import SetControl
from workbench.remote.server import Server

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
def running(server, make_window, qtbot):
    """A window whose run is on the server."""
    window = make_window()
    window.connecting.go_to(Place(socket=server.path))
    qtbot.waitUntil(lambda: window.services.place is not None, timeout=20_000)
    open_slab(qtbot, window)
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


def test_a_problem_that_was_named_and_not_opened_as_another_runs_there_is_offered(running, server, make_window, qtbot):
    window, opened = make_window(), []
    window.connecting.go_to(Place(socket=server.path), then=lambda: opened.append(True), named="heat")
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING and bool(window.viewport.frames), timeout=20_000)
    title = running.model.document.project.title
    assert window.banner.text == f"A run of '{title}' is on there, and is shown: 'heat' was not opened."
    assert [button.text() for button in window.banner.answers] == ["Open heat"]
    assert not opened
    qtbot.mouseClick(window.banner.answers[0], Qt.MouseButton.LeftButton)
    assert opened


def test_a_run_that_this_window_does_not_look_at_is_shown_where_its_place_is_chosen_anew(
    running, server, make_window, qtbot
):
    """As the refusal says of a window whose run was replaced while its line was lost."""
    window, title = running, running.model.document.project.title
    window.services._there._stream._connection.shutdown(socket.SHUT_RDWR)
    qtbot.waitUntil(lambda: bool(window.banner.answers), timeout=20_000)
    other = make_window()
    other.connecting.go_to(Place(socket=server.path))
    qtbot.waitUntil(lambda: other.controller.phase is Phase.RUNNING, timeout=20_000)
    other.model.edit(("parameters", "numerics", "step"), 0.01, "step")
    other.controller.build(autostart=True)
    qtbot.waitUntil(lambda: other.controller.phase is Phase.RUNNING, timeout=20_000)
    window.connecting.reconnect()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FAILED and "look at" in window.banner.text, timeout=20_000)
    assert f"A run of '{title}' that this window does not look at is on there: choose that place anew" in (
        window.banner.text
    )
    window.model.undo_stack.setClean()
    window.connecting.choose(Place(socket=server.path))
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=5_000)
    assert window.model.document.parameters.numerics.step == 0.01


def test_run_over_a_lost_line_still_offers_to_reconnect(running, server, qtbot):
    """Of a window that another displaced, too: it was refused with the same sentence, and the button was gone."""
    window, begun = running, server._hosted
    window.services._there._stream._connection.shutdown(socket.SHUT_RDWR)
    qtbot.waitUntil(lambda: bool(window.banner.answers), timeout=20_000)
    window.model.edit(("parameters", "numerics", "step"), 0.01, "step")
    window.controller.run()
    assert [button.text() for button in window.banner.answers] == [RECONNECT]
    qtbot.mouseClick(window.banner.answers[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=20_000)
    assert server._hosted is begun
    assert window.controller.stale, "what was edited meanwhile waits for Reset"


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
    assert not window.controller.live.unsent
    assert not window.controller.stale


@pytest.mark.parametrize("changed", ["nothing", "before", "after that", "both"])
def test_a_run_that_broke_off_there_goes_on_from_the_state_that_was_kept_there(running, server, qtbot, changed):
    """With the live values of the form, whenever they were set."""
    window, broken, scale = running, server._hosted.runner, ("parameters", "conductivity_scale")
    if changed in ("before", "both"):
        window.model.edit(scale, 0.8, "scale")
        qtbot.waitUntil(lambda: not window.controller.live._pending, timeout=20_000)
    qtbot.waitUntil(lambda: bool(broken.marks), timeout=20_000)

    def fail():
        raise DeviceError("The memory ran out.")

    broken.post(lambda simulation: setattr(simulation, "synchronize", fail))
    qtbot.waitUntil(lambda: bool(window.banner.answers), timeout=20_000)
    assert [button.text() for button in window.banner.answers] == [HERE, AGAIN]
    assert f"It can go on from {broken.rescued.mark.time:.2f} ms." in window.banner.text
    if changed in ("after that", "both"):
        window.model.edit(scale, 0.5, "scale")
    qtbot.mouseClick(window.banner.answers[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING, timeout=20_000)
    said = [window.log.lines.text(row) for row in range(window.log.lines.rowCount())]
    assert any(f"Goes on from {broken.rescued.mark.time:g}\u00a0ms" in line for line in said)
    now = {"nothing": 1.0, "before": 0.8, "after that": 0.5, "both": 0.5}[changed]
    assert window.model.document.parameters.conductivity_scale == now
    qtbot.waitUntil(lambda: server._hosted._parameters.conductivity_scale == now, timeout=20_000)


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


def test_the_dialog_is_narrow_and_its_sentences_are_whole(window, qtbot):
    dialog = PlaceDialog(None, Place("lab"), window)
    dialog.show()
    dialog.adjustSize()
    notes = [label for label in dialog.findChildren(QLabel) if label.objectName() == "muted"]
    assert len(notes) == 2
    for note in notes:
        assert dialog.width() < note.fontMetrics().horizontalAdvance(note.text())
        assert note.height() >= note.heightForWidth(note.width()) >= 2 * note.fontMetrics().height()
    dialog.close()


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
    open_slab(qtbot, window)
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


@pytest.mark.parametrize(("before", "meanwhile"), [((), 1.0), ((), 0.5), ((0.8, 0.5), 0.5), ((0.8,), 0.5)])
def test_a_server_that_is_gone_is_told_and_the_next_goes_on_where_the_run_was_kept(
    running, server, qtbot, monkeypatch, before, meanwhile
):
    """With a live value that was set ``meanwhile``, and with those from ``before`` whose answers were lost, too."""
    window, scale, hosted = running, ("parameters", "conductivity_scale"), server._hosted
    qtbot.waitUntil(lambda: window.controller.time > 0)
    with monkeypatch.context() as silent:
        answered = hosted._answered
        silent.setattr(hosted, "_answered", lambda *told: None if isinstance(told[1], SetControl) else answered(*told))
        for value in before:
            window.model.edit(scale, value, "scale")
        taken = {"conductivity_scale": before[-1]} if before else {}
        qtbot.waitUntil(lambda: hosted._memory._changes == taken, timeout=20_000)
        server.stop()
        qtbot.waitUntil(lambda: bool(window.banner.answers), timeout=20_000)
    assert window.banner.text.startswith("The server has been ended there")
    if meanwhile != 1.0:
        window.model.edit(scale, meanwhile, "scale")
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
        qtbot.waitUntil(lambda: again._hosted._parameters.conductivity_scale == meanwhile, timeout=20_000)
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


@pytest.mark.parametrize(("run", "begun"), [("ours", "joined"), ("another", True), ("", True)])
def test_a_line_that_is_back_joins_its_own_run_or_begins_from_what_was_kept_there(monkeypatch, run, begun):
    def connection(place, asks=False):
        return SimpleNamespace(place=place, asks=asks, run=run, runner="joined", attach=lambda: None)

    monkeypatch.setattr("ui.session.house.Connection", connection)
    services = HouseServices()
    services.connect(Place("me@lab"))
    services._there.runner = SimpleNamespace(run_id="ours")
    assert services.reconnect() == (run == "ours")
    services._there.start = lambda *_, **how: how["kept"]
    assert services._start_there(services._there, None, True, Beginning(None), ()) == begun
