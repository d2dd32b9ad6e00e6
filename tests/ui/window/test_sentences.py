"""What is said over the view: nothing moves for it, and one sentence stands at a time."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from engines.api import Finding, Remedy
from ui.charts.lines.area import FIRST
from ui.forms.fields.number import NumberBox

LONG = "The mesh is too coarse: it has edges of 15 mm, and a front is about 0.34 mm wide. " * 2
FINDING = Finding(LONG, "warning", ("tissue",), Remedy("Refine the mesh…", tool="refine"))
ANSWERS = {"Run on to 4000 ms": print, "Start over": print, "Start over without asking": print}


def places(window) -> dict[int, tuple[int, ...]]:
    """Of everything in the window but what is said."""
    said = (window.banner, window.findings)
    return {
        id(widget): (*widget.mapTo(window, widget.rect().topLeft()).toTuple(), *widget.size().toTuple())
        for widget in window.findChildren(QWidget)
        if widget.isVisible() and widget.window() is window
        if not any(banner is widget or banner.isAncestorOf(widget) for banner in said)
    }


def lying_still(window, qtbot):
    """The places once they have stayed the same for half a second."""
    seen = []

    def still():
        qtbot.wait(50)
        seen.append(places(window))
        return len(seen) > 10 and all(each == seen[-1] for each in seen[-10:])

    qtbot.waitUntil(still)
    return seen[-1]


@pytest.mark.parametrize("size", [(1024, 768), (1280, 720), (1600, 1000)])
def test_nothing_moves_when_something_is_said(opened, qtbot, size):
    window = opened
    window.resize(*size)
    window.actions_["layout"].trigger()
    qtbot.waitUntil(lambda: bool(window.findings.findings))  # those of its estimate, which come by themselves
    window.findings.show_findings(())
    window.banner.hide()
    before = lying_still(window, qtbot)  # after what the estimate has changed in the form
    assert window.viewport.covered == 0
    assert id(window.viewport) in before
    for say in (
        lambda: window.banner.say("A short one.", "info"),
        lambda: window.banner.ask("This run is finished. " * 4, ANSWERS),
        lambda: window.findings.show_findings((FINDING, Finding("Another."))),
        window.banner.hide,
        lambda: window.findings.set_locked(True),
    ):
        say()
        qtbot.wait(1)
        assert places(window) == before
        shown = [each for each in (window.banner, window.findings) if each.isVisible()]
        assert len(shown) == 1
        assert shown[0].height() >= shown[0].heightForWidth(shown[0].width()), "all of it is seen"
        assert window.viewport.covered == shown[0].geometry().bottom() + 1
    assert window.findings.isVisible(), "what waited for the question"
    window.findings._close()
    assert places(window) == before
    assert window.viewport.covered == 0


@pytest.mark.parametrize("size", [(1024, 768), (1280, 720)])
def test_a_long_sentence_covers_no_body_and_is_whole_in_its_tool_tip(opened, qtbot, size):
    """It took the whole view, or pushed the time and the meters to where the body is drawn."""
    window, banner, label = opened, opened.banner, opened.banner.label
    window.resize(*size)
    window.actions_["layout"].trigger()
    qtbot.wait(1)
    for say in (banner.say, lambda sentence: banner.ask(sentence, ANSWERS)):
        say(LONG * 5 + "Refine it where t < 3.")
        qtbot.wait(1)
        assert banner.text.endswith("where t < 3.")
        assert label.text().endswith("…")
        assert "where t &lt; 3." in label.toolTip()
        assert label.height() >= label.heightForWidth(label.width()), "all that is left of it is seen"
        assert window.viewport.covered < banner.parentWidget().height() / 4
    banner.say("It is coarse.")
    assert (label.text(), label.toolTip()) == ("It is coarse.", "")
    assert banner.height() < 50, "no room is left for the answers of before"


def test_over_other_pages_it_stands_below(opened, qtbot):
    """There the search is on top."""
    window = opened
    window.pages.show_gallery()
    window.banner.say("The file is no project.")
    centre = window.banner.parentWidget()
    assert window.banner.geometry().bottom() > centre.height() - 10
    assert window.viewport.covered == 0
    assert not window.findings.isVisible()
    window.pages.show_workspace()
    assert window.banner.geometry().top() < 10
    assert window.viewport.covered > 0


def test_in_the_lab_nothing_moves_either(window, qtbot):
    window.workspaces.show(1)
    qtbot.waitUntil(lambda: not window.background.busy)
    before = lying_still(window, qtbot)
    window.pages.lab.banner.say("The simulation is paused while the Lab measures.", "info")
    qtbot.wait(1)
    moved = [place for widget, place in places(window).items() if before.get(widget, place) != place]
    assert not moved


def test_a_sentence_that_stands_among_the_findings_goes_from_the_banner(opened):
    sentences = opened.sentences
    sentences.banner.say("It is coarse.")
    sentences.say_once((Finding("It is fine."),))
    assert not sentences.banner.isHidden()
    sentences.say_once((Finding("It is fine."), Finding("It is coarse.")))
    assert sentences.banner.isHidden()


def test_a_problem_that_is_none_any_more_takes_its_own_sentence_alone_away(opened):
    sentences = opened.sentences
    sentences.say_problem("The step is too long.")
    assert sentences.banner.text == "The step is too long."
    sentences.say_problem("")
    assert sentences.banner.isHidden()
    sentences.say_problem("The step is too long.")
    sentences.banner.say("Saved.", "info")
    sentences.say_problem("")
    assert (sentences.banner.text, sentences.banner.isHidden()) == ("Saved.", False)


def test_what_is_next_while_a_line_is_drawn_goes_when_it_is_done(opened):
    sentences = opened.sentences
    sentences.say_what_is_next(FIRST)
    assert sentences.banner.text == FIRST
    sentences.say_what_is_next("")
    assert sentences.banner.isHidden()
    sentences.banner.say("Saved.", "info")
    sentences.say_what_is_next("")
    assert not sentences.banner.isHidden()


@pytest.mark.parametrize("mended", ["taken back", "typed over"])
def test_what_run_said_of_a_text_in_the_form_goes_once_that_is_mended(opened, qtbot, mended):
    """It stood over the view after Escape, with the value back in its field; what is said of another field stays."""
    one, other = [box for box in opened.problem.findChildren(NumberBox) if box.isVisible()][:2]
    for box in (one, other):
        box.setFocus()
        box.selectAll()
        qtbot.keyClicks(box, "1x")
        box.clearFocus()
    opened.controller.run()
    told = opened.banner.text
    assert told == f"In '{one.parent().accessibleName()}': '1x' is not a number."

    def mend(box):
        box.setFocus()
        if mended == "taken back":
            qtbot.keyClick(box, Qt.Key.Key_Escape)
        else:
            box.selectAll()
            qtbot.keyClicks(box, "0.5")
            qtbot.keyClick(box, Qt.Key.Key_Return)

    mend(other)
    assert opened.banner.text == told
    mend(one)
    assert opened.banner.text == ""


def test_who_asks_for_findings_sees_them_in_the_place_of_what_was_said(opened, qtbot):
    """A refusal lay over them, and the link that shows them seemed to do nothing. A question waits for its answer."""
    window = opened
    qtbot.waitUntil(lambda: window.estimates.findings.isVisible())
    window.banner.say("It cannot run.", "error")
    assert window.findings.isHidden()
    window.estimates.findings.click()
    assert window.banner.isHidden()
    assert window.findings.isVisible()
    window.banner.ask("Start over?", ANSWERS)
    window.estimates.findings.click()
    assert window.banner.isVisible()
    assert window.findings.isHidden()
