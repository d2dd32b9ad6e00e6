"""CARP files: what is written is read again, to the digits of the text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.reading import read_mesh
from workbench.cli import main
from workbench.export.carp import write_carp


@pytest.fixture
def mesh() -> TetMesh:
    box = box_mesh((5, 4, 3), (5, 4, 3), jitter=0.2, seed=3)
    frames = np.linalg.qr(np.random.default_rng(2).normal(size=(box.n_cells, 3, 3)))[0].astype(np.float32)
    regions = np.where(box.centroids[:, 0] > 2, 7, -3).astype(np.int32)
    return TetMesh(box.points, box.cells, regions, {7: "a", -3: "b"}, frames[:, :, 0], frames[:, :, 1])


@pytest.mark.parametrize("vectors", [0, 1, 2])
def test_round_trip(mesh: TetMesh, tmp_path: Path, vectors: int) -> None:
    mesh = replace(mesh, fibres=mesh.fibres if vectors else None, sheets=mesh.sheets if vectors > 1 else None)
    written = write_carp(mesh, tmp_path / "m.elem")
    assert [path.suffix for path in written] == [".pts", ".elem", ".lon"][: 2 + (vectors > 0)]
    back = read_mesh(written[0], length_unit="um")
    np.testing.assert_allclose(back.points, mesh.points, rtol=0, atol=0.5e-9 * 1.0001)  # six digits behind 1 µm
    np.testing.assert_array_equal(back.cells, mesh.cells)
    np.testing.assert_array_equal(back.regions, mesh.regions)
    for mine, theirs in ((mesh.fibres, back.fibres), (mesh.sheets, back.sheets)):
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            np.testing.assert_allclose(theirs, mine, rtol=0, atol=1.2e-7)  # normalised again: one place of a float32


def test_writing_what_was_read_gives_the_same_files(mesh: TetMesh, tmp_path: Path) -> None:
    """The text is a fixed point: what it holds is not rounded again."""
    first = write_carp(replace(mesh, fibres=None, sheets=None), tmp_path / "m.pts")
    second = write_carp(read_mesh(first[0], length_unit="um"), tmp_path / "again.pts")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_a_stale_lon_is_not_left_beside(mesh: TetMesh, tmp_path: Path) -> None:
    write_carp(mesh, tmp_path / "m.elem")
    with pytest.raises(ProblemError, match="which has no fibres: choose another name"):
        write_carp(replace(mesh, fibres=None, sheets=None), tmp_path / "m.elem")


def test_a_file_that_nobody_named_is_not_replaced(mesh: TetMesh, tmp_path: Path) -> None:
    for suffix in (".pts", ".lon"):
        other = tmp_path / f"m{suffix}"
        other.write_text("of a person")
        with pytest.raises(ProblemError, match=f"m{suffix}' is there already, and would be replaced with 'm.elem'"):
            write_carp(mesh, tmp_path / "m.ELEM")
        assert [each.name for each in tmp_path.iterdir()] == [other.name]
        assert other.read_text() == "of a person"
        other.unlink()
    for _ in range(2):  # a mesh that is named is written anew as a whole
        assert len(write_carp(mesh, tmp_path / "m.ELEM")) == 3


def test_convert_writes_carp_in_micrometres(mesh: TetMesh, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_carp(mesh, tmp_path / "m.elem")
    assert main(["convert", str(tmp_path / "m.elem"), str(tmp_path / "out" / "n.pts")]) == 0
    assert "n.lon" in capsys.readouterr().out
    for suffix in (".pts", ".elem"):
        assert (tmp_path / "out" / f"n{suffix}").read_bytes() == (tmp_path / f"m{suffix}").read_bytes()
    assert main(["convert", str(tmp_path / "m.elem"), str(tmp_path / "m.lon")]) == 2
    assert "over the mesh that is read" in capsys.readouterr().err
