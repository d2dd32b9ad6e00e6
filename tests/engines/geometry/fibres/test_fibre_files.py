"""Fibres of a mesh from other files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api.errors import MeshError
from engines.geometry.fibres.files import read_fibre_file
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.reading import read_mesh
from workbench.export.vtu import VtuWriter


@pytest.fixture
def directions(tiny: TetMesh) -> np.ndarray:
    frames = np.linalg.qr(np.random.default_rng(1).normal(size=(tiny.n_cells, 3, 3)))[0]
    return np.concatenate([frames[:, :, 0], frames[:, :, 1]], axis=1)


def write(path: Path, values: np.ndarray) -> Path:
    if path.suffix == ".npy":
        np.save(path, values)
        return path
    separator = {".csv": ",", ".txt": ";", ".lon": " "}[path.suffix]
    head = {".csv": "fx,fy,fz,sx,sy,sz\n", ".txt": "", ".lon": f"{values.shape[1] // 3}\n"}[path.suffix]
    path.write_text(head + "".join(separator.join(f"{x:.9g}" for x in row) + "\n" for row in values))
    return path


@pytest.mark.parametrize("suffix", [".lon", ".csv", ".txt", ".npy"])
@pytest.mark.parametrize("columns", [3, 6])
def test_every_format(tiny: TetMesh, directions: np.ndarray, tmp_path: Path, suffix: str, columns: int) -> None:
    fibres, sheets, findings = read_fibre_file(write(tmp_path / f"f{suffix}", directions[:, :columns]), tiny)
    np.testing.assert_allclose(fibres, directions[:, :3], atol=2e-7)  # float32
    assert (sheets is None) == (columns == 3)
    if sheets is not None:
        np.testing.assert_allclose(sheets, directions[:, 3:], atol=2e-7)
    assert findings == ()


def test_cell_data_of_a_vtu(tiny: TetMesh, directions: np.ndarray, tmp_path: Path) -> None:
    made = replace(tiny, fibres=directions[:, :3].astype(np.float32), sheets=directions[:, 3:].astype(np.float32))
    VtuWriter(made).write(tmp_path / "f.vtu", {})
    fibres, sheets, findings = read_fibre_file(tmp_path / "f.vtu", tiny)
    np.testing.assert_allclose(fibres, made.fibres, atol=1e-7)
    np.testing.assert_allclose(sheets, made.sheets, atol=1e-7)
    assert findings == ()
    moved = replace(tiny, points=tiny.points + 3.0, cells=tiny.cells[::-1].copy())
    _, _, findings = read_fibre_file(tmp_path / "f.vtu", moved)
    assert "may belong to other cells" in findings[0].message
    VtuWriter(replace(tiny, fibres=None)).write(tmp_path / "none.vtu", {})
    with pytest.raises(MeshError, match="no cell data called “fibres”: choose"):
        read_fibre_file(tmp_path / "none.vtu", tiny)


def test_what_is_repaired_is_told(tiny: TetMesh, directions: np.ndarray, tmp_path: Path) -> None:
    values = directions.copy()
    values[4, :3] *= 2.5
    values[7, :3] = 0.0
    values[9, 0] = np.nan
    fibres, _, findings = read_fibre_file(write(tmp_path / "f.npy", values), tiny)
    np.testing.assert_allclose(np.linalg.norm(fibres, axis=1), 1, atol=2e-7)
    np.testing.assert_allclose(fibres[4], directions[4, :3], atol=2e-7)
    told = " ".join(finding.message for finding in findings)
    assert "1 of 96 fibres in f.npy were not of length 1 (that of cell 4 is 2.5)" in told
    assert "2 cells have no fibre direction (the first is 7)" in told


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("f.csv", "1,0,0\n" * 95, "fibres of 95 cells and the mesh has 96"),
        ("f.csv", "1,0,0,7\n" * 96, "has 4 columns"),
        ("f.csv", "1,0,0\n1,0\n" * 48, "fibres of 80 cells|different lengths"),
        ("f.csv", "1,0,0\n1,zero,0\n" * 48, "“zero” in line 2"),
        ("f.csv", "0,0,0\n" * 96, "are all zero: choose a file"),
        ("f.csv", "", "is empty"),
        ("f.lon", "1\n" + "1 0 0\n" * 97, "fibres of 97 cells"),
        ("f.npy", "1,0,0\n", "no array that NumPy can read"),
        ("f.xlsx", "1,0,0\n", "no file of fibres"),
    ],
)
def test_mistakes_are_one_sentence(tiny: TetMesh, tmp_path: Path, name: str, content: str, sentence: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(MeshError, match=sentence) as caught:
        read_fibre_file(tmp_path / name, tiny)
    assert name in str(caught.value)


def test_arrays_of_other_shapes(tiny: TetMesh, tmp_path: Path) -> None:
    for values, sentence in (
        (np.ones((96, 2)), "96 × 2"),
        (np.ones((0, 1000)), "0 × 1,000"),
        (np.ones(96), "array of 96 where"),
        (np.ones((95, 3)), "fibres of 95 cells"),
        (np.array("x"), "holds no numbers"),
    ):
        with pytest.raises(MeshError, match=sentence):
            read_fibre_file(write(tmp_path / "f.npy", values), tiny)
    with pytest.raises(MeshError, match="is not in"):
        read_fibre_file(tmp_path / "gone.csv", tiny)


@pytest.mark.parametrize("suffix", [".npy", ".vtu"])
def test_a_mesh_is_read_with_fibres_of_an_array_or_a_vtu(
    tiny: TetMesh, directions: np.ndarray, tmp_path: Path, suffix: str
) -> None:
    """As ``workbench new --fibres`` asks for it; what the mesh itself carries does not count."""
    VtuWriter(tiny).write(tmp_path / "mesh.vtu", {})
    if suffix == ".npy":
        np.save(tmp_path / "f.npy", directions)
    else:
        made = replace(tiny, fibres=directions[:, :3].astype(np.float32), sheets=directions[:, 3:].astype(np.float32))
        VtuWriter(made).write(tmp_path / "f.vtu", {})
    mesh = read_mesh(tmp_path / "mesh.vtu", fibres=tmp_path / f"f{suffix}")
    np.testing.assert_allclose(mesh.fibres, directions[:, :3], atol=2e-7)
    np.testing.assert_allclose(mesh.sheets, directions[:, 3:], atol=2e-7)


def test_sheets_along_the_fibres_are_told_and_sheets_first_refused(
    tiny: TetMesh, directions: np.ndarray, tmp_path: Path
) -> None:
    along = write(tmp_path / "f.csv", np.tile(directions[:, :3], 2))
    fibres, sheets, findings = read_fibre_file(along, tiny)
    assert fibres.shape == (tiny.n_cells, 3)
    assert sheets is None
    assert [each.message for each in findings] == [
        "The sheets in f.csv all lie along the fibres and are left out: give directions across these."
    ]
    none = write(tmp_path / "f.csv", np.concatenate([directions[:, :3], 0 * directions[:, :3]], axis=1))
    assert read_fibre_file(none, tiny)[2] == ()  # as files of tissue without sheets have it
    none.write_text(along.read_text().replace("fx,fy,fz,sx,sy,sz", "sx,sy,sz,fx,fy,fz"))
    with pytest.raises(MeshError, match="has the sheets first"):
        read_fibre_file(none, tiny)
