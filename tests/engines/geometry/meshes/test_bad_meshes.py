"""What people load by mistake: one sentence that names the file and says what to change."""

from __future__ import annotations

import warnings
from pathlib import Path

import meshio
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.api.errors import MeshError
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.raw import RawMesh
from engines.geometry.reading import checked, read_mesh
from sample_data.make.slab import slab

HEXAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)

FORMATS = {".vtu": "vtu", ".vtk": "vtk", ".msh": "gmsh", ".inp": "abaqus", ".mesh": "medit"}


def refused(path: Path, sentence: str, **options: str) -> None:
    with pytest.raises(MeshError, match=sentence) as caught:
        read_mesh(path, **options)
    message = str(caught.value)
    assert path.name in message
    assert "\n" not in message
    assert message.endswith(".")


@pytest.fixture
def raw(tiny: TetMesh) -> RawMesh:
    return RawMesh(tiny.points.copy(), tiny.cells.astype(np.int64), {"region": tiny.regions, "fibres": tiny.fibres})


@pytest.mark.parametrize("scale", [0.0, 1e-160, 1e-310])
def test_cells_that_are_points(raw: RawMesh, scale: float) -> None:
    raw.points *= scale
    with pytest.raises(MeshError, match=r"a\.vtu has 96 cells without volume"):
        checked(raw, "a.vtu")


def test_coordinates_of_which_no_volume_is_a_number(raw: RawMesh) -> None:
    raw.points *= 1e200
    with pytest.raises(MeshError, match=r"whose coordinates are above 1e\+30"):
        checked(raw, "a.vtu")


def test_an_array_of_another_length_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.vtu"
    mesh = meshio.Mesh(HEXAHEDRON, [("tetra", np.array([[0, 1, 3, 4], [1, 2, 3, 6]]))], cell_data={"region": [[7, 8]]})
    meshio.vtu.write(path, mesh, binary=False)
    text = path.read_text()
    assert "7\n8\n" in text
    path.write_text(text.replace("7\n8\n", "7\n"))
    assert "Left out: 'region', with 1 values for 2 cells." in [each.message for each in read_mesh(path).findings]


@pytest.mark.parametrize("suffix", [".vtu", ".vtk", ".msh", ".inp", ".mesh"])
def test_a_surface(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"skin{suffix}"
    meshio.Mesh(HEXAHEDRON, [("triangle", np.array([[0, 1, 2], [0, 2, 3]]))]).write(path, FORMATS[suffix])
    refused(path, "is a surface: it holds 2 triangles and no tetrahedra, which are needed; fill it")


@pytest.mark.parametrize("suffix", [".vtu", ".vtk", ".msh", ".inp", ".mesh"])
def test_hexahedra_only(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"bricks{suffix}"
    meshio.Mesh(HEXAHEDRON, [("hexahedron", np.arange(8)[None])]).write(path, FORMATS[suffix])
    refused(path, "holds 1 hexahedron and no tetrahedra, which are needed; split the hexahedra")


def test_a_legacy_surface(tmp_path: Path) -> None:
    path = tmp_path / "skin.vtk"
    path.write_text("# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 0 float\n")
    refused(path, "holds POLYDATA, not an unstructured grid of tetrahedra")


def test_a_fluent_mesh(tmp_path: Path) -> None:
    path = tmp_path / "fluent.msh"
    meshio.Mesh(HEXAHEDRON, [("tetra", np.array([[0, 1, 3, 4]]))]).write(path, "ansys")
    refused(path, "is no Gmsh file")


def test_another_kind_of_xml(tmp_path: Path) -> None:
    path = tmp_path / "image.vtu"
    path.write_text('<VTKFile type="ImageData"><ImageData></ImageData></VTKFile>')
    refused(path, "holds ImageData, not UnstructuredGrid")


@pytest.mark.parametrize("suffix", [".vtu", ".vtk", ".msh", ".inp", ".mesh", ".pts", ".elem", ".node", ".ele"])
@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_an_empty_file(suffix: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"nothing{suffix}"
    for other in {".pts": [".elem"], ".elem": [".pts"], ".node": [".ele"], ".ele": [".node"]}.get(suffix, []):
        path.with_suffix(other).write_bytes(content)
    path.write_bytes(content)
    with pytest.raises(MeshError, match=r"nothing\.\w+ is empty; export the mesh again\."):
        read_mesh(path)


@pytest.mark.parametrize("suffix", [".vtu", ".vtk", ".msh", ".inp", ".mesh", ".elem", ".ele"])
@pytest.mark.parametrize("seed", range(3))
def test_noise(suffix: str, seed: int, tmp_path: Path) -> None:
    path = tmp_path / f"noise{suffix}"
    data = np.random.default_rng(seed).integers(0, 256, 2000, np.uint8).tobytes()
    for name in (path, path.with_suffix(".pts"), path.with_suffix(".node")):
        name.write_bytes(data)
    with pytest.raises(MeshError) as caught:
        read_mesh(path)
    assert "noise." in str(caught.value)


FILES = sorted(p for p in (Path(__file__).parents[3] / "data" / "meshes").iterdir() if p.suffix != ".md")


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.sampled_from(FILES), st.data())
def test_damage_never_ends_in_anything_but_a_sentence(tmp_path: Path, original: Path, data: st.DataObject) -> None:
    content = bytearray(original.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        cut = data.draw(st.integers(0, 60))
        content[at : at + cut] = data.draw(
            st.sampled_from([b"", b"-", b"9999999999", b"x", b"nan", b"1e400", b"\0\xff"])
        )
    path = tmp_path / original.name
    path.write_bytes(bytes(content))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            mesh = read_mesh(path)
        except MeshError as error:
            message = str(error)
        else:
            message = original.name
            assert (mesh.volumes > 0).all()
    assert original.name in message
    assert "\n" not in message


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    refused(tmp_path / "gone.vtu", "does not exist in")
    refused(tmp_path / "heart.stl", r"is of a kind that cannot be read; meshes are \.vtu")
    (tmp_path / "folder.vtu").mkdir()
    refused(tmp_path / "folder.vtu", "is a folder")
    with pytest.raises(MeshError, match="“inch” is no unit of length; choose um, mm, cm or m"):
        read_mesh(tmp_path / "gone.vtu", length_unit="inch")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_coordinates_that_are_not_numbers(raw: RawMesh, value: float) -> None:
    raw.points[[7, 9], 1] = value
    with pytest.raises(
        MeshError, match=r"bad\.vtu has 2 points whose coordinates are not numbers \(the first is point 7"
    ):
        checked(raw, "bad.vtu")


@pytest.mark.parametrize("index", [45, -1])
def test_points_that_do_not_exist(raw: RawMesh, index: int) -> None:
    raw.cells[5, 2] = index
    with pytest.raises(
        MeshError, match=rf"1 cell with points that do not exist \(cell 5 refers to point {index}, .*0 to 44"
    ):
        checked(raw, "bad.vtu")


def test_flat_cells(raw: RawMesh) -> None:
    raw.cells[3, 1] = raw.cells[3, 0]
    raw.cells[8, 1] = raw.cells[8, 0]
    with pytest.raises(MeshError, match=r"2 cells without volume \(the worst is cell 3 near .* mm\)"):
        checked(raw, "bad.vtu")


def test_slivers_are_reported_and_kept() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.02], [0.5, 0.5, 1]], float)
    mesh = checked(RawMesh(points, np.array([[0, 1, 2, 3], [0, 1, 2, 4]])), "thin.vtu")
    assert mesh.n_cells == 2
    assert [f.severity for f in mesh.findings] == ["warning"]
    assert "1 of 2 cells are slivers" in mesh.findings[0].message
    assert "cell 0" in mesh.findings[0].message


def test_inverted_cells_are_turned_round(raw: RawMesh, tiny: TetMesh) -> None:
    raw.cells[4] = raw.cells[4][[1, 0, 2, 3]]
    mesh = checked(raw, "odd.vtu")
    np.testing.assert_allclose(mesh.volumes, tiny.volumes, rtol=1e-12)
    assert [f.message for f in mesh.findings] == [
        "Inverted and turned round: 1 cell of 96; the mesh may be folded there."
    ]


def test_a_mesh_numbered_inside_out(raw: RawMesh, tiny: TetMesh) -> None:
    raw.cells = raw.cells[:, [1, 0, 2, 3]]
    mesh = checked(raw, "odd.vtu")
    assert (mesh.volumes > 0).all()
    assert [f.severity for f in mesh.findings] == ["info"]


def test_duplicate_cells_are_dropped_with_their_data(raw: RawMesh, tiny: TetMesh) -> None:
    doubled = [90, 90, 3]
    raw.cells = np.concatenate([raw.cells, raw.cells[doubled][:, [3, 1, 0, 2]]])
    raw.cell_data = {k: np.concatenate([v, v[doubled]]) for k, v in raw.cell_data.items()}
    mesh = checked(raw, "twice.vtu")
    np.testing.assert_array_equal(mesh.cells, tiny.cells)
    np.testing.assert_array_equal(mesh.regions, tiny.regions)
    assert "3 cells stood in the file twice" in mesh.findings[0].message


def test_unused_points_are_dropped(raw: RawMesh, tiny: TetMesh) -> None:
    raw.points = np.concatenate([[[np.nan] * 3, [9e9] * 3], raw.points])
    raw.point_data = {"fibres": np.ones((len(raw.points), 3))}
    raw.cells += 2
    del raw.cell_data["fibres"]
    mesh = checked(raw, "spare.vtu")
    np.testing.assert_array_equal(mesh.points, tiny.points)
    np.testing.assert_array_equal(mesh.cells, tiny.cells)
    assert mesh.findings[0].message == "Left out: 2 points that no tetrahedron uses."


def test_pieces_that_do_not_touch(raw: RawMesh) -> None:
    other = slab((1.0, 1.0, 1.0), 1.0)
    raw.cells = np.concatenate([raw.cells, other.cells + len(raw.points)])
    raw.points = np.concatenate([raw.points, other.points + 10.0])
    raw.cell_data = {}
    mesh = checked(raw, "two.vtu")
    assert len(mesh.findings) == 1
    assert "in 2 pieces that share no point (the largest has 96 cells, the smallest 6)" in mesh.findings[0].message


@pytest.mark.parametrize(
    ("factor", "chosen", "likely"),
    [(1e3, "mm", "µm"), (1e-3, "mm", "m"), (0.1, "mm", "cm"), (1.0, "um", "mm"), (1.0, "m", "mm")],
)
def test_a_wrong_length_unit(factor: float, chosen: str, likely: str) -> None:
    mesh = slab((20.0, 7.0, 3.0), 1.0)
    raw = RawMesh(mesh.points * factor, mesh.cells.astype(np.int64))
    messages = [f.message for f in checked(raw, "slab.vtu", chosen).findings]
    if factor == 0.1:  # 2 × 0.7 × 0.3 mm: small, and possible
        assert messages == []
    else:
        assert len(messages) == 1
        assert f"probably in {likely}; choose that length unit" in messages[0]


def test_a_right_length_unit_is_silent() -> None:
    mesh = slab((20.0, 7.0, 3.0), 1.0)
    for factor, unit in ((1e3, "um"), (1e3, "µm"), (0.1, "cm"), (1e-3, "m")):
        read = checked(RawMesh(mesh.points * factor, mesh.cells.astype(np.int64)), "slab.vtu", unit)
        assert read.findings == ()
        np.testing.assert_allclose(read.points, mesh.points, rtol=1e-14)


def test_whatever_a_reader_raises_is_one_sentence(tmp_path, monkeypatch):
    """Readers of other projects raise what nobody thinks of."""
    from engines.geometry import reading

    def raising(path):
        raise SystemError("of a library")

    monkeypatch.setattr(reading, "_reader", lambda path: raising)
    place = tmp_path / "a.vtk"
    place.write_bytes(b"")
    with pytest.raises(MeshError, match=r"^a\.vtk cannot be read as a mesh: export it again\.$"):
        reading.read_mesh(place)
