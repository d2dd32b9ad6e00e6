"""Opening: whether it goes on, what is run when it is there, and that what was opened last is what is open."""

from __future__ import annotations

import threading

from engines.api.errors import ProblemError


def test_opening_goes_on_until_the_document_is_there(opened, qtbot):
    opening, ready = opened.controller.opening, threading.Event()
    assert not opening.goes_on

    def load(_):
        assert ready.wait(20)
        return opened.services.document("Cube")

    then = []
    opening.open_with(load, "Opening the cube", lambda: then.append(opened.model.document.project.title))
    assert opening.goes_on
    assert not then
    ready.set()
    qtbot.waitUntil(lambda: not opening.goes_on)
    assert then == ["Cube"]


def test_what_cannot_be_read_is_one_sentence_and_what_is_open_stays(opened, qtbot):
    document, opening = opened.model.document, opened.controller.opening

    def load(_):
        raise ProblemError("The file ends in the middle.")

    opening.open_with(load, "Opening")
    qtbot.waitUntil(lambda: not opening.goes_on)
    qtbot.waitUntil(lambda: "The file ends in the middle." in opened.banner.text)
    assert opened.model.document is document


def test_of_two_that_are_opened_at_once_the_later_one_is_open(opened, qtbot):
    opening, titles = opened.controller.opening, []
    opened.model.opened.connect(lambda: titles.append(opened.model.document.project.title))
    for title in ("First", "Second"):
        opening.open_with(lambda _, title=title: opened.services.document(title), f"Opening {title}")
    qtbot.waitUntil(lambda: not opening.goes_on)
    assert titles == ["Second"]


def test_what_is_to_run_runs_when_it_is_there(opened, qtbot):
    controller, ready = opened.controller, threading.Event()

    def load(_):
        assert ready.wait(20)
        return opened.services.document("Cube")

    controller.opening.open_with(load, "Opening the cube")
    controller.opening.run_when_open()
    assert controller.phase != "running"
    ready.set()
    qtbot.waitUntil(lambda: controller.phase == "running", timeout=10_000)
    assert opened.model.document.project.title == "Cube"
    controller.pause()
    qtbot.waitUntil(lambda: controller.phase == "paused")
    controller.opening.run_when_open()
    qtbot.waitUntil(lambda: controller.phase == "running")
