"""A run as the window follows it: what is said of it, once each, from when it is built to its end."""

from ui.session.controller import Phase

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
