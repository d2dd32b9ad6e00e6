"""Which members of a zip a mesh is made of: a file alone, or those of its family that are there, and its fibres."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath

import pytest

from engines.api.errors import ProblemError
from workbench.project.project import MeshReference
from workbench.project.reading.unpacking import LARGEST_FILE, LARGEST_MESH, _mesh_members, _other_members

HERE, ZIP = PurePosixPath("heart"), Path("heart.zip")


def members(*names: str) -> dict[str, zipfile.ZipInfo]:
    return {f"heart/{name}": zipfile.ZipInfo(f"heart/{name}") for name in names}


@pytest.mark.parametrize(
    ("path", "fibres", "there", "wanted"),
    [
        ("a.vtu", None, ("a.vtu", "b.vtu", "a.lon"), {"a.vtu"}),
        ("a.pts", None, ("a.pts", "a.elem", "a.lon", "b.elem"), {"a.pts", "a.elem", "a.lon"}),
        ("a.PTS", None, ("a.PTS", "a.elem"), {"a.PTS", "a.elem"}),
        ("a.ele", None, ("a.node", "a.ele", "a.elem"), {"a.node", "a.ele"}),
        ("a.vtu", "f.lon", ("a.vtu", "f.lon"), {"a.vtu", "f.lon"}),
    ],
)
def test_a_mesh_brings_its_family_and_its_fibres(path, fibres, there, wanted):
    found = _mesh_members(members(*there), HERE, MeshReference(path=path, fibres=fibres), ZIP)
    assert set(found) == {f"heart/{name}" for name in wanted}


@pytest.mark.parametrize(("path", "fibres"), [("a.vtu", None), ("b.vtu", "f.lon")])
def test_what_is_missing_is_said(path, fibres):
    with pytest.raises(ProblemError, match=f"'heart/{fibres or path}' is missing"):
        _mesh_members(members("b.vtu"), HERE, MeshReference(path=path, fibres=fibres), ZIP)


def test_a_grid_has_no_mesh():
    assert _mesh_members(members("a.vtu"), HERE, None, ZIP) == []


@pytest.mark.parametrize(("most", "told"), [(LARGEST_MESH, "mesh"), (LARGEST_FILE, "file")])
def test_a_member_may_be_as_large_as_it_says_and_no_larger(most, told):
    """A fiftieth of it stored, as numbers may be."""
    there = members("a.vtu")
    (info,) = there.values()
    info.file_size, info.compress_size = most, most // 50

    def wanted():
        if told == "mesh":
            return _mesh_members(there, HERE, MeshReference(path="a.vtu"), ZIP)
        return _other_members(there, HERE, ["a.vtu"], ZIP)

    assert wanted() == ["heart/a.vtu"]
    info.file_size += 1
    with pytest.raises(ProblemError, match=f"The {told} 'heart/a.vtu' .* is over {most >> 30} GB"):
        wanted()
