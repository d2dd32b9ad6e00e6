"""The project file: whatever the models allow comes back from the disk as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from workbench.project.migrations import migrate
from workbench.project.project import CameraView, ClipPlane, MeshReference, Probe, Project, RunSettings, ViewSettings
from workbench.project.store import as_json, parse_project

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
    probes=st.lists(st.builds(Probe, name=text.filter(bool), position=vector), max_size=3),
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


@settings(max_examples=60, deadline=None)
@given(projects)
def test_round_trip(project):
    assert parse_project(as_json(project), "it") == project


@settings(max_examples=60, deadline=None)
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
