"""What a script may give by mistake is told in a sentence, before anything is written or run."""

from __future__ import annotations

import pytest

import workbench as wb


@pytest.mark.parametrize("path", ["", " ", 5, "a\0b", ["slab"]])
def test_a_project_is_saved_to_a_path(project, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(wb.ProblemError, match=r"A project is saved to a path, such as 'results/NAME', not to .*\.$"):
        wb.open(project).save(path)


def test_a_moment_is_saved_to_a_path_with_a_name(project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with wb.open(project).simulate() as run:
        for path in ("", None, 5, "a\0b"):
            with pytest.raises(wb.ProblemError, match="A moment of a run is saved to a path"):
                run.save(path)
        with pytest.raises(wb.ProblemError, match=r"'\.' is a folder: give a name in it"):
            run.save(".")
    assert sorted(tmp_path.rglob("*")) == before


def test_names_are_texts(project):
    with wb.open(project).simulate() as run:
        for name in (["voltage"], {"voltage"}, None, 5):
            with pytest.raises(wb.UnknownNameError, match="There is no field"):
                run.field(name)
            with pytest.raises(wb.UnknownNameError, match="There is no curve"):
                _ = run.curves[name]
            with pytest.raises(wb.UnknownNameError, match="There is no field"):
                run.line(name, (0, 0, 0), (1, 0, 0))
            with pytest.raises(wb.UnknownNameError, match="There is no line"):
                run.line(name)
            with pytest.raises(wb.UnknownNameError, match="There is no field"):
                run.picture(name or 5)


@pytest.mark.parametrize(
    ("varied", "options", "said"),
    [
        (None, {}, "A sweep takes values by their names"),
        ([1], {}, "A sweep takes values by their names"),
        ({5: [1]}, {}, "no number '5'"),
        ({"speed": [1.0]}, {"workers": "2"}, "1 to .* workers, not '2'"),
        ({"speed": [1.0]}, {"workers": 1.5}, r"1 to .* workers, not 1\.5"),
    ],
)
def test_a_sweep_says_what_it_takes(project, varied, options, said):
    with pytest.raises(wb.ProblemError, match=said):
        wb.sweep(project, varied, **options)


def test_tools_take_values_by_name_and_their_results_are_taken_over(project):
    heart = wb.open(wb.presets()["small_slab"] if isinstance(wb.presets(), dict) else "small_slab")
    name = next(iter(heart.tools))
    with pytest.raises(wb.ProblemError, match="are given by their names"):
        heart.tool(name, [1])
    with pytest.raises(wb.ProblemError, match="has no value '5'"):
        heart.tool(name, {5: 1})
    with pytest.raises(wb.ProblemError, match="What a tool gave is taken over"):
        heart.apply(None)


def test_a_value_beside_several_named_ones_is_not_passed_over(project):
    wave = wb.open(project)
    before = wave.parameters
    with pytest.raises(wb.ProblemError, match="leave out 3"):
        wave.set({"speed": 2.0}, 3)
    assert wave.parameters == before
