"""A finished run goes on to a later end, or makes way for one from zero, only when a person says so."""

import pytest
from PySide6.QtCore import Qt

from ui.session.controller import AS_BEGUN
from ui.session.running.ending import OVER
from ui.session.running.phase import Phase
from ui.window.questions.starting_over import AGAIN, ALWAYS, AS_IT_WAS, CHANGED, ENDED, PAST, QUESTION
from workbench.run.states.history import KeptState, Mark
from workbench.words.units import clock_text

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def finished(opened, qtbot):
    opened.timeline.until_edited.emit(100.0)
    run_to_the_end(opened, qtbot, lambda: qtbot.keyClick(opened, Qt.Key.Key_Space))
    return opened


def run_to_the_end(window, qtbot, start):
    phases = []
    window.controller.phase_changed.connect(phases.append)
    start()
    qtbot.waitUntil(lambda: Phase.FINISHED in phases and Phase.RUNNING in phases, timeout=10_000)
    qtbot.waitUntil(lambda: window.controller.time == pytest.approx(100.0))
    window.controller.phase_changed.disconnect(phases.append)


def answer(window, qtbot, text):
    button = next(button for button in window.banner.answers if button.text() == text)
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, LEFT)


def press_space(window, qtbot):
    window.viewport.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_Space)


def test_space_asks_before_it_starts_from_zero(finished, qtbot):
    window = finished
    restarted = []
    window.controller.restarted.connect(lambda: restarted.append(True))
    for _ in range(2):  # pressed again it asks again, and is no answer
        press_space(window, qtbot)
        assert window.banner.text == QUESTION
        qtbot.waitUntil(lambda: sum(button.isVisible() for button in window.banner.answers) == 3)
    qtbot.wait(100)
    assert window.controller.phase is Phase.FINISHED
    assert window.controller.time == pytest.approx(100.0)
    assert not restarted
    run_to_the_end(window, qtbot, lambda: answer(window, qtbot, AGAIN))
    assert restarted
    assert not window.banner.isVisible()
    qtbot.mouseClick(window.timeline.run_button, LEFT)  # the button asks as well, and again
    assert window.banner.text == QUESTION


def test_it_runs_on_to_a_later_end_with_its_curves(finished, qtbot):
    window = finished
    restarted = []
    window.controller.restarted.connect(lambda: restarted.append(True))
    press_space(window, qtbot)
    answer(window, qtbot, "Run on to 200 ms")
    qtbot.waitUntil(lambda: window.controller.time == pytest.approx(200.0), timeout=10_000)
    assert not restarted
    assert window.model.document.project.run.until == 200.0
    assert window.timeline.until.box.value() == 200.0
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FINISHED)
    window.model.undo_stack.undo()  # an edit like any other; one with that before, if that was just now
    assert window.model.document.project.run.until != 200.0


@pytest.mark.parametrize(("until", "offered"), [(30.0, "200 ms"), (99.0, "200 ms"), (0.2, "200 ms")])
def test_what_is_offered_lies_beyond_the_time_that_the_run_has_come_to(finished, qtbot, until, offered):
    """100 ms were run, then an end before them was typed: nothing is thrown away."""
    window, restarted = finished, []
    window.controller.restarted.connect(lambda: restarted.append(True))
    drawn = {key: len(times) for key, (times, _) in window.probes.curves().items()}
    window.timeline.until_edited.emit(until)
    press_space(window, qtbot)
    assert window.banner.text == PAST.format("100 ms", f"{until:g} ms")
    assert [button.text() for button in window.banner.answers] == [f"Run on to {offered}", AGAIN]
    answer(window, qtbot, f"Run on to {offered}")
    qtbot.waitUntil(lambda: window.controller.time > 180.0, timeout=10_000)
    assert not restarted
    assert drawn
    assert all(len(window.probes.curves()[key][0]) >= length for key, length in drawn.items())


def test_it_runs_on_also_where_the_form_holds_a_mistake(finished, qtbot):
    window, restarted = finished, []
    window.controller.restarted.connect(lambda: restarted.append(True))
    window.model.edit(("parameters", "numerics", "step"), -1.0)
    assert not window.model.valid
    press_space(window, qtbot)
    answer(window, qtbot, "Run on to 200 ms")
    qtbot.waitUntil(lambda: window.controller.time == pytest.approx(200.0), timeout=10_000)
    assert not restarted


def test_an_end_before_the_time_of_a_run_that_rests_is_asked_about(opened, qtbot):
    window = opened
    window.controller.step(400)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED and window.controller.time > 0)
    time = window.controller.time
    window.timeline.until_edited.emit(time / 4)
    press_space(window, qtbot)
    assert "past its end" in window.banner.text
    assert window.controller.phase is Phase.PAUSED
    press(window, 0, qtbot)
    qtbot.waitUntil(lambda: window.controller.time > time)


def test_a_step_past_an_end_is_told_and_not_taken(opened, qtbot):
    """The run was said to be finished where it stood."""
    window = opened
    window.controller.step(400)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED and window.controller.time > 0)
    time = window.controller.time
    window.timeline.until_edited.emit(time / 4)
    window.banner.hide()
    qtbot.mouseClick(window.timeline.step_button, LEFT)
    assert window.banner.text.startswith(f"No step is taken: the run is at {clock_text(time, 'ms')}, and its end is ")
    qtbot.wait(100)
    assert (window.controller.phase, window.controller.time) == (Phase.PAUSED, time)
    window.timeline.until_edited.emit(4 * time)
    qtbot.mouseClick(window.timeline.step_button, LEFT)
    qtbot.waitUntil(lambda: window.controller.time > time)


def test_a_step_of_a_problem_that_is_over_is_told(opened, qtbot, monkeypatch):
    window = opened
    window.controller.step(4)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED and window.controller.time > 0)
    monkeypatch.setattr(window.controller.runner, "ended", True)
    window.controller.step()
    assert window.banner.text == OVER


def press(window, number, qtbot):
    button = window.banner.answers[number]
    qtbot.waitUntil(button.isVisible)
    qtbot.mouseClick(button, LEFT)


def test_a_run_that_was_taken_to_its_end_before_asks_as_one_that_ended_here(finished, qtbot):
    """Its state alone is there: nothing was computed in this window yet."""
    window = finished
    runner = window.controller.runner
    state = runner.post(lambda simulation: simulation.state()).result(10)
    mark = Mark(round(100.0 / runner.info.dt), 100.0)
    window.controller.build(kept=KeptState(mark, state))
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY and window.controller.time > 0)
    press_space(window, qtbot)
    assert window.banner.text == QUESTION
    assert [button.text() for button in window.banner.answers] == ["Run on to 200 ms", AGAIN, ALWAYS]
    answer(window, qtbot, AGAIN)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.FINISHED)
    assert window.controller.time == pytest.approx(100.0)


@pytest.fixture
def reopened(opened, qtbot):
    """At 20 ms, with nothing computed in this window yet."""
    window = opened
    window.timeline.until_edited.emit(None)
    window.controller.step(400)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED and window.controller.time > 0)
    runner = window.controller.runner
    state = runner.post(lambda simulation: simulation.state()).result(10)
    window.controller.build(kept=KeptState(Mark(400, window.controller.time), state))
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY and window.controller.time > 0)
    return window


@pytest.mark.parametrize("pressed", ["run", "step"])
def test_a_run_of_an_earlier_session_is_not_left_for_changed_values_without_a_question(reopened, qtbot, pressed):
    window, time, dt = reopened, reopened.controller.time, reopened.controller.info.dt
    window.model.edit(("parameters", "numerics", "step"), 0.04)
    begun = window.controller.runner
    button = window.timeline.run_button if pressed == "run" else window.timeline.step_button
    qtbot.mouseClick(button, LEFT)
    assert window.banner.text == CHANGED.format(clock_text(time, "ms"))
    assert [each.text() for each in window.banner.answers] == [AS_IT_WAS, AGAIN]
    answer(window, qtbot, AS_IT_WAS)
    qtbot.waitUntil(lambda: window.controller.time > time)
    assert window.controller.runner is begun
    assert window.controller.info.dt == dt
    assert window.banner.text == AS_BEGUN
    if pressed == "step":
        qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED)
        assert window.controller.time == pytest.approx(time + dt)


@pytest.mark.parametrize("pressed", ["run", "step"])
def test_it_starts_over_with_them_where_somebody_says_so(reopened, qtbot, pressed):
    window = reopened
    window.model.edit(("parameters", "numerics", "step"), 0.04)
    button = window.timeline.run_button if pressed == "run" else window.timeline.step_button
    qtbot.mouseClick(button, LEFT)
    begun = window.controller.runner
    answer(window, qtbot, AGAIN)
    assert window.controller.runner is not begun
    qtbot.waitUntil(lambda: window.controller.info is not None and window.controller.time > 0)
    assert window.controller.info.dt == 0.04


def test_no_picture_of_what_was_changed_takes_its_place(reopened, qtbot):
    """Neither where an estimate says that the problem can run nor where something was moved."""
    window, begun = reopened, reopened.controller.runner
    window.model.edit(("parameters", "numerics", "step"), 0.04)
    window.redrawing._build_anew()
    assert window.controller.runner is begun
    window.controller.reset()
    assert window.controller.runner is not begun
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY)
    begun = window.controller.runner
    window.model.edit(("parameters", "numerics", "step"), 0.03)
    window.redrawing._build_anew()
    assert window.controller.runner is not begun, "of one that stands at zero it does"


def test_a_problem_that_is_over_can_only_start_over(finished, qtbot, monkeypatch):
    window = finished
    monkeypatch.setattr(window.controller.runner, "ended", True)
    press_space(window, qtbot)
    assert window.banner.text == ENDED
    assert [button.text() for button in window.banner.answers] == [AGAIN, ALWAYS]


def test_it_can_be_told_not_to_ask_again(finished, qtbot):
    window = finished
    press_space(window, qtbot)
    run_to_the_end(window, qtbot, lambda: answer(window, qtbot, ALWAYS))
    run_to_the_end(window, qtbot, lambda: press_space(window, qtbot))
    assert not window.banner.isVisible()


def test_a_run_whose_end_was_moved_on_goes_on_without_a_question(finished, qtbot):
    window = finished
    press_space(window, qtbot)
    assert window.banner.isVisible()
    window.timeline.until_edited.emit(200.0)
    press_space(window, qtbot)
    qtbot.waitUntil(lambda: window.controller.time > 100.0)
    assert not window.banner.isVisible()  # what was asked is of no matter now


def test_what_is_asked_of_a_run_is_not_asked_in_the_gallery(finished, qtbot):
    window = finished
    press_space(window, qtbot)
    qtbot.keyClick(window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    assert not window.banner.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.banner.isVisible()
    press_space(window, qtbot)
    assert window.banner.text == QUESTION


def test_a_sentence_takes_the_place_of_a_question_and_its_buttons(finished, qtbot):
    window = finished
    press_space(window, qtbot)
    window.banner.say("The disk is full.")
    assert not window.banner.answers
    window.controller.phase_changed.emit(Phase.FINISHED.value)
    assert window.banner.text == "The disk is full."
