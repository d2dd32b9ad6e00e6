"""Scripts that make a problem: for every one that ships, from itself, from defaults, and after edits."""

from __future__ import annotations

import warnings
from functools import cache

import pytest
from pydantic import BaseModel

import workbench as wb
from workbench.api.script import _without_defaults
from workbench.project import document
from workbench.project.presets import presets

PRESETS = sorted(preset.id for preset in presets())


@pytest.fixture(autouse=True)
def meshes_are_read_once(monkeypatch):
    monkeypatch.setattr(document, "read_mesh_file", cached)


cached = cache(document.read_mesh_file)


@cache
def opened(preset: str) -> wb.Project:
    return wb.open(preset)


def made(text: str) -> wb.Project:
    """What a script makes, without its run."""
    names: dict[str, wb.Project] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(text.replace("run = project.run(", "until = project.until  # "), names)  # noqa: S102 (our own)
    return names["project"]


def assert_same(one: wb.Project, other: wb.Project) -> None:
    assert one.engine == other.engine
    assert one.parameters.model_dump() == other.parameters.model_dump()
    assert (one.until, one.probes) == (other.until, other.probes)
    assert one._document.mesh == other._document.mesh


@pytest.mark.parametrize("preset", PRESETS)
def test_a_problem_that_ships_is_made_by_its_name_and_from_defaults(preset):
    project = opened(preset)
    assert wb.script(project) == f"import workbench as wb\n\nproject = wb.open({preset!r})\n{end_of(project)}"
    text = wb.script(project, of_defaults=True)
    assert "wb.new(" in text
    assert_same(made(text), project)


def end_of(project: wb.Project) -> str:
    knows = project.until is not None or project._document.engine.ends(project._document.problem)
    assert knows, "every problem that ships says how far it runs"
    return "run = project.run()\n"


def test_an_edit_is_one_line():
    project = opened("fdtd_slab").copy().set("objects.0.high.0", 12.0)
    assert "project = wb.open('fdtd_slab').set('objects.0.high.0', 12.0)\n" in wb.script(project)
    assert_same(made(wb.script(project)), project)


def test_lists_that_grow_probes_and_ends_are_made_too():
    project = opened("small_slab").copy()
    site = {"kind": "sphere", "center": [5.0, 2.5, 1.0], "radius": 1.0}
    project.set("stimuli", [*project.get("stimuli"), {"name": "second", "site": site, "start": 50.0}])
    project.probe("near", None).probe('it\'s "here"', (1.0, 1.0, 1.0))
    project.until = 120.0
    text = project.script()
    assert "wb.open('small_slab')" in text
    assert "project.until = 120.0  # ms" in text
    assert_same(made(text), project)


def test_groups_of_another_kind_are_set_with_what_goes_with_them():
    project = opened("fdtd_slab").copy()
    project.set("sources.0", {"kind": "plane wave", "direction": "-x", "signal": {"kind": "continuous"}})
    assert_same(made(project.script()), project)


def test_it_is_quiet_about_numbers_that_nothing_depends_on():
    project = opened("fdtd_slab").copy()
    with pytest.warns(wb.WorkbenchWarning):
        project.set("grid.cells_z", 4)
    assert_same(made(project.script()), project)


def test_the_command_prints_it(capsys):
    from workbench.cli import main

    assert main(["script", "sine_mode"]) == 0
    assert capsys.readouterr().out == wb.script("sine_mode")
    assert main(["script", "sine_mode", "--of-defaults"]) == 0
    assert "wb.new('stencil')" in capsys.readouterr().out
    assert main(["script", "sine_mod"]) == 2


class Choice(BaseModel):
    kind: str = "this"
    number: int = 3
    others: tuple[int, ...] = ()


def test_what_is_by_default_is_left_out_but_for_the_kind():
    assert _without_defaults(Choice()) == {"kind": "this"}
    assert _without_defaults([Choice(number=4), Choice(kind="that")]) == [
        {"kind": "this", "number": 4},
        {"kind": "that"},
    ]
