"""The sample meshes: what they promise to whoever runs on them."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest

from engines.geometry.meshes.adjacency import boundary_faces, face_neighbours
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.quality import measure_quality
from engines.geometry.meshes.regions import region_table
from engines.geometry.reading import read_mesh
from sample_data.make.slab import slab

SAMPLES = files("sample_data")


@pytest.fixture(scope="module")
def heart() -> TetMesh:
    return read_mesh(str(SAMPLES / "biventricular/heart.vtu"))


def test_sizes(heart: TetMesh) -> None:
    assert 60_000 <= heart.n_cells <= 150_000
    assert len((SAMPLES / "biventricular/heart.vtu").read_bytes()) < 5e6
    assert len((SAMPLES / "niederer_slab/slab.vtu").read_bytes()) < 2e6
    height = np.ptp(heart.points[:, 2])
    assert 25 < height < 35  # a rabbit's ventricles, mm
    assert heart.findings == ()


def test_the_heart_has_no_bad_cells(heart: TetMesh) -> None:
    quality = measure_quality(heart.points, heart.cells)
    assert quality.min_dihedral.min() > 12.0
    assert quality.mean_ratio.min() > 0.35
    assert quality.mean_ratio.mean() > 0.85
    assert quality.shortest.min() > 0.2


def test_the_wall_is_one_closed_surface_with_two_open_cavities(heart: TetMesh) -> None:
    triangles, _ = boundary_faces(heart.cells, face_neighbours(heart.cells))
    t = triangles.astype(np.int64)
    edges = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    _, shared = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    assert (shared == 2).all()
    assert len(np.unique(t)) - len(shared) + len(t) == 2  # a sphere: cavities open at the base are dents
    corners = heart.points[t]
    base = np.abs(corners[:, :, 2]).max(axis=1) < 1e-4
    normals = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normals[base], axis=1).sum()
    assert 300 < area < 450  # the flat valve plane
    np.testing.assert_allclose(normals[base, :2], 0, atol=1e-5)


def test_regions_of_the_heart(heart: TetMesh) -> None:
    table = {region.name: region for region in region_table(heart)}
    walls = {"LV": ("endo", "mid", "epi"), "RV": ("endo", "mid", "epi"), "septum": ("LV endo", "mid", "RV endo")}
    assert set(table) == {f"{wall} {layer}" for wall, layers in walls.items() for layer in layers}
    volume = {wall: sum(r.volume for name, r in table.items() if name.startswith(wall)) for wall in walls}
    assert volume["LV"] > 2 * volume["RV"] > volume["RV"] > volume["septum"] > 0
    middle = {name: heart.centroids[heart.regions == region.id].mean(axis=0) for name, region in table.items()}
    assert middle["RV mid"][0] > middle["septum mid"][0] > middle["LV mid"][0]  # right is +x
    assert middle["septum RV endo"][0] > middle["septum LV endo"][0]


def test_fibres_are_unit_lines_with_sheets_across_them(heart: TetMesh) -> None:
    np.testing.assert_allclose(np.linalg.norm(heart.fibres, axis=1), 1, atol=2e-7)  # float32
    np.testing.assert_allclose(np.linalg.norm(heart.sheets, axis=1), 1, atol=2e-7)
    np.testing.assert_allclose(np.einsum("ij,ij->i", heart.fibres, heart.sheets), 0, atol=3e-7)


def test_the_helix_turns_through_the_left_wall(heart: TetMesh) -> None:
    """Helix angle of the lateral left wall: near +60° inside, through 0° in the middle, near −60° outside."""
    x, y, z = heart.centroids.T
    lateral = (z > -16) & (z < -5) & (x < -2)
    around = np.stack([-y, x, 0 * x], axis=1) / np.hypot(x, y)[:, None]  # anticlockwise seen from the base
    along = np.einsum("ij,ij->i", heart.fibres, around)
    helix = np.degrees(np.arctan2(heart.fibres[:, 2] * np.sign(along), np.abs(along)))
    by_layer = [np.median(helix[lateral & (heart.regions == layer)]) for layer in (1, 2, 3)]
    assert 30 < by_layer[0] < 60
    assert -15 < by_layer[1] < 25
    assert -60 < by_layer[2] < -25


def test_fibres_turn_smoothly(heart: TetMesh) -> None:
    """From cell to cell the fibre turns little: at 0.5 mm between cells and 120° through 2.4 mm about 25°."""
    faces = np.sort(heart.cells[:, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]].reshape(-1, 3), axis=1)
    _, inverse, shared = np.unique(faces, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(inverse, kind="stable") // 4
    pairs = order[(shared[np.sort(inverse)] == 2)].reshape(-1, 2)
    cosine = np.abs(np.einsum("ij,ij->i", heart.fibres[pairs[:, 0]], heart.fibres[pairs[:, 1]]))
    turn = np.degrees(np.arccos(np.clip(cosine, 0, 1)))
    assert np.median(turn) < 8
    assert np.quantile(turn, 0.99) < 30
    # Where the right wall meets the septum three fibre fields meet: a line of defects that no rule avoids.
    assert (turn > 45).mean() < 0.003


def test_stimulus_sites_lie_on_the_endocardium(heart: TetMesh) -> None:
    sites = json.loads((SAMPLES / "biventricular/stimulus_sites.json").read_text())["sites"]
    assert len(sites) >= 6
    for site in sites:
        distance = np.linalg.norm(heart.centroids - site["position"], axis=1)
        near = heart.regions[distance < 1.5]
        assert len(near) >= 5, site["name"]
        names = {heart.region_names[int(r)] for r in near[np.argsort(distance[distance < 1.5])[:3]]}
        assert all("endo" in name for name in names), (site["name"], names)


@pytest.mark.parametrize(
    ("name", "size", "cells"), [("niederer_slab", (20, 7, 3), 20_160), ("small_slab", (10, 5, 2), 4_800)]
)
def test_slabs(name: str, size: tuple[int, int, int], cells: int) -> None:
    mesh = read_mesh(str(SAMPLES / name / "slab.vtu"))
    assert mesh.n_cells == cells
    np.testing.assert_array_equal(mesh.points.min(axis=0), 0)
    np.testing.assert_allclose(mesh.points.max(axis=0), size, rtol=1e-7)
    assert mesh.volumes.sum() == pytest.approx(np.prod(size), rel=1e-6)  # float32 points
    np.testing.assert_array_equal(mesh.fibres, np.tile([1, 0, 0], (cells, 1)))
    assert mesh.findings == ()


def test_slabs_of_other_steps() -> None:
    assert slab((20.0, 7.0, 3.0), 0.2).n_cells == 6 * 100 * 35 * 15
    with pytest.raises(ValueError, match="does not divide"):
        slab((20.0, 7.0, 3.0), 0.3)


def test_reading_reports_the_quality_of_the_cells():
    mesh = read_mesh(SAMPLES / "small_slab" / "slab.vtu")
    # Kuhn's tetrahedra of a cube: edges of 0.5 mm to its diagonal, dihedral angles from 45°
    assert mesh.quality.startswith("4,800 cells, edges 0.5–0.866 mm")
    assert mesh.quality.endswith("smallest dihedral angle 45.0°")
