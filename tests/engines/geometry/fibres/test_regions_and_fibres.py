"""Regions and fibres under the names that programs give them."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.errors import MeshError
from engines.geometry.fibres.directions import find_fibres
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.regions import find_regions, region_table
from engines.geometry.raw import RawMesh
from engines.geometry.reading import checked
from sample_data.make.slab import slab


@pytest.fixture
def raw(tiny: TetMesh) -> RawMesh:
    return RawMesh(tiny.points, tiny.cells.astype(np.int64))


@pytest.mark.parametrize("name", ["region", "Region", "medit:ref", "gmsh:physical", "elemTag", "attribute", "Material"])
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8])
def test_region_arrays(raw: RawMesh, tiny: TetMesh, name: str, dtype: type) -> None:
    raw.cell_data = {"voltage": np.arange(96.0), name: tiny.regions.astype(dtype)[:, None]}
    raw.region_names = {2: " right\n half ", 5: "elsewhere"}
    ids, names = find_regions(raw)
    np.testing.assert_array_equal(ids, tiny.regions)
    assert names == {1: "region 1", 2: "right half"}


@pytest.mark.parametrize(
    "values", [np.full(96, 0.5), np.full(96, np.nan), np.full(96, np.inf), np.full(96, 1e12 + 0.5), np.zeros((96, 3))]
)
def test_arrays_that_cannot_be_regions_are_passed_over(raw: RawMesh, values: np.ndarray) -> None:
    raw.cell_data = {"region": values}
    ids, names = find_regions(raw)
    assert names == {1: "tissue"}
    assert (ids == 1).all()
    assert [each.message for each in raw.findings] == [
        "'region' is not a whole number for each cell: all cells are of one region."
    ]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (np.repeat([1, 3_000_000_000], 48), "3,000,000,000"),
        (np.repeat([1, -3_000_000_000], 48)[:, None], "-3,000,000,000"),
        (np.full(96, 2**32 - 1, np.uint32), "4,294,967,295"),
        (np.full(96, 1e12), "1,000,000,000,000"),
        (np.full(96, 1e300), "1e+300"),
    ],
)
def test_a_region_whose_number_is_too_large_is_told_as_one(raw: RawMesh, values: np.ndarray, told: str) -> None:
    """It was told to be no whole number."""
    raw.cell_data = {"region": values}
    assert find_regions(raw)[1] == {1: "tissue"}
    assert [each.message for each in raw.findings] == [
        f"'region' has the number {told}, and regions are numbered up to 2,147,483,647: all cells are of one region."
    ]


def test_cell_numbers_are_not_regions() -> None:
    mesh = slab((6.0, 6.0, 6.0), 1.0)
    raw = RawMesh(mesh.points, mesh.cells, {"label": np.arange(mesh.n_cells)})
    assert find_regions(raw)[1] == {1: "tissue"}
    assert not raw.findings


def test_whole_numbers_under_other_names_are_told(raw: RawMesh, tiny: TetMesh) -> None:
    """They were passed over without a word, and so was "Material Id"."""
    raw.cell_data = {
        "tissue": tiny.regions,
        "number": np.arange(96),
        "all": np.ones(96),
        "voltage": np.linspace(0, 1, 96),
    }
    assert find_regions(raw)[1] == {1: "tissue"}
    (told,) = raw.findings
    assert "'tissue' may be meant" in told.message
    raw.cell_data["Material Id"] = tiny.regions
    assert find_regions(raw)[1] == {1: "region 1", 2: "region 2"}


def test_the_table_of_regions(tiny: TetMesh) -> None:
    left, right = region_table(tiny)
    assert (left.name, left.n_cells) == ("left half", 48)
    assert left.volume == pytest.approx(8.0, rel=1e-14)
    assert (right.id, right.name) == (2, "right half")


@pytest.mark.parametrize(
    "name", ["fibres", "Fibers", "fiber", "fibre_direction", "Fiber Directions", "f0", "fiberDirection"]
)
def test_fibre_names(raw: RawMesh, tiny: TetMesh, name: str) -> None:
    raw.cell_data = {name: 7.0 * tiny.fibres}
    fibres, sheets, findings = find_fibres(raw, "a.vtu")
    np.testing.assert_array_equal(fibres, tiny.fibres)
    assert fibres.dtype == np.float32
    assert sheets is None
    assert findings == []


@pytest.mark.parametrize("columns", [6, 9])
def test_frames(raw: RawMesh, columns: int) -> None:
    rng = np.random.default_rng(2)
    raw.cell_data = {"fibres": rng.normal(size=(96, columns))}
    fibres, sheets, _ = find_fibres(raw, "a.vtu")
    np.testing.assert_allclose(np.linalg.norm(fibres, axis=1), 1, atol=2e-7)  # float32
    np.testing.assert_allclose(np.linalg.norm(sheets, axis=1), 1, atol=2e-7)
    np.testing.assert_allclose(np.einsum("ij,ij->i", fibres, sheets), 0, atol=3e-7)


def test_a_separate_array_of_sheets(raw: RawMesh, tiny: TetMesh) -> None:
    raw.cell_data = {"fibres": tiny.fibres, "sheets": tiny.fibres + np.array([0, 0, 2.0])}
    _, sheets, _ = find_fibres(raw, "a.vtu")
    np.testing.assert_allclose(sheets, np.tile([0, 0, 1], (96, 1)), atol=1e-7)


def test_point_fibres_are_averaged_as_lines(raw: RawMesh) -> None:
    """f and −f are one fibre: random signs at the points must not matter."""
    signs = np.random.default_rng(3).choice([-1.0, 1.0], len(raw.points))
    raw.point_data = {"fiber": signs[:, None] * np.array([0.6, 0.0, 0.8])}
    fibres, _, _ = find_fibres(raw, "a.vtu")
    np.testing.assert_allclose(np.abs(fibres), np.tile([0.6, 0, 0.8], (96, 1)), atol=1e-7)
    np.testing.assert_allclose(fibres[:, 0] * fibres[:, 2], 0.48, atol=1e-6)


def test_cells_without_a_direction_are_counted(raw: RawMesh, tiny: TetMesh) -> None:
    values = tiny.fibres.copy()
    values[10], values[11] = 0, np.nan
    raw.cell_data = {"fibres": values}
    mesh = checked(raw, "a.vtu")
    np.testing.assert_array_equal(mesh.fibres[10:12], [[1, 0, 0], [1, 0, 0]])
    assert "2 cells have no fibre direction" in mesh.findings[0].message
    raw.cell_data = {"fibres": np.zeros((96, 3))}
    mesh = checked(raw, "a.vtu")
    assert mesh.fibres is None
    assert "are all zero: the tissue conducts isotropically" in mesh.findings[0].message


def test_an_array_that_cannot_be_fibres(raw: RawMesh) -> None:
    raw.cell_data = {"fibres": np.zeros((96, 2))}
    with pytest.raises(MeshError, match=r"a\.vtu has an array “fibres” of 2 components where fibres take 3"):
        checked(raw, "a.vtu")
