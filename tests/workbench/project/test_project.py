"""The project file: whatever the models allow comes back from the disk as it was."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, without_controls
from workbench.project.autosave import Autosave
from workbench.project.document import open_document, save_document
from workbench.project.migrations import migrate
from workbench.project.project import (
    CameraView,
    ClipPlane,
    MeasuredData,
    MeshReference,
    Probe,
    Project,
    RunSettings,
    ViewSettings,
)
from workbench.project.store import as_json, parse_project
from workbench.storage.atomic import StorageError

number = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(min_value=1e-12, allow_infinity=False)
vector = st.tuples(number, number, number)
text = st.text(st.characters(exclude_categories=("Cs",)))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
projects = st.builds(
    Project,
    title=text,
    summary=text,
    engine=text,
    geometry=st.none() | st.builds(MeshReference, path=text, sha256=st.none() | text, fibres=st.none() | text),
    parameters=st.dictionaries(text, plain, max_size=4),
    probes=st.lists(
        st.builds(Probe, name=text.filter(bool), position=vector), max_size=3, unique_by=lambda probe: probe.name
    ),
    run=st.builds(RunSettings, until=st.none() | positive, device=text),
    view=st.builds(
        ViewSettings,
        field=st.none() | text,
        range=st.none() | st.tuples(number, number),
        camera=st.builds(CameraView, azimuth=number, elevation=number, distance=st.none() | number),
        clip=st.none() | st.builds(ClipPlane, origin=vector, normal=vector),
        front=st.booleans(),
    ),
)


@settings(max_examples=60)
@given(projects)
def test_round_trip(project):
    assert parse_project(as_json(project), "it") == project


@settings(max_examples=60)
@given(st.binary(max_size=200) | plain.map(lambda value: json.dumps(value).encode()))
def test_anything_else_is_refused_with_a_sentence(content):
    with pytest.raises(ProblemError, match=r"^it "):
        parse_project(content, "it")


def test_how_often_fields_are_written_is_read_where_former_versions_had_it():
    content = {"engine": "stencil", "run": {"until": 2.0, "snapshot_interval": 0.5}}
    project = parse_project(json.dumps(content), "it")
    assert project.parameters == {"recording": {"fields": {"interval": 0.5}}}
    content["run"]["snapshot_interval"] = None
    assert parse_project(json.dumps(content), "it") == Project(engine="stencil", run=RunSettings(until=2.0))


def test_older_versions_are_brought_up_step_by_step():
    migrations = {
        1: lambda content: {**content, "name": content["title"]},
        2: lambda content: {key: value for key, value in content.items() if key != "title"},
    }
    assert migrate({"schema_version": 1, "title": "x"}, "it", migrations, 3) == {"schema_version": 3, "name": "x"}
    assert migrate({"schema_version": 3}, "it", migrations, 3) == {"schema_version": 3}


@pytest.mark.parametrize("version", [0, -1, True, 1.0, "1", None])
def test_an_impossible_version_is_refused(version):
    with pytest.raises(ProblemError, match="schema_version"):
        migrate({"schema_version": version}, "it")


@pytest.mark.parametrize(
    "values",
    [
        {f"{number:x}": 0 for number in range(500_000)},
        {"parameters": {f"{number:x}": 0 for number in range(300_000)}},
        {"probes": [{}] * 300_000},
        {"probes": [0] * 3_000_000},
        {"measured": [{"chart": "a", "title": "b", "x": [None] * 1_000_000, "y": []}]},
    ],
    ids=["unknown", "of an engine", "groups", "numbers", "curves"],
)
def test_what_nobody_can_read_is_refused_in_little_time(values, tmp_path):
    """A file of 14 MB took ten seconds and 1.6 GB, one of other values minutes: each wrong one was told of."""
    (tmp_path / "project.json").write_text(json.dumps({"engine": "stencil", **values}, separators=(",", ":")))
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(ProblemError, match=r"thin it out|no project|wrong value at measured.0.x.0"):
        open_document(tmp_path)
    assert time.process_time() - began < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 800 << 10  # [kB]


def test_long_curves_are_no_trouble():
    curve = {"title": "", "x": list(range(300_000)), "y": [None, *range(299_999)]}
    run = {"title": "one", "when": "2026-01-01T00:00:00", "time": 1.0, "series": {"voltage": curve}}
    assert (
        len(parse_project(json.dumps({"engine": "stencil", "runs": [run]}), "it").runs[0].series["voltage"].y)
        == 300_000
    )


@pytest.mark.parametrize("name", ["there", "there.zip"])
def test_nothing_is_saved_that_would_not_open_again(project, tmp_path, name):
    document = open_document(project)
    document.project.measured = [MeasuredData(chart="a", title="b", x=[1.0] * 10_000, y=[1.0] * 10_000)]
    save_document(document, tmp_path / name)
    kept = (tmp_path / name / "project.json" if name == "there" else tmp_path / name).read_bytes()
    document.project.measured *= 80
    with pytest.raises(StorageError, match="keep the curves of fewer runs"):
        save_document(document)
    assert (tmp_path / name / "project.json" if name == "there" else tmp_path / name).read_bytes() == kept
    autosave = Autosave(tmp_path / "state")
    with pytest.raises(StorageError, match="keep the curves of fewer runs"):
        autosave.tick(document)


@pytest.mark.parametrize("made", ["form", "file"])
def test_texts_have_nothing_that_others_stumble_over(made):
    """XML has no form for control characters: files of fields could not be read again."""
    given = {"title": "a\x1b]0;b\x07", "probes": [{"name": "\x01", "position": [0, 0, 0]}], "engine": "stencil"}
    if made == "file":
        project = parse_project(json.dumps(given), "it")
    else:
        project = Project(engine="stencil")
        project.title, project.probes = given["title"], [Probe.model_validate(given["probes"][0])]
    assert (project.title, project.probes[0].name) == ("a ]0;b ", " ")
    assert without_controls(["a\ufffe", "b\x9b", "\ta\n"]) == ["a ", "b ", "\ta\n"]


class Named(ParameterGroup):
    name: str = "a"
    lines: tuple[str, ...] = ()


def test_texts_of_parameters_have_no_controls_either():
    named = Named(name="a\0b", lines=("c\x0c", "d"))
    named.name += "\x7f"
    assert (named.name, named.lines) == ("a b ", ("c ", "d"))


def test_a_file_called_as_no_text_can_be(project, tmp_path):
    """As old systems named them: saving ended in an error that nobody expected."""
    document = open_document(project)
    mesh = tmp_path / os.fsdecode(b"h\xff.vtu")
    shutil.copy(document.mesh, mesh)
    document = open_document(mesh)
    with pytest.raises(StorageError, match="rename it"):
        Autosave(tmp_path / "state").tick(document)
    for place in ("there", "there.zip"):
        save_document(document, tmp_path / place)
        assert open_document(tmp_path / place).mesh.name == "h .vtu"
    assert Autosave(tmp_path / "state").tick(open_document(tmp_path / "there"))


@pytest.mark.parametrize("wrong", [{"title": "t" * 2000}, {"summary": "s" * 30_000}])
def test_a_title_is_one(wrong):
    """A label of five million letters kept the window busy for more than a minute."""
    with pytest.raises(ProblemError, match="should have at most"):
        parse_project(json.dumps({"engine": "stencil", **wrong}), "it")


@pytest.mark.parametrize(
    ("what", "one", "other"),
    [
        ("probes", {"name": "a", "position": [1, 2, 3]}, {"name": "a", "position": [4, 5, 6]}),
        (
            "lines",
            {"name": "a", "field": "u", "start": [0, 0, 0], "end": [1, 0, 0]},
            {"name": "a", "field": "u", "start": [0, 0, 0], "end": [0, 1, 0]},
        ),
    ],
)
def test_two_of_one_name_are_refused(what, one, other):
    """The second one's file would replace that of the first one."""
    content = {"engine": "fake", what: [one, other]}
    with pytest.raises(ProblemError, match=f"wrong value at {what}: two are called 'a'"):
        parse_project(json.dumps(content), "It")
    content[what][1] = {**other, "name": "A"}
    assert len(getattr(parse_project(json.dumps(content), "It"), what)) == 2


def test_a_name_that_stands_twice_in_a_group_is_refused():
    """A person reads the first value, and the last one would have counted."""
    text = '{"engine": "fake", "run": {"until": 5, "until": 7}}'
    with pytest.raises(ProblemError, match="'until' stands twice in one group"):
        parse_project(text, "It")
    assert parse_project(text.replace(', "until": 7', ""), "It").run.until == 5


POSED = {"name": "a", "field": "u", "start": [0, 0, 0], "end": [1, 0, 0]}


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ({"run": {"until": True}}, "run.until"),
        ({"run": {"until": "1"}}, "run.until"),
        ({"run": {"pace": "3"}}, "run.pace"),
        ({"probes": [{"name": "a", "position": [0, True, 2]}]}, "probes.0.position.1"),
        ({"lines": [{**POSED, "end": ["1", 0, 0]}]}, "lines.0.end.0"),
        ({"view": {"camera": {"azimuth": "30"}}}, "view.camera.azimuth"),
        ({"view": {"range": [False, 1]}}, "view.range.0"),
        ({"view": {"slices": [0.5, "0.5", 0.5]}}, "view.slices.1"),
        ({"view": {"levels": [True]}}, "view.levels.0"),
        ({"view": {"front": "no"}}, "view.front"),
        ({"view": {"front": 0}}, "view.front"),
        ({"measured": [{"chart": "a", "title": "b", "x": ["1"], "y": [1]}]}, "measured.0.x.0"),
        ({"runs": [{"title": "a", "when": "2026-01-01", "time": "4"}]}, "runs.0.time"),
    ],
)
def test_what_is_no_number_is_not_taken_for_one(part, place):
    """``"until": true`` ended a run at 1, and "no" was a truth value."""
    with pytest.raises(ProblemError, match=f"a wrong value at {re.escape(place)}: input should be a valid"):
        parse_project(json.dumps({"engine": "stencil", **part}), "it")


def test_whole_numbers_stand_for_others():
    found = parse_project(json.dumps({"engine": "stencil", "run": {"until": 1}, "lines": [POSED]}), "it")
    assert (found.run.until, found.lines[0].end) == (1.0, (1.0, 0.0, 0.0))
