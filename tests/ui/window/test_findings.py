"""Findings, a real one of each engine: in the form, in a banner that mends, on the command line and in run.json."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import Any

import pytest

from engines.api import Finding, Remedy, registry
from tests.engines.geometry.cups import cup
from tests.workbench.fake_engine import block
from tests.workbench.house import write_mesh
from ui.forms.notes import NoteLabel
from ui.session.house import HouseServices
from ui.widgets.findings_banner import FindingsBanner
from workbench.cli import main
from workbench.project.document import new_document, save_document
from workbench.project.parameter_files import value_at, with_values
from workbench.storage.paths import config_dir, state_dir

CLOSED = {"kind": "gradient", "gradient": 0.0}
CASES: dict[str, tuple[str, dict[tuple[str | int, ...], Any], float, tuple[str | int, ...], str, bool]] = {
    "a source that nothing balances": (
        "stencil",
        {
            ("grid", "cells_x"): 16,
            ("grid", "cells_y"): 16,
            ("equation",): {"kind": "Poisson"},
            **{("sides", f"{axis}_{end}"): CLOSED for axis in "xyz" for end in ("low", "high")},
        },
        2.0,
        ("sides",),
        "source and flow through the sides do not balance",
        True,
    ),
    "a step that is lowered": (
        "stencil",
        {
            ("grid", "cells_x"): 16,
            ("grid", "cells_y"): 16,
            ("numerics", "step"): 1e6,
            ("numerics", "lower_step"): True,
        },
        1.0,
        ("numerics", "step"),
        "is taken instead",
        True,
    ),
    "a source that float32 loses": (
        "stencil",
        {
            ("grid", "cells_x"): 16,
            ("grid", "cells_y"): 16,
            ("equation",): {"kind": "diffusion", "source": 1e-9, "initial": {"kind": "uniform", "value": 10.0}},
        },
        1.0,
        ("numerics", "precision"),
        "is lost wholly",
        True,
    ),
    "an inclusion on few cells": (
        "stencil",
        {
            ("grid", "cells_x"): 16,
            ("grid", "cells_y"): 16,
            ("equation",): {"kind": "diffusion", "conductivity": {"kind": "inclusions"}},
        },
        1.0,
        ("equation", "conductivity", "inclusions", 0, "radius"),
        "what the inclusion conducts may be",
        True,
    ),
    "intervals that a step stretches": (
        "spiking",
        {
            ("populations",): [
                {"name": "one", "number": 20, "neuron": {"kind": "hodgkin-huxley"}, "external": {"current": 600.0}}
            ],
            ("connections",): [],
        },
        1.0,
        ("numerics", "step"),
        "% too long",
        True,
    ),
    "a part of a step": (
        "spiking",
        {
            ("populations", 0, "number"): 80,
            ("populations", 1, "number"): 20,
            ("populations", 0, "neuron", "refractory_time"): 2.03,
        },
        1.0,
        ("populations", 0, "neuron", "refractory_time"),
        "it is rounded to",
        True,
    ),
    "a body without a load": (
        "peridynamics",
        {("loads",): [], ("bonds", "spacing"): 2.0},
        1e-3,
        ("loads",),
        "Nothing loads the body",
        False,
    ),
    "a field without a source": (
        "fdtd",
        {("sources",): []},
        1e-3,
        ("sources",),
        "There is no source",
        False,
    ),
    "a temperature that is left aside": (
        "battery",
        {
            ("changes",): [
                {"parameter": "ambient_temperature", "value": 273.15},
                {"parameter": "initial_temperature", "value": 310.0},
            ]
        },
        10.0,
        ("thermal",),
        "held at 273.15 K; that it starts at 310 K",
        True,
    ),
    "a mesh without fibres": ("cardiac", {}, 0.1, ("tissue",), "The mesh has no fibres", False),
}


@pytest.fixture
def services():
    class Services(HouseServices):
        runners = ()

    yield Services()
    for folder in (state_dir(), config_dir()):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def project(request, tmp_path):
    """The project of a case, saved."""
    id_, changes, until, *_ = CASES[request.param]
    mesh = write_mesh(block(), tmp_path / "block.vtu") if id_ == "cardiac" else None
    document = new_document(registry.engine(id_), mesh)
    values = with_values(document.parameters.model_dump(mode="json"), changes)
    document.parameters = type(document.parameters).model_validate(values)
    document.project.run.until = until
    document.project.run.device = "cpu"
    return save_document(document, tmp_path / "project")


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


@pytest.mark.parametrize(("project", "case"), [(name, name) for name in CASES], indirect=["project"], ids=[*CASES])
def test_a_finding_is_in_the_form_the_banner_the_terminal_and_the_record(
    project, case, window, qtbot, tmp_path, capsys
):
    _, _, _, place, words, mends = CASES[case]
    window.open_path(project)
    qtbot.waitUntil(lambda: words in window.estimates.findings.text(), timeout=120_000)
    told = next(finding for finding in window.findings.findings if words in finding.message)
    assert told.place == place

    # the form, at its field
    at_field = [note for note in window.problem.form.findChildren(NoteLabel) if words in note.text()]
    assert len(at_field) == 1
    assert not at_field[0].isHidden()
    assert at_field[0].objectName() == "warning"

    # the banner, and its button
    banner = window.findings
    while banner.finding is not told:
        banner.next.click()
    assert banner.text == told.message
    assert banner.mend.isVisible() == mends == (told.remedy is not None)
    if told.remedy is not None:
        before = {at: value_at(window.model.draft["parameters"], at) for at in told.remedy.changes}
        banner.mend.click()
        for at, value in told.remedy.changes.items():
            assert value_at(window.model.draft["parameters"], at) == value
        qtbot.waitUntil(lambda: words not in window.estimates.findings.text(), timeout=60_000)
        assert window.model.valid
        assert all(words not in finding.message for finding in banner.findings)
        assert not [note for note in window.problem.form.findChildren(NoteLabel) if words in note.text()]
        window.model.undo_stack.undo()
        assert {at: value_at(window.model.draft["parameters"], at) for at in before} == before

    # the terminal, before the run, and the record
    out = tmp_path / "results"
    assert main(["run", str(project), "--out", str(out), "--device", "cpu"]) == 0
    stderr = capsys.readouterr().err
    dotted = ".".join(str(key) for key in place)
    assert f"Warning: {told.message} [{dotted}]\n" in stderr
    if told.remedy is not None:
        assert f"  {told.remedy.text}: " in stderr
    recorded = json.loads((out / "run.json").read_text())["findings"]
    remedy = told.remedy and {
        "text": told.remedy.text,
        "changes": [{"place": list(at), "value": value} for at, value in told.remedy.changes.items()],
    }
    assert {"severity": "warning", "place": list(place), "message": told.message, "remedy": remedy} in recorded


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
    qtbot.waitUntil(lambda: "choose that length unit" in window.estimates.findings.text(), timeout=60_000)
    assert any("choose that length unit" in finding.message for finding in window.findings.findings)


def test_what_a_run_says_at_its_end_is_on_the_terminal_and_in_the_record(services, tmp_path, capsys):
    """R of a slab after half of the pulse; of the window ``test_run.py`` tells."""
    words = "Spectra have not settled"
    document = new_document(registry.engine("fdtd"))
    changes = {
        ("grid", "dimensions"): "1D",
        ("objects",): [{"kind": "box", "low": [1.8, -9, -9], "high": [2.2, 9, 9]}],
        ("sources",): [{"kind": "plane wave", "signal": {"kind": "pulse"}}],
        ("monitors",): [{"kind": "plane", "measures": "reflection", "position": 0.9}],
    }
    values = with_values(document.parameters.model_dump(mode="json"), changes)
    document.parameters = type(document.parameters).model_validate(values)
    document.project.run.until, document.project.run.device = 20.0, "cpu"
    save_document(document, tmp_path / "project")
    out = tmp_path / "results"
    assert main(["run", str(tmp_path / "project"), "--out", str(out), "--device", "cpu"]) == 0
    assert words in capsys.readouterr().err
    record = json.loads((out / "run.json").read_text())
    assert [each["place"] for each in record["noticed"] if words in each["message"]] == [["ending"]]
    assert not any(words in each["message"] for each in record["findings"])


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


def test_what_was_closed_comes_again_with_another_document(banner):
    banner.show_findings((COLD,))
    banner.closed.emit()
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


def test_while_a_run_goes_on_nothing_is_mended(banner):
    banner.show_findings((COLD,))
    banner.set_locked(True)
    assert not banner.mend.isEnabled()
