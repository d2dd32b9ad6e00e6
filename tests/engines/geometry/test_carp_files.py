"""CARP's three files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engines.api.errors import MeshError
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.reading import read_mesh

Write = Callable[..., Path]


@pytest.mark.parametrize("suffix", [".elem", ".pts", ".lon"])
def test_any_of_the_files_names_the_mesh(tiny: TetMesh, write_carp: Write, suffix: str) -> None:
    mesh = read_mesh(write_carp(tiny, tiny.fibres).with_suffix(suffix))
    np.testing.assert_array_equal(mesh.points, tiny.points)
    np.testing.assert_array_equal(mesh.cells, tiny.cells)
    np.testing.assert_array_equal(mesh.regions, tiny.regions)
    np.testing.assert_array_equal(mesh.fibres, tiny.fibres)
    assert mesh.sheets is None
    assert mesh.findings == ()


def test_two_vectors_are_fibre_and_sheet(tiny: TetMesh, write_carp: Write) -> None:
    sheets = np.tile([0.0, 0.0, 3.0], (tiny.n_cells, 1))
    mesh = read_mesh(write_carp(tiny, np.hstack([tiny.fibres, sheets])))
    np.testing.assert_array_equal(mesh.fibres, tiny.fibres)
    np.testing.assert_array_equal(mesh.sheets, sheets / 3)


def test_old_files_have_no_header(tiny: TetMesh, write_carp: Write) -> None:
    mesh = read_mesh(write_carp(tiny, tiny.fibres, header=False))
    np.testing.assert_array_equal(mesh.fibres, tiny.fibres)


def test_surface_elements_are_skipped_together_with_their_fibres(tiny: TetMesh, write_carp: Write) -> None:
    mesh = read_mesh(write_carp(tiny, tiny.fibres, extra=("Tr 0 1 2 5", "Ln 0 1")))
    np.testing.assert_array_equal(mesh.cells, tiny.cells)
    np.testing.assert_array_equal(mesh.fibres, tiny.fibres)


def test_without_lon_the_tissue_is_isotropic_and_says_so(tiny: TetMesh, write_carp: Write) -> None:
    mesh = read_mesh(write_carp(tiny))
    assert mesh.fibres is None
    assert [f.message for f in mesh.findings] == [
        "There is no mesh.lon beside mesh.elem: the tissue conducts isotropically."
    ]


def test_micrometres(tiny: TetMesh, write_carp: Write) -> None:
    mesh = read_mesh(write_carp(tiny, tiny.fibres), length_unit="um")
    np.testing.assert_allclose(mesh.points, tiny.points / 1000, rtol=1e-15)


def test_elements_need_no_tag(tmp_path: Path) -> None:
    (tmp_path / "a.pts").write_text("4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n")
    (tmp_path / "a.elem").write_text("1\nTt 0 1 2 3")
    assert read_mesh(tmp_path / "a.pts").region_names == {0: "region 0"}


def test_a_tag_beyond_32_bits_is_told_with_its_number(tmp_path: Path) -> None:
    (tmp_path / "a.pts").write_text("4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n")
    (tmp_path / "a.elem").write_text("1\nTt 0 1 2 3 5000000000\n")
    assert "'region' has the number 5,000,000,000" in read_mesh(tmp_path / "a.pts").findings[-1].message


@pytest.mark.parametrize(
    ("suffix", "old", "new", "sentence"),
    [
        (".pts", "45\n", "46\n", "promises 46 points and holds 45"),
        (".elem", "96\n", "97\n", "promises 97 cells and holds 96"),
        (".elem", "96\n", "95\n", "promises 95 cells and holds more"),
        (".elem", "96\n", "999999999999\n", "promises 999,999,999,999 cells"),
        (".elem", "Tt 0", "Tx 0", "line 2 that is no cell"),
        (".elem", "Tt 0 ", "Tt x ", "line 2 that is no cell"),
        (".lon", "1\n", "3\n", "must say 1 or 2"),
        (".lon", "1\n1 0 0\n", "1\n", "fibres of 95 cells and the mesh has 96"),
        (".pts", "45\n0.000000", "45\nzero", "“zero” in line 2"),
    ],
)
def test_mistakes_are_named(tiny: TetMesh, write_carp: Write, suffix: str, old: str, new: str, sentence: str) -> None:
    path = write_carp(tiny, tiny.fibres)
    wrong = path.with_suffix(suffix)
    text = wrong.read_text()
    assert old in text
    wrong.write_text(text.replace(old, new, 1))
    with pytest.raises(MeshError, match=sentence) as caught:
        read_mesh(path)
    assert wrong.name in str(caught.value)


def test_a_fibre_file_elsewhere(tiny: TetMesh, write_carp: Write, tmp_path: Path) -> None:
    path = write_carp(tiny, tiny.fibres)
    (tmp_path / "other").mkdir()
    path.with_suffix(".lon").rename(tmp_path / "other" / "f.lon")
    np.testing.assert_array_equal(read_mesh(path, fibres=tmp_path / "other" / "f.lon").fibres, tiny.fibres)
    with pytest.raises(MeshError, match=r"fibre file gone\.lon (is not|does not exist) in"):
        read_mesh(path, fibres=tmp_path / "gone.lon")
