"""Findings: what their remedies open, what of files and of a run's end is told, and how the banner turns them over.

That each one is in all places is in ``test_every_finding.py``."""

from dataclasses import replace

import pytest

from engines.api import Finding, Remedy, registry
from tests.engines.geometry.cups import cup
from tests.workbench.fake_engine import block
from tests.workbench.house import write_mesh
from ui.widgets.findings_banner import FindingsBanner
from workbench.cli import main
from workbench.project.findings import in_order
from workbench.project.parameter_files import value_at, with_values


@pytest.fixture
def services(house):
    return house


def test_a_remedy_may_be_the_unit_of_the_mesh_or_a_tool(window, qtbot, tmp_path, capsys):
    """A heart of 100 mm whose file is in centimetres; its edges, of some 13 mm, are too coarse for any front."""
    whole = cup(across=12, through=3)
    path = write_mesh(replace(whole, points=whole.points * (10.0 / 32.0)), tmp_path / "heart.vtu")
    assert main(["new", str(tmp_path / "made"), "--mesh", str(path)]) == 0
    stderr = capsys.readouterr().err
    assert "the mesh is a heart of 10 × 10 × 5 mm, the size of a rat's" in stderr
    assert "Read the file in cm: workbench new --length-unit cm" in stderr
    assert "The mesh has no fibres" in stderr

    window.open_path(path)
    page = window.imports.dialog
    qtbot.waitUntil(lambda: page.document is not None, timeout=120_000)
    page.units.buttons["mm"].click()  # although it proposes cm
    qtbot.waitUntil(lambda: page.document.project.geometry.length_unit == "mm", timeout=120_000)
    page.accept()
    banner = window.findings

    def shown(words):
        found = [finding for finding in banner.findings if words in finding.message]
        return found[0] if found else None

    qtbot.waitUntil(lambda: shown("size of a rat's") is not None, timeout=120_000)
    qtbot.waitUntil(lambda: shown("The mesh has no fibres") is not None, timeout=120_000)
    while banner.finding is not shown("size of a rat's"):
        banner.next.click()
    assert banner.mend.text() == "Read the file in cm"
    banner.mend.click()
    qtbot.waitUntil(lambda: window.model.document.project.geometry.length_unit == "cm", timeout=60_000)
    qtbot.waitUntil(lambda: shown("dies out") is not None, timeout=120_000)
    assert shown("size of a rat's") is None
    while banner.finding is not shown("dies out"):
        banner.next.click()
    banner.mend.click()
    assert window.tools.dialogs["refine"].isVisible()
    window.tools.close_all()


def test_what_a_mesh_file_lacks_is_told_where_the_estimate_is(window, qtbot, tmp_path, capsys):
    """A mesh of 2 mm that is read in metres: of the file, so without a field."""
    mesh = write_mesh(block(), tmp_path / "block.vtu")
    assert main(["new", str(tmp_path / "project"), "--mesh", str(mesh), "--length-unit", "m"]) == 0
    told = capsys.readouterr().err
    assert "choose that length unit" in told
    assert "The mesh has no fibres" in told
    assert main(["convert", str(mesh), str(tmp_path / "again.vtu"), "--length-unit", "m"]) == 0
    assert "choose that length unit" in capsys.readouterr().err
    window.open_path(tmp_path / "project")
    found = window.findings
    qtbot.waitUntil(lambda: any("choose that length unit" in each.message for each in found.findings), timeout=60_000)
    assert window.estimates.findings.isVisible()


@pytest.mark.parametrize("preset", ["stencil", "battery", "cardiac", "peridynamics", "fdtd", "spiking"])
def test_places_and_remedies_of_presets_are_of_their_parameters(preset, services):
    """Whatever a preset is told of stands at a field that it has, and its remedies are values that it may take."""
    from workbench.project.presets import open_preset

    engine = registry.engine(preset)
    for each in list(engine.presets())[:3]:
        document = open_preset(each)
        values = document.parameters.model_dump(mode="json")
        for finding in services.estimate(document).findings:
            value_at(values, finding.place)
            if finding.remedy is not None:
                type(document.parameters).model_validate(with_values(values, finding.remedy.changes))


# ---- the banner ----------------------------------------------------------------------------------------------------

COLD = Finding("It is cold.", "warning", ("heat",), Remedy("Heat it", {("heat",): 1.0}))
SLOW = Finding("It is slow.")
SMALL = Finding("It is small.", "info")


@pytest.fixture
def banner(qtbot):
    banner = FindingsBanner()
    qtbot.addWidget(banner)
    return banner


def test_the_banner_turns_over_what_it_is_told(banner):
    banner.show_findings((COLD, SLOW, SMALL))
    assert banner.text == "It is cold."
    assert banner.count.text() == "1 of 3"
    banner.next.click()
    assert banner.text == "It is slow."
    assert banner.mend.isHidden()
    banner.show_findings((SLOW, SMALL))  # the other was mended: what is read stays
    assert banner.text == "It is slow."
    banner.next.click()
    assert banner.text == "It is small."
    assert not banner._timer.isActive()  # while there are warnings


def test_a_warning_that_is_read_stays_however_others_like_it_come_and_go(banner):
    banner.show_findings((COLD, SLOW))
    banner.next.click()
    banner.show_findings((COLD, SMALL, SLOW))
    assert (banner.text, banner.count.text()) == ("It is slow.", "3 of 3")
    banner.show_findings((COLD, SMALL))
    assert (banner.text, banner.count.text()) == ("It is cold.", "1 of 2"), "it was mended"
    banner.next.click()
    banner.show_findings((COLD, SLOW, SMALL))
    assert banner.text == "It is cold.", "what only informs makes way"


def test_what_a_run_said_stays_when_an_estimate_comes_later_that_warns_of_nothing_new(banner):
    said = Finding("No re-entry so far.", "info")
    banner.show_findings((COLD,))
    banner.show_findings((COLD, said))
    banner.point_at(said)
    assert banner.text == "No re-entry so far."
    banner.show_findings((COLD, SMALL, said))
    assert banner.text == "No re-entry so far."
    banner.show_findings((SMALL, said))
    assert banner.text == "No re-entry so far."
    assert not banner._timer.isActive(), "it was not closed"
    banner.show_findings((SLOW, SMALL, said))
    assert banner.text == "It is slow."


def test_what_makes_numbers_wrong_comes_before_what_else_is_warned_of(banner):
    off = Finding("It is 35 % off.", distorts=True)
    assert in_order((SMALL, SLOW, COLD, off, SLOW)) == (off, SLOW, COLD, SMALL)
    banner.show_findings(in_order((SLOW, SMALL)))
    banner.show_findings(in_order((SLOW, SMALL, off)))  # it came later, and what was read stood first till then
    assert banner.text == "It is 35 % off."
    banner.next.click()
    banner.show_findings(in_order((COLD, SLOW, off)))
    assert banner.text == "It is 35 % off."


def test_what_was_closed_comes_again_with_another_document(banner):
    banner.show_findings((COLD,))
    banner.closed.emit(banner.text)
    banner.hide()
    banner.show_findings((COLD,))
    assert banner.text == ""
    banner.show_findings((COLD, SLOW))
    assert banner.text == "It is slow."
    banner.forget()
    banner.show_findings((COLD, SLOW))
    assert banner.text == "It is cold."


def test_information_goes_by_itself_and_is_not_opened_by_each_edit(banner):
    banner.show_findings((SMALL,))
    assert banner.text == "It is small."
    banner._timer.timeout.emit()
    banner.show_findings((Finding("It is smaller.", "info"),))
    assert banner.text == ""
    banner.show_findings((SLOW, SMALL))
    assert banner.text == "It is slow."


def test_what_a_run_said_at_its_end_is_shown_whatever_was_read_before(banner):
    before, answer = Finding("No fibres.", "info"), Finding("No re-entry.", "info")
    banner.show_findings((before,))
    banner.closed.emit(banner.text)
    banner.show_findings((before, answer))
    assert banner.finding is None, "notes were read"
    banner.point_at(answer)
    assert banner.finding is answer
    banner.show_findings((Finding("Too coarse."), before, answer))
    banner.point_at(answer)
    assert banner.finding.message == "Too coarse.", "a warning comes first"
    banner.show_findings((COLD, before))
    assert banner.text == "It is cold."
    banner.show_findings((COLD, before, answer))
    banner.point_at(answer)
    assert banner.finding is answer, "the warning stood there while it ran"


def test_while_a_run_goes_on_nothing_is_mended(banner):
    banner.show_findings((COLD,))
    assert not banner.mend.isHidden()
    banner.set_locked(True)
    assert banner.mend.isHidden()
    banner.show_findings((replace(COLD, message="It is colder."), COLD))
    assert banner.mend.isHidden()
    banner.set_locked(False)
    assert not banner.mend.isHidden()


@pytest.mark.parametrize(
    ("engine", "values", "sentence", "edits"),
    [
        (
            "fdtd",
            {"grid": {"dimensions": "2D", "cells_x": 40, "cells_y": 40}, "faces": {"y_low": "periodic"}},
            "Only one face of y is periodic",
            ["faces.y_high = "],
        ),
        (
            "cardiac",
            {"stimuli": [{"name": "S1", "site": {"kind": "sphere", "center": [90.0, 1.0, 1.0], "radius": 0.5}}]},
            "Stimulus 'S1' lies on no cell",
            ["stimuli.0.site.center = [1.875, "],
        ),
        (
            "cardiac",
            {"stimuli": [{"name": "S1", "site": {"kind": "box", "lower": [5, 0, 0], "upper": [6, 1, 1]}}]},
            "Stimulus 'S1' lies on no cell",
            ["stimuli.0.site.lower = [1.", "stimuli.0.site.upper = [2."],
        ),
        (
            "peridynamics",
            {
                "numerics": {"integrator": "dynamic relaxation"},
                "loads": [{"kind": "stress", "side": "left"}],
                "body": {"kind": "plate", "size_x": 20, "size_y": 12},
                "bonds": {"spacing": 1.0},
                "notches": [],
            },
            "Nothing keeps the body from moving",
            ['"side": "right"', '"x": 0.0, "y": 0.0'],
        ),
    ],
)
def test_what_cannot_run_is_mended_by_its_button(window, qtbot, tmp_path, capsys, engine, values, sentence, edits):
    """Said once, above the view and on the command line, with the edit that makes it run."""
    from tests.findings import cardiac
    from tests.findings.cases import project

    path = project(engine, values, cardiac.mesh() if engine == "cardiac" else None)(tmp_path)
    assert main(["estimate", str(path), "--device", "cpu"]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert all(edit in told for edit in edits)
    window.open_path(path)
    banner = window.findings
    qtbot.waitUntil(lambda: any(sentence in each.message for each in banner.findings), timeout=120_000)
    qtbot.waitUntil(lambda: window.banner.text == "", timeout=20_000)
    assert sentence in banner.text
    assert not banner.mend.isHidden()
    banner.mend.click()
    qtbot.waitUntil(lambda: window.estimates.estimate is not None, timeout=120_000)
    assert all(sentence not in each.message for each in banner.findings)
    window.model.undo_stack.undo()
    qtbot.waitUntil(lambda: any(sentence in each.message for each in banner.findings), timeout=20_000)


def test_a_remedy_may_take_the_end_of_the_run_away(window, qtbot, tmp_path):
    from tests.findings.cases import project

    window.open_path(project("fdtd", {"grid": {"dimensions": "1D"}}, until=60.0)(tmp_path))
    qtbot.waitUntil(lambda: window.estimates.estimate is not None, timeout=60_000)
    model = window.model
    window.findings.mend_asked.emit(Remedy("End", {("ending", "at_decay"): True}, without_end=True))
    assert model.draft["parameters"]["ending"]["at_decay"] is True
    assert model.document.project.run.until is None
    model.undo_stack.undo()  # one step
    assert model.draft["parameters"]["ending"]["at_decay"] is False
    assert model.document.project.run.until == 60.0


def test_after_closing_the_third_the_next_ones_begin_with_the_first(banner):
    banner.show_findings((COLD, SLOW, SMALL))
    banner.next.click()
    banner.next.click()
    banner.closed.emit(banner.text)
    hot, dry = Finding("It is hot."), Finding("It is dry.")
    banner.show_findings((hot, dry))
    assert (banner.text, banner.count.text()) == ("It is hot.", "1 of 2")
    banner.closed.emit(banner.text)
    assert banner._at == 0
    assert banner.finding is None
