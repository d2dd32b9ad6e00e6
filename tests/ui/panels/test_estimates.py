"""What a run will need is one line that unfolds."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from engines.api import Finding
from engines.api.errors import ProblemError
from engines.api.values import Remedy
from tests.ui.doubles import FakeServices
from ui.panels.estimates import EstimatesPanel
from ui.session.model import DocumentModel
from ui.widgets.background import Background
from ui.widgets.icons import icon

STEP = ("parameters", "numerics", "step")


def test_the_title_says_memory_and_time_where_the_figures_are_folded(qtbot):
    model, services, background = DocumentModel(), FakeServices(), Background()
    panel = EstimatesPanel(model, services, background)
    qtbot.addWidget(panel)
    panel.show()
    model.open(services.document())
    panel.show_estimate(services.estimate(model.document))
    figures = f"{panel.figures['memory'].text()}, {panel.figures['pace'].text()} per beat"
    for unfolded in (True, False):
        panel.section.set_expanded(unfolded)
        assert panel.figures["memory"].isVisible() == unfolded
        assert panel.section.note.text() == ("" if unfolded else figures)
    model.open(None)
    assert panel.section.note.text() == ""
    panel.stop()
    background.close()


def test_it_begins_as_one_line_however_much_room_there_is(qtbot):
    panel = EstimatesPanel(DocumentModel(), FakeServices(), Background())
    qtbot.addWidget(panel)
    panel.resize(360, 2000)
    panel.show()
    assert not panel.section.header.isChecked()
    panel.section.set_expanded(True)
    panel.hide()
    panel.show()
    assert panel.section.header.isChecked(), "what the person chose"


@pytest.fixture
def panel(qtbot):
    model, services, background = DocumentModel(), FakeServices(), Background()
    panel = EstimatesPanel(model, services, background)
    qtbot.addWidget(panel)
    panel.resize(300, 400)
    panel.section.set_expanded(True)
    panel.show()
    model.open(services.document())
    panel.show_estimate(services.estimate(model.document))
    yield panel
    model.open(None)
    panel.stop()
    background.close()


def test_a_figure_stands_right_of_its_name_in_the_same_line(panel):
    for key, name in panel.names.items():
        assert name.geometry().right() < panel.figures[key].geometry().left()
        assert abs(name.geometry().center().y() - panel.figures[key].geometry().center().y()) <= 2


@pytest.mark.parametrize(
    ("error", "refused", "words"),
    [
        (
            ProblemError("The step is too long.", ("numerics", "step")),
            {("numerics", "step"): "The step is too long."},
            "The step",
        ),
        (ProblemError("The mesh is too fine."), {}, "The mesh is too fine."),
        (KeyError("tissue"), {}, "No estimate (KeyError: 'tissue')."),
    ],
)
def test_why_there_is_no_estimate_stands_at_its_field_where_it_has_one(panel, error, refused, words):
    heard: list[object] = []
    panel.refused.connect(heard.append)
    panel._show_error(error)
    assert heard == [refused]
    assert words in panel.sentence.text()


@pytest.mark.parametrize(
    ("milestone", "until", "pace", "name", "figure", "folded"),
    [
        (None, 400.0, None, "Wall time to 400 ms", "about 4.0 s", "about 4.0 s"),
        (None, 400.0, 20.0, "Wall time to 400 ms, at its pace", "about 20.0 s", "about 20.0 s"),
        (None, 400.0, 1000.0, "Wall time to 400 ms", "about 4.0 s", "about 4.0 s"),
        (
            ("second", 1000.0),
            400.0,
            20.0,
            "Wall time per second, at its pace",
            "about 50.0 s",
            "about 50.0 s per second",
        ),
        (("second", 1000.0), None, None, "Wall time per second", "about 10.0 s", "about 10.0 s per second"),
    ],
)
def test_wall_time_is_that_of_the_pace_that_is_set_and_says_what_it_is_of(
    panel, milestone, until, pace, name, figure, folded
):
    run = panel._model.document.project.run
    run.until, run.pace = until, pace
    panel.show_estimate(replace(panel.estimate, milestone=milestone, seconds_per_simulated_unit=0.01))
    assert (panel.names["pace"].text(), panel.figures["pace"].text()) == (name, figure)
    panel.section.set_expanded(False)
    assert panel.section.note.text().endswith(f", {folded}")
    panel.show_estimate(replace(panel.estimate, seconds_per_simulated_unit=None))
    assert panel.section.note.text() == panel.figures["memory"].text()


@pytest.fixture
def held(panel, monkeypatch):
    """Estimates wait for the event; the names that they were asked of."""
    may, asked, refused = threading.Event(), [], ProblemError("There is no file ''.", STEP[1:])
    model, estimate = panel._model, FakeServices().estimate

    def slow(document):
        asked.append(document.problem.parameters.numerics.step)
        assert may.wait(60)
        return estimate(document)

    monkeypatch.setattr(panel._services, "estimate", slow)
    panel._show_error(refused)
    assert panel.sentence.text() == "There is no file ''."
    yield model, may, asked
    may.set()


def test_why_older_values_had_no_estimate_is_no_longer_said_while_another_takes_long(panel, held, qtbot):
    model, may, _asked = held
    marked = []
    panel.refused.connect(marked.append)
    model.edit(STEP, 0.002)
    qtbot.waitUntil(lambda: panel.section.note.text() == "being worked out", timeout=30000)
    assert panel.sentence.text() == ""
    assert marked == [{}]
    assert panel.estimate is None
    may.set()
    qtbot.waitUntil(lambda: panel.estimate is not None, timeout=30000)
    panel.section.set_expanded(False)
    assert panel.section.note.text().startswith(panel.figures["memory"].text())


@pytest.mark.parametrize("asked_for", [True, False])
def test_what_says_that_an_engine_takes_long_comes_though_an_older_sentence_goes(panel, asked_for):
    panel._say("The step is too long.")
    if asked_for:
        panel._overdue.start(60_000)
    panel._show_waiting()
    assert panel.sentence.text() == ""
    assert panel._overdue.isActive() == asked_for
    assert panel._overdue.interval() <= 1.05 * 60_000, "what was left of the wait, as coarse timers tell it"


def test_what_nobody_waits_for_any_more_is_not_estimated_and_other_edits_leave_the_answer(panel, held, qtbot):
    model, may, asked = held
    for step in (0.002, 0.003, 0.004):
        model.edit(STEP, step)
        panel.stop()  # it would ask by itself, too
        panel.recompute()
        qtbot.waitUntil(lambda: bool(asked), timeout=30000)  # the first is being worked out
    model.edit(("title",), "Another name")
    may.set()
    qtbot.waitUntil(lambda: panel.estimate is not None, timeout=30000)
    assert asked == [0.002, 0.004]


def test_why_it_cannot_run_is_marked_at_its_field_and_is_no_note_there_as_well(panel):
    found, noted = [], []
    panel.found.connect(found.append)
    panel.noted.connect(noted.append)
    panel._show_error(ProblemError("Line 1 uses 'g'.", STEP[1:], Remedy("Add g to the parameters", {STEP[1:]: 1.0})))
    assert "Line 1 uses 'g'." in [finding.message for finding in found[-1]]
    assert "Line 1 uses 'g'." not in [finding.message for finding in noted[-1]]


@pytest.mark.parametrize(
    ("severities", "picture"), [(("info",), ("info", "muted")), (("info", "warning"), ("warning", "warn"))]
)
def test_how_many_there_are_stands_beside_a_warning_where_one_is(panel, monkeypatch, severities, picture):
    monkeypatch.setattr("ui.panels.estimates.findings_of", lambda *_: ())
    panel.show_noticed(tuple(Finding(f"{severity}.", severity=severity) for severity in severities))
    panel.show_findings()
    shown, wanted = (each.pixmap(16).toImage() for each in (panel.findings.icon(), icon(*picture)))
    assert shown == wanted
