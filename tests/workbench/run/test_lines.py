"""Lines of a project: charted with each frame, exported with results, recorded, and asked for in Python.

The fake grid's ``u`` is x − 1 over its length of 3 µm at the centres of its cells, 0.5 µm apart, times 0.95 a step.
"""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import workbench as wb
from engines.api import Finding, registry
from engines.api.errors import ProblemError
from tests.workbench.fake_engine import FakeBackend
from tests.workbench.fake_grid_engine import FadeEngine
from workbench.project.document import Document, new_document
from workbench.project.findings import findings_of
from workbench.project.project import Line, Project
from workbench.run.frames import FrameRequest, RunState
from workbench.run.lines import line_charts
from workbench.run.recording import Recorder
from workbench.run.session import start
from workbench.run.viewing import FrameSource

MIDDLE = Line(name="middle", field="u", start=(1.25, 3.0, 3.0), end=(3.75, 3.0, 3.0))


@pytest.fixture
def document(house, monkeypatch) -> Document:
    monkeypatch.setattr(registry, "engines", lambda: {"fade": FadeEngine()})
    found = new_document(FadeEngine())
    found.project.lines = [MIDDLE]
    found.project.run.until = 1.0
    return found


@pytest.fixture
def simulation(document):
    return document.engine.build(document.problem, FakeBackend())


def answer(source, simulation, line):
    source.request = FrameRequest(1, {}, cuts=(line,))
    source.answer(simulation, resting=True)
    return source.frames.take()


def test_a_frame_brings_the_values_along_the_lines_of_its_request(simulation):
    simulation.advance(2)
    (curve,) = answer(FrameSource(), simulation, MIDDLE).charts["line_middle"].curves
    np.testing.assert_allclose(curve.y, 0.95**2 * (curve.x + 0.25) / 3.0, atol=1e-6)
    (info,) = line_charts([MIDDLE], simulation.fields, "um")
    assert (info.name, info.title, info.unit, info.x_unit) == ("line_middle", "Value, middle", "mol/m³", "um")


def test_a_line_beside_the_geometry_is_an_empty_chart(simulation):
    away = MIDDLE.model_copy(update={"start": (50.0, 3.0, 3.0), "end": (60.0, 3.0, 3.0)})
    assert answer(FrameSource(), simulation, away).charts["line_middle"].curves == ()


def test_a_record_holds_a_table_of_each_line(document, tmp_path):
    runner = start(document, observers=[Recorder(tmp_path, document)], autostart=True)
    runner.wait(RunState.FINISHED)
    runner.close()
    header, *rows = list(csv.reader((tmp_path / "charts" / "line_middle.csv").open(encoding="utf-8")))
    assert header == ["curve", "Distance [um]", "Value, middle [mol/m³]"]
    assert float(rows[0][2]) == pytest.approx(0.95**2 * 0.25 / 3.0, rel=1e-6)


def test_lines_whose_names_differ_in_case_alone_have_tables_of_their_own_everywhere(document, tmp_path):
    document.project.lines = [MIDDLE, MIDDLE.model_copy(update={"name": "Middle"})]
    runner = start(document, observers=[Recorder(tmp_path, document)], autostart=True)
    runner.wait(RunState.FINISHED)
    runner.close()
    found = {path.name for path in (tmp_path / "charts").glob("line_*")}
    assert found == {"line_middle.csv", "line_Middle-2.csv"}
    with wb.Project(document).run() as run:
        written = run.save(tmp_path / "saved" / "results.pvd")
    assert len({path.name.lower() for path in written}) == len(written)


def test_lines_that_give_nothing_are_told_and_no_table_of_them_is_written(document, tmp_path):
    lost = {"start": (50.0, 3.0, 3.0), "end": (60.0, 3.0, 3.0)}
    document.project.lines = [
        MIDDLE,
        MIDDLE.model_copy(update={"name": "lost", **lost}),
        MIDDLE.model_copy(update={"name": "typo", "field": "U2"}),
    ]
    (before,) = findings_of(document, None)
    assert "Nothing is written of the line 'lost' of 'u'" in before.message
    assert "The line meets nothing: the geometry lies between" in before.message
    told: list[Finding] = []
    recorder = Recorder(tmp_path, document, findings=[before], tell=told.extend)
    runner = start(document, observers=[recorder], autostart=True)
    runner.wait(RunState.FINISHED)
    runner.close()
    assert [path.name for path in (tmp_path / "charts").glob("line_*")] == ["line_middle.csv"]
    (after,) = told  # the other was before
    assert "of a field 'U2' that this run does not have; the nearest is 'u'" in after.message
    record = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert [each["message"] for each in record["findings"]] == [before.message, after.message]
    del document.project.lines[1]
    with wb.Project(document).run() as run, pytest.warns(wb.WorkbenchWarning, match="'U2'"):
        run.save(tmp_path / "saved" / "results.pvd")
    assert {path.name for path in (tmp_path / "saved").glob("*line_*")} == {"results_line_middle.csv"}


def test_python_asks_along_any_line_and_along_those_of_the_project(document, tmp_path):
    project = wb.Project(document)
    assert project.lines["middle"] == MIDDLE
    project.line("short", "u", (1.25, 2.5), (2.25, 2.5))
    with pytest.raises(ProblemError, match="begins where it ends"):
        project.line("none", "u", (1, 2), (1, 2))
    with project.run() as run:
        curve = run.line("u", (1.25, 3.0), (3.75, 3.0), count=11)
        assert (curve.x.unit, curve.unit, len(curve)) == ("µm", "mol/m³", 11)
        np.testing.assert_allclose(curve, 0.95**2 * (np.asarray(curve.x) + 0.25) / 3.0, atol=1e-6)
        assert run.line("short").x[-1] == 1.0
        with pytest.raises(wb.UnknownNameError, match="line of the project"):
            run.line("shot")
        with pytest.raises(ProblemError, match="meets nothing"):
            run.line("u", (10, 10), (20, 10))
        run.save(tmp_path / "results.pvd")
    assert (tmp_path / "results_line_short.csv").is_file()
    project.line("short", None)
    assert list(project.lines) == ["middle"]


def test_a_project_keeps_its_lines_and_its_open_charts():
    project = Project(engine="fade", lines=[MIDDLE], view={"charts": [{"name": "line_middle", "vertical": "dB10"}]})
    assert Project.model_validate_json(project.model_dump_json()) == project


def test_a_line_is_worked_out_once_for_a_run(simulation, monkeypatch):
    made = []
    select = simulation.select
    monkeypatch.setattr(simulation, "select", lambda selection: made.append(selection) or select(selection))
    source = FrameSource()
    for _ in range(3):
        answer(source, simulation, MIDDLE.model_copy())
    assert len(made) == 1
