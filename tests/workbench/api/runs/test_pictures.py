"""Pictures from a script: drawn by this installation's renderer, shown in notebooks, saved with the project."""

import json

import numpy as np
import pytest

import workbench as wb
from workbench.export.png import SIGNATURE
from workbench.run import moments


def test_a_picture_is_an_array_a_notebook_s_picture_and_a_file_that_opens_the_problem(project, monkeypatch, tmp_path):
    asked = []

    def render(geometry, info, values, time, view, **options):
        asked.append((sorted(values), view.field, options["size"], time))
        return np.full((8, 16, 4), 200, np.uint8)

    monkeypatch.setattr(moments, "find_renderer", lambda: render)
    with wb.open(project).run(until=1.0) as run:
        picture = run.picture("voltage", size=(16, 8))
        with pytest.raises(wb.UnknownNameError, match="no field 'volts'"):
            run.picture("volts")
    assert asked == [(["activation_time", "voltage"], "voltage", (16, 8), 1.0)]
    assert picture._repr_png_().startswith(SIGNATURE)
    assert np.asarray(picture).shape == (8, 16, 4)
    assert wb.open(picture.save(tmp_path / "moment.png")).title == "slab"
    with pytest.raises(wb.ProblemError, match=r"must end in \.png"):
        picture.save(tmp_path / "moment.jpg")


def test_a_picture_is_headed_by_what_is_simulated_until_the_project_has_a_name(monkeypatch, tmp_path):
    heads = []
    monkeypatch.setattr(moments, "find_renderer", lambda: lambda *_, lines, **__: heads.append(lines[0]))
    typed = wb.new("stencil").set("equation", {"kind": "own equations"})
    named = wb.open(typed.save(tmp_path / "named"))
    named._document.project.title = "A front"
    for project in (typed, named):
        with project.simulate() as run:
            run.picture()
    assert heads == [typed.title, named.title] == ["Typed equations of u", "A front"]


@pytest.mark.parametrize(
    "size", [(-1, 5), (0, 5), (5, -1), (100.5, 10), None, ("a", "b"), (5,), (5, 5, 5), 5, (8193, 5), (float("nan"), 5)]
)
def test_a_size_that_no_picture_has_is_a_sentence(project, monkeypatch, size):
    monkeypatch.setattr(moments, "find_renderer", lambda: pytest.fail)
    with (
        wb.open(project).simulate() as run,
        pytest.raises(wb.ProblemError, match=r"whole pixels, 1 to 8,192 each, such as \(1280, 800\), not .*\.$"),
    ):
        run.picture(size=size)


def test_a_size_may_come_from_an_array(project, monkeypatch):
    sizes = []
    monkeypatch.setattr(moments, "find_renderer", lambda: lambda *_, size, **__: sizes.append(size))
    with wb.open(project).simulate() as run:
        run.picture(size=np.array([16, 8]))
    assert sizes == [(16, 8)]


def test_without_a_renderer_it_is_said(project, monkeypatch):
    monkeypatch.setattr(moments, "find_renderer", lambda: None)
    with wb.open(project).simulate() as run, pytest.raises(wb.ProblemError, match="draws no pictures"):
        run.picture()


def test_a_picture_of_another_field_has_not_the_range_that_was_fitted_to_the_one_shown(project, monkeypatch):
    ranges = []

    def render(geometry, info, values, time, view, **options):
        ranges.append(view.range)
        return np.zeros((8, 16, 4), np.uint8)

    monkeypatch.setattr(moments, "find_renderer", lambda: render)
    told = json.loads((project / "project.json").read_text())
    told["view"] = {**told.get("view", {}), "field": "voltage", "range": [-90.0, 7.0]}
    (project / "project.json").write_text(json.dumps(told))
    with wb.open(project).simulate() as run:
        for field in ("voltage", "activation_time"):
            run.picture(field, size=(16, 8))
    assert ranges == [(-90.0, 7.0), None]
