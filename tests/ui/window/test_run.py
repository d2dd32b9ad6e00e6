"""Running from the window against an engine with a known answer."""

import threading
from concurrent.futures import Future
from itertools import pairwise

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent

from engines.api import Finding
from tests.ui.wave import Wave
from ui.forms.fields.number import NumberEditor
from ui.session.running import progress
from ui.session.running.phase import Phase
from ui.widgets.theme import theme


def wait_for(qtbot, window, *phases, timeout=10_000):
    qtbot.waitUntil(lambda: window.controller.phase in phases, timeout=timeout)


def test_one_click_on_a_card_opens_the_problem(window, qtbot):
    card = window.welcome.gallery.cards[0]
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport, timeout=10_000)
    assert window.model.document.project.title == "Slab"
    assert window.viewport.geometry_shown.n_cells == 20 * 8 * 4 * 6
    wait_for(qtbot, window, Phase.READY)


def test_run_stays_where_it_is_first_seen(window, qtbot):
    """A click on it must meet it while charts and their room come."""
    button, places = window.timeline.run_button, set()

    def ready():
        if button.isVisible():
            places.add(button.mapTo(window, QPoint()).toTuple())
        return bool(places) and window.controller.phase is Phase.READY and bool(window.charts.panel.cells)

    window.open_preset(window.services.presets()[0])
    qtbot.waitUntil(ready, timeout=10_000)
    qtbot.wait(100)
    assert ready()
    assert len(places) == 1


def test_a_double_click_opens_and_runs(window, qtbot, qapp):
    """As a display sends it: the button goes up after the second click as well."""
    card = window.welcome.gallery.cards[1]
    opened = []
    window.model.opened.connect(lambda: opened.append(window.model.document.project.title))
    middle = QPointF(card.rect().center())
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for kind in ("MouseButtonPress", "MouseButtonRelease", "MouseButtonDblClick", "MouseButtonRelease"):
        place = card.mapToGlobal(middle)
        qapp.sendEvent(card, QMouseEvent(getattr(QEvent.Type, kind), middle, place, left, left, none))
    wait_for(qtbot, window, Phase.RUNNING)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport, timeout=5000)
    assert opened == ["Cube"]
    assert window.controller.phase == Phase.RUNNING


def test_compiling_is_said_of_the_first_steps_alone(opened, qtbot, monkeypatch):
    """However long they take; what a later step waits for is something else."""
    may, said, advance = threading.Event(), list[str](), Wave.advance
    monkeypatch.setattr(Wave, "advance", lambda run, steps: may.wait(60) and advance(run, steps))
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    opened.controller.progressed.connect(lambda text, _: said.append(text))
    try:
        opened.controller.run()
        qtbot.waitUntil(lambda: "Compiling kernels for this machine, once" in said)
        may.set()
        qtbot.waitUntil(lambda: said[-1] == "")
        opened.controller.pause()
        wait_for(qtbot, opened, Phase.PAUSED)
        may.clear()
        said.clear()
        opened.controller.run()
        wait_for(qtbot, opened, Phase.RUNNING)
        later = opened.controller._ticks + 3
        qtbot.waitUntil(lambda: opened.controller._ticks > later)
        assert said == []
    finally:
        may.set()


def test_two_clicks_bring_the_first_moving_picture(window, qtbot):
    qtbot.mouseClick(window.welcome.gallery.cards[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport, timeout=10_000)
    qtbot.mouseClick(window.timeline.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len({frame.step for frame in window.viewport.frames}) >= 3, timeout=10_000)


def test_what_a_run_says_of_its_answers_stands_in_the_banner_until_it_begins_anew(opened, qtbot, monkeypatch):
    """Whatever the engine: the simulation that runs is given a finding that comes with its end."""
    window, finding = opened, Finding("The answer has not settled.")
    window.timeline.until_edited.emit(100.0)
    kind = window.controller.runner.post(type).result(20)
    monkeypatch.setattr(kind, "noticed", lambda self: (finding,))
    assert finding not in window.findings.findings
    window.controller.run()
    qtbot.waitUntil(lambda: finding in window.findings.findings, timeout=10_000)
    assert window.estimates.findings.text() == "2 warnings"  # with that of the engine
    window.controller.reset()
    qtbot.waitUntil(lambda: finding not in window.findings.findings, timeout=10_000)


@pytest.mark.keeps_time
def test_run_pause_step_reset_through_the_buttons(opened, qtbot):
    window, line = opened, opened.timeline
    qtbot.mouseClick(line.run_button, Qt.MouseButton.LeftButton)
    wait_for(qtbot, window, Phase.RUNNING)
    assert line.run_button.text() == "Pause"
    qtbot.waitUntil(lambda: window.controller.time > 0)
    qtbot.mouseClick(line.run_button, Qt.MouseButton.LeftButton)
    wait_for(qtbot, window, Phase.PAUSED, timeout=200)  # the promise: a pause takes effect within 200 ms
    step = window.controller.runner.post(lambda simulation: simulation.step).result(20)
    qtbot.mouseClick(line.step_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.controller.runner.post(lambda s: s.step).result(20) == step + 1)
    qtbot.mouseClick(line.reset_button, Qt.MouseButton.LeftButton)
    wait_for(qtbot, window, Phase.READY)
    assert window.controller.runner.post(lambda simulation: simulation.step).result(20) == 0
    assert line.time_label.text() == "0.00 ms"


def test_why_a_run_has_come_to_an_end_of_its_own_is_said(opened, qtbot, monkeypatch):
    """Also later, where the pointer rests on the bar; of one that comes to the time that was set there is nothing."""
    window, why = opened, "The wave is through."
    window.timeline.until_edited.emit(1.0)
    window.controller.run()
    wait_for(qtbot, window, Phase.FINISHED)
    assert (window.banner.text, window.timeline.bar.toolTip()) == ("", "finished")
    monkeypatch.setattr(Wave, "finished", property(lambda self: self.time > 2.0))
    monkeypatch.setattr(Wave, "ending", why)
    window.timeline.until_edited.emit(None)
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FINISHED and window.controller.time > 2.0)
    assert (window.banner.text, window.timeline.bar.toolTip()) == (why, why)
    window.banner.hide()
    said = []
    monkeypatch.setattr(window.banner, "say", lambda sentence, *_, **__: said.append(sentence))
    doubt = Finding("It may be wrong.", distorts=True)
    monkeypatch.setattr(Wave, "noticed", lambda self: (doubt,), raising=False)
    window.controller.reset()
    window.controller.run()
    qtbot.waitUntil(lambda: window.findings.finding == doubt)
    qtbot.waitUntil(lambda: window.timeline.bar.toolTip() == why)
    assert why not in said, "it would cover what makes the numbers wrong"
    window.controller.reset()
    wait_for(qtbot, window, Phase.READY)
    assert window.timeline.bar.toolTip() == ""


def test_what_a_batch_brings_once_reset_was_pressed_is_of_the_run_before(opened, qtbot, monkeypatch):
    """A sample of it could stand in the curves of the next run, which then had no point until they were past it."""
    window, controller, came = opened, opened.controller, []
    window.timeline.until_edited.emit(None)
    controller.run()
    qtbot.waitUntil(lambda: controller.time > 20.0)
    controller.frame_arrived.connect(lambda frame: came.append(frame.step))
    controller.samples_arrived.connect(came.append)
    ending: Future[None] = Future()  # of a long batch
    monkeypatch.setattr(controller.runner, "reset", lambda: ending)
    controller.reset()
    qtbot.wait(300)
    assert (came, controller.time, window.timeline.time_label.text()) == ([], 0.0, "0.00 ms")
    monkeypatch.undo()
    controller.runner.reset().add_done_callback(lambda _: ending.set_result(None))
    wait_for(qtbot, window, Phase.READY)
    qtbot.waitUntil(lambda: came == [0])
    controller.run()
    qtbot.waitUntil(lambda: controller.time > 0)
    assert window.probes.store.series["mean"].times[0] < 20.0


def test_a_run_ends_at_until_and_begins_again(opened, qtbot):
    window = opened
    window.timeline.until_edited.emit(100.0)
    assert window.model.document.project.run.until == 100.0
    window.controller.run()
    wait_for(qtbot, window, Phase.FINISHED)
    qtbot.waitUntil(lambda: window.controller.time == pytest.approx(100.0))
    assert window.timeline.bar.fraction == pytest.approx(1.0)
    window.timeline.until_edited.emit(300.0)
    window.controller.run()  # the end has moved on: goes on from 100 ms
    qtbot.waitUntil(lambda: window.controller.time > 100.0)
    wait_for(qtbot, window, Phase.FINISHED)
    assert window.probes.store.series["mean"].times[0] < 100.0
    window.controller.run()  # nothing left to do: from the start
    wait_for(qtbot, window, Phase.RUNNING)
    qtbot.waitUntil(lambda: 0 < window.controller.time < 300.0)


def test_frames_are_taken_as_the_view_draws_them_and_samples_come_with_them(opened, qtbot):
    window, controller = opened, opened.controller
    came = []
    controller.frame_arrived.connect(lambda frame: came.append("frame"))
    controller.samples_arrived.connect(lambda _: came.append("samples"))
    window.viewport.is_due = False
    window.timeline.until_edited.emit(None)
    controller.run()
    wait_for(qtbot, window, Phase.RUNNING)
    came.clear()
    qtbot.waitUntil(lambda: came.count("samples") > 2)
    assert "frame" not in came, "the view has drawn just now, and would not draw this one"
    came.clear()
    window.viewport.is_due = True
    qtbot.waitUntil(lambda: came.count("samples") > 3)
    after = [one for one, other in pairwise(came) if other == "samples"]
    assert after[1:] == ["frame"] * len(after[1:]), "both are painted at once"
    window.viewport.is_due = False
    controller.pause()
    wait_for(qtbot, window, Phase.PAUSED)
    qtbot.waitUntil(lambda: window.viewport.frames[-1].time == controller.time)


def test_nothing_remains_of_a_run_that_has_ended(opened, qtbot):
    window, seen = opened, []
    window.controller.samples_arrived.connect(
        lambda _: seen.append((window.meters.figures["remaining"].text(), *window.viewport.overlay))
    )
    window.timeline.until_edited.emit(100.0)
    window.controller.run()
    wait_for(qtbot, window, Phase.FINISHED)
    assert seen[-1][0] != "–"
    assert any(line.startswith("Remaining\t") for line in seen[-1])
    assert window.meters.figures["remaining"].text() == "–"
    assert len(window.viewport.overlay) == len(seen[-1]) - 2


def test_space_runs_and_pauses_but_types_a_blank_in_a_field(opened, qtbot):
    window = opened
    window.viewport.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_Space)
    wait_for(qtbot, window, Phase.RUNNING)
    qtbot.keyClick(window, Qt.Key.Key_Space)
    wait_for(qtbot, window, Phase.PAUSED)
    title = window.problem.title
    title.setFocus()
    title.setCursorPosition(len(title.text()))
    qtbot.keyClick(title, Qt.Key.Key_Space)
    assert title.text() == "Slab "
    assert window.controller.phase is Phase.PAUSED


def test_meters_and_traces_follow_the_run(opened, qtbot):
    window = opened
    window.viewport.picked.emit(5, (2.0, 4.0, 2.0))
    ((name, _, colour),) = window.viewport.markers
    assert (name, colour) == ("P1", theme().palette.trace(0).getRgb()[:3])
    window.controller.run()
    traces = window.probes.store.probes
    qtbot.waitUntil(lambda: len(traces.get(("P1", "voltage"), ())) > 20, timeout=10_000)
    qtbot.waitUntil(lambda: traces["P1", "voltage"].values.max() > 0, timeout=10_000)  # the wave has come by
    qtbot.waitUntil(lambda: bool(window.viewport.overlay))
    window.controller.pause()
    wait_for(qtbot, window, Phase.PAUSED)
    buffer = window.probes.store.probes["P1", "voltage"]
    element = window.services.locate(window.model.document.geometry, (2.0, 4.0, 2.0))
    arrival = window.model.document.geometry.centroids[element, 0] / 0.5
    before = buffer.values[buffer.times < arrival - 0.1]
    assert len(before)
    assert set(before) == {-85.0}
    assert buffer.values.max() > 0
    assert window.meters.gauge.accessibleDescription().endswith("of the ceiling")
    assert window.meters.kernels.kernels.rowCount() == 2


def test_a_live_change_reaches_the_runner_and_others_wait_for_reset(opened, qtbot):
    window = opened
    window.controller.run()
    wait_for(qtbot, window, Phase.RUNNING)
    editor = window.problem.form.root.children_by_key["numerics"].children_by_key["step"]
    assert not editor.isEnabled()
    assert "Reset to change" in editor.toolTip()
    window.model.edit(("parameters", "numerics", "step"), 0.05)  # by undo or redo: the form itself is locked
    assert "Reset" in window.banner.text
    first = window.controller.runner
    window.controller.reset()
    wait_for(qtbot, window, Phase.READY)
    assert window.controller.runner is not first
    assert window.controller.info.dt == 0.05
    assert editor.isEnabled()


def test_an_edit_before_the_run_is_built_in(opened, qtbot):
    window = opened
    window.model.edit(("parameters", "numerics", "step"), 0.05)
    window.controller.run()
    wait_for(qtbot, window, Phase.RUNNING)
    assert window.controller.info.dt == 0.05


def test_a_step_above_the_stable_one_is_one_sentence_and_the_session_goes_on(opened, qtbot):
    window = opened
    window.model.edit(("parameters", "numerics", "step"), 0.12)
    window.controller.run()
    wait_for(qtbot, window, Phase.FAILED)
    assert "set it to that or less" in window.banner.text
    assert window.timeline.bar.note == "broken off"
    window.model.undo_stack.undo()
    assert window.banner.text == "", "what was mended is not said any more"
    assert window.controller.phase is Phase.IDLE
    assert window.timeline.bar.note == ""
    window.controller.run()
    wait_for(qtbot, window, Phase.RUNNING)


def test_nothing_starts_while_a_value_is_wrong(opened, qtbot):
    window = opened
    runner = window.controller.runner
    window.model.edit(("parameters", "tissue", "sigma_il"), -1.0)
    window.controller.run()
    assert window.banner.text == "Tissue › Intracellular, along: must be above 0."
    assert window.controller.runner is runner
    window.model.undo_stack.undo()
    window.model.edit(("parameters", "stimuli", 0, "duration"), -1.0)
    assert window.model.first_error() == "Stimuli › 1 › Duration: must be above 0."


def test_the_pace_is_an_edit_that_reaches_the_run(opened, qtbot):
    opened.controller.toggle()
    wait_for(qtbot, opened, Phase.RUNNING)
    qtbot.mouseClick(opened.timeline.pace.check, Qt.MouseButton.LeftButton)
    assert opened.model.document.project.run.pace == opened.timeline.pace.box.value()
    assert opened.controller.runner.pace == opened.timeline.pace.box.value()
    opened.model.undo_stack.undo()
    assert opened.controller.runner.pace is None
    assert not opened.timeline.pace.check.isChecked()


def test_undo_reaches_the_document_from_a_field(opened, qtbot):
    """A field has the focus nearly always after an edit; Qt's own undo of letters must not keep the keys from us."""
    box = opened.problem.form.root.children_by_key["tissue"].children_by_key["sigma_il"].box
    before = box.value()
    opened.activateWindow()
    qtbot.waitUntil(opened.isActiveWindow)
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "0.5")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert opened.model.document.parameters.tissue.sigma_il == 0.5
    qtbot.keyClick(box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert opened.model.document.parameters.tissue.sigma_il == before
    assert box.value() == before
    qtbot.keyClicks(box, "7")  # not entered yet: the keys belong to the field
    qtbot.keyClick(box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not opened.model.undo_stack.canUndo()
    assert opened.model.undo_stack.canRedo()


def test_the_estimate_says_what_keeps_it_from_being_made(opened, qtbot):
    opened.model.edit(("parameters", "tissue", "sigma_il"), -5.0)
    opened.estimates.recompute()
    assert "Intracellular, along: must be above 0." in opened.estimates.sentence.text()


def test_the_fields_stay_where_they_are_when_a_run_locks_them(opened, qtbot):
    window = opened
    header = window.problem.form.root.findChildren(NumberEditor)[0]
    before = header.mapToGlobal(header.rect().topLeft())
    window.resize(1280, 720)
    qtbot.waitUntil(window.estimates.findings.isVisible)  # they come with the estimate, and take room
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    room = window.problem.form.height()
    assert window.problem.lock_note.isHidden()
    window.controller.run()
    qtbot.waitUntil(window.problem.lock_note.isVisible)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    assert header.mapToGlobal(header.rect().topLeft()) == before
    assert window.problem.form.height() == room, "the last of them, which may be a live one, is not covered"
    window.controller.reset()
    qtbot.waitUntil(window.problem.lock_note.isHidden)
    assert header.mapToGlobal(header.rect().topLeft()) == before


def test_a_value_changed_over_a_finished_run_is_not_said_to_be_the_runs(opened, qtbot):
    """As by undo, or *Use this case* of a sweep: what is drawn is of the value before."""
    window = opened
    window.model.edit(("run", "until"), 1.0)
    window.controller.run()
    wait_for(qtbot, window, Phase.FINISHED)
    note = window.problem.lock_note
    assert note.text() == "Greyed values wait for Reset (Ctrl+R)"
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.5)
    assert note.text() == "Changes wait for Reset (Ctrl+R); the run is older"
    window.resize(1280, 720)
    assert note.sizeHint().width() <= note.width()
    window.controller.reset()
    wait_for(qtbot, window, Phase.READY)
    assert note.text() == "Greyed values wait for Reset (Ctrl+R)"
