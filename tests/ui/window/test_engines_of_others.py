"""Engines of other packages that hang or fail: the window says so, goes on, and closes."""

import logging
import threading

import pytest

from engines.api.errors import ProblemError
from engines.api.simulation import guarding
from tests.ui.wave import WaveEngine
from ui.app import _Told
from ui.panels import estimates
from workbench.run.runner import Runner
from workbench.words.numbers import spaced


class Other(WaveEngine):
    id = "other"


@pytest.fixture
def never():
    """What an engine does for as long as the test lasts."""
    event = threading.Event()

    def wait(*_):
        event.wait()
        raise ProblemError("The test has ended.")

    wait.end = event.set
    yield wait
    event.set()


@pytest.fixture
def open_with(window, services):
    """Open the first preset with another engine."""

    def opening(engine):
        services.engine = engine
        window.open_preset(services.presets()[0])

    return opening


def test_an_estimate_that_never_comes_is_told_and_holds_up_no_other(window, qtbot, open_with, never, monkeypatch):
    """Nothing was said, and no other problem had an estimate any more."""
    monkeypatch.setattr(estimates, "OVERDUE_MILLISECONDS", 50)
    hanging, panel = WaveEngine(), window.estimates
    panel._long.setInterval(20)
    hanging.estimate = never
    open_with(hanging)
    sentence = "The engine 'wave' has not said for 0.05 s what a run needs: wait, run without it, or open another"
    qtbot.waitUntil(lambda: panel.sentence.text().startswith(spaced(sentence)))
    assert not panel.sentence.isHidden()
    open_with(Other())
    qtbot.waitUntil(lambda: panel.estimate is not None)
    assert panel.sentence.isHidden()
    never.end()  # before the window closes


def test_what_says_why_there_is_none_is_not_taken_for_an_answer(window, qtbot, open_with, never, monkeypatch):
    """A refusal of older values goes after a second; that the next is overdue is told all the same."""
    monkeypatch.setattr(estimates, "OVERDUE_MILLISECONDS", 300)
    panel = window.estimates
    panel._long.setInterval(20)
    engine = WaveEngine()
    open_with(engine)
    qtbot.waitUntil(lambda: panel.estimate is not None)
    panel._say("The step is too long.")
    engine.estimate = never
    window.model.edit(("parameters", "numerics", "step"), 0.05)
    qtbot.waitUntil(lambda: panel.sentence.text().startswith("The engine 'wave' has not said"))
    never.end()


def test_a_build_that_never_ends_does_not_keep_the_window(window, qtbot, open_with, never, monkeypatch):
    """It took 30 s to close, and as long for each one that was opened before."""
    monkeypatch.setattr(Runner.close, "__defaults__", (0.5,))
    engine = WaveEngine()
    engine.build = never
    open_with(engine)
    qtbot.waitUntil(lambda: window.controller.phase == "building")
    window.close_at_once()
    assert window.background.held_up  # whoever closed it ends the process


def test_closing_waits_a_tenth_as_long_for_what_is_being_built(services, never):
    engine = WaveEngine()
    engine.build = never
    document = services.document()
    document.engine = engine
    runner = services.start(document, autostart=False)
    asked = []
    runner.join = asked.append
    runner.close()
    assert asked == [3.0]


def test_what_fails_beside_a_form_is_told(window, qtbot, open_with):
    """Objects and curves were not there, without a word, or with a traceback for the log."""
    engine = WaveEngine()

    def fail(*_):
        raise KeyError("x")

    engine.previews = engine.placed = fail
    guarding.guard(engine, "The engine 'wave' of waves 1.0")
    said = []
    window.banner.say = lambda sentence, *_: said.append(sentence)
    open_with(engine)
    for name in ("previews", "placed"):
        wanted = f"The engine 'wave' of waves 1.0 was asked for '{name}', in vain (KeyError: 'x'). That is for the"
        qtbot.waitUntil(lambda wanted=wanted: any(sentence.startswith(wanted) for sentence in said))
    qtbot.waitUntil(lambda: window.controller.phase == "ready")


def test_what_is_done_without_stands_in_the_log_from_whatever_thread(window, qtbot):
    lines = window.log.lines

    def last():
        return lines.text(lines.rowCount() - 1) if lines.rowCount() else ""

    log, told = logging.getLogger(guarding.__name__), _Told(window)
    log.addHandler(told)
    try:
        thread = threading.Thread(target=log.warning, args=["The engine 'odd' was asked for 'tools', in vain."])
        thread.start()
        thread.join()
    finally:
        log.removeHandler(told)
    qtbot.waitUntil(lambda: "was asked for 'tools', in vain" in last())
