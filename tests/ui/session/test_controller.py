"""A run as the window follows it: what is said of it, once each, from when it is built to its end."""

import threading
from types import SimpleNamespace

from engines.api import Finding
from engines.api.errors import ProblemError
from ui.session.running import progress
from ui.session.running.phase import Phase
from workbench.remote.runner import SPEAKS
from workbench.run.frames import RunState

UNSTABLE = "The step 0.12 ms is above the stable 0.1 ms: set it to that or less."


def test_each_run_that_fails_is_told_also_where_one_before_it_was(opened, qtbot):
    controller, told = opened.controller, []
    controller.problem.connect(told.append)
    opened.model.edit(("parameters", "numerics", "step"), 0.12)
    for _ in range(2):
        told.clear()
        controller.run()
        qtbot.waitUntil(lambda: controller.phase is Phase.FAILED)
        assert told == [UNSTABLE], "once, however often it is looked at"
        assert opened.banner.text == UNSTABLE
        controller._tick()
        assert told == [UNSTABLE]


def test_what_is_asked_of_a_window_that_closes_begins_no_run(opened, qtbot):
    controller = opened.controller
    assert controller.runner is not None
    controller.close()
    controller.build()
    assert controller.runner is None


def test_a_run_on_another_geometry_makes_way_unless_it_was_told_to_start(opened):
    controller, own = opened.controller, opened.controller._built_for[0]
    for geometry, starting, stays in ((own, False, True), (object(), True, True), (object(), False, False)):
        controller._built_for = (geometry, starting)
        controller._make_way()
        assert (controller.runner is not None, controller.phase is not Phase.IDLE) == (stays, stays)


def test_an_error_of_ours_is_said_as_it_is_and_any_other_by_its_kind(opened):
    for error, said in (
        (ProblemError("This is too small."), "This is too small."),
        (ZeroDivisionError("by 0"), "Something unexpected happened (ZeroDivisionError: by 0)."),
    ):
        opened.controller.fail(error)
        assert opened.banner.text == said


def test_what_is_wrong_beside_a_run_that_goes_on_is_said_over_the_view_and_findings_are_not(opened, qtbot):
    controller, banner = opened.controller, opened.banner
    qtbot.waitUntil(lambda: controller.phase is Phase.READY)
    controller.runner.say("A word.")
    controller._tick()
    assert banner.text == ""
    controller.runner.say("It could not be kept.", "warning")
    controller._tick()
    assert (banner.text, banner.property("severity")) == ("It could not be kept.", "warning")
    controller.runner.say(SPEAKS)
    controller._tick()
    assert (banner.text, banner.property("severity")) == (SPEAKS, "info")
    controller.runner.noticed = (Finding("It has not settled."),)
    controller.runner.say("It has not settled.", "warning")
    controller._tick()
    assert banner.text == SPEAKS


def test_compiling_is_said_once_when_the_first_steps_take_more_than_a_second(opened, monkeypatch):
    controller, said, seconds = opened.controller, [], [500.0]
    controller.progressed.connect(lambda *told: said.append(told))
    monkeypatch.setattr(progress, "clock", SimpleNamespace(monotonic=lambda: seconds[0]))
    for seconds[0] in (500.0, 500.9, 501.0):
        controller.progress.follow_first_step(running=True, arrived=False)
    assert said == []
    for seconds[0] in (501.1, 520.0):
        controller.progress.follow_first_step(running=True, arrived=False)
    assert said == [("Compiling kernels for this machine, once", 0.0)]
    monkeypatch.undo()


def test_reset_unlocks_the_form_at_once_however_long_a_batch_of_the_run_takes(opened, qtbot):
    controller, free = opened.controller, threading.Event()
    opened.model.edit(("run", "until"), None)
    controller.run()
    qtbot.waitUntil(lambda: controller.phase is Phase.RUNNING and controller.time > 0)
    begun = threading.Event()
    controller.runner.post(lambda simulation: (begun.set(), free.wait(60)))
    assert begun.wait(60)
    try:
        opened.actions_["reset"].trigger()
        assert not controller.locked
        assert opened.problem.form.editor_at(("numerics", "step")).isEnabled()
        qtbot.wait(100)  # a few looks at the run, which has not come to it yet
        assert (controller.phase, controller.time) == (Phase.READY, 0.0)
        opened.model.edit(("parameters", "numerics", "step"), 0.04)
        assert not opened.banner.isVisible(), "it is the value that the next run begins with"
    finally:
        free.set()
    qtbot.waitUntil(lambda: controller.runner.state is RunState.READY)
    controller.run()
    qtbot.waitUntil(lambda: controller.phase is Phase.RUNNING and controller.time > 0)
    assert controller.info.dt == 0.04
