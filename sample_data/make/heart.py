"""Make the idealised biventricular heart: ``python -m sample_data.make.heart [--size MM] [--out FOLDER]``.

Needs gmsh (``pip install gmsh``), which the application itself does not. Writes ``heart.vtu`` (regions, fibres,
sheets) and ``stimulus_sites.json``, the early-activated endocardial spots of a Purkinje-like activation.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from engines.geometry.meshes.mesh import TetMesh
from sample_data.make import fibres, shape
from sample_data.make.vtu import write_vtu

REGIONS = {
    1: "LV endo",
    2: "LV mid",
    3: "LV epi",
    4: "RV endo",
    5: "RV mid",
    6: "RV epi",
    7: "septum LV endo",
    8: "septum mid",
    9: "septum RV endo",
}

# Where a Purkinje network first reaches the muscle (after Durrer et al. 1970, Circulation 41:899): left septum below
# mid-height, high anterior and posterior left wall, then the right wall at the moderator band and the right septum.
# Rough positions; each moves onto the nearest endocardial node. Delay in ms after the first.
SITES = (
    ("LV septum", "lv", (5.0, 0.0, -14.0), 0.0),
    ("LV anterior", "lv", (-2.0, -5.0, -8.0), 0.0),
    ("LV posterior", "lv", (-2.0, 5.0, -15.0), 0.0),
    ("LV apex", "lv", (0.0, 0.0, -24.0), 2.0),
    ("RV moderator band", "rv", (11.5, -2.5, -13.0), 5.0),
    ("RV free wall", "rv", (13.5, 2.5, -9.0), 6.0),
    ("RV septum", "rv", (9.5, 0.0, -15.0), 6.0),
)


def label(points: fibres.Floats, cells: np.ndarray, phi: fibres.Potentials) -> np.ndarray:
    """(n,) int32 keys of :data:`REGIONS`: which wall by shape, which third of it by the transmural potential."""
    centroids = points[cells].mean(axis=1)
    outside = shape.LV_OUTER.level(centroids) > 0.0
    # A left-wall cell is septal where the outward ray ends in the right ventricle rather than on the epicardium.
    septal = ~outside & (shape.RV_INNER.level(shape.LV_OUTER.project(centroids)) < 0.4)
    across = np.where(septal, phi.rv / np.maximum(phi.rv + phi.lv, 1e-9), phi.epi)
    third = np.clip((across * 3.0).astype(np.int32), 0, 2)
    wall = np.where(outside, 1, np.where(septal, 2, 0))
    return (1 + 3 * wall + third).astype(np.int32)


def spatial_order(points: fibres.Floats, bits: int = 10) -> np.ndarray:
    """Order of points along a Morton curve: neighbours in space are neighbours in the file, which compresses well."""
    grid = ((points - points.min(axis=0)) / np.ptp(points, axis=0).max() * (2**bits - 1)).astype(np.int64)
    code = np.zeros(len(points), np.int64)
    for bit in range(bits):
        for axis in range(3):
            code |= ((grid[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(code, kind="stable")


def make(size: float) -> tuple[TetMesh, list[dict]]:
    """The mesh and its stimulus sites at edge length ``size`` [mm]."""
    points, cells, surfaces = shape.tetrahedra(size)
    order = spatial_order(points)
    number = np.argsort(order)
    points, cells = points[order], number[cells]
    surfaces = {name: np.sort(number[nodes]) for name, nodes in surfaces.items()}
    cells = cells[spatial_order(points[cells].mean(axis=1))]
    # The rim belongs to the walls: a valve-plane node on epi, lv or rv keeps that value.
    rest = np.setdiff1d(surfaces["epi"], np.concatenate([surfaces["lv"], surfaces["rv"]]))
    phi = fibres.potentials(points, cells, surfaces | {"epi": rest})
    fibre, sheet = fibres.fibres_and_sheets(phi)
    mesh = TetMesh(
        points,
        cells.astype(np.int32),
        label(points, cells, phi),
        REGIONS,
        fibre.astype(np.float32),
        sheet.astype(np.float32),
    )
    sites = []
    for name, surface, rough, delay in SITES:
        nodes = points[surfaces[surface]]
        nearest = nodes[np.linalg.norm(nodes - np.array(rough), axis=1).argmin()]
        sites.append({"name": name, "position": [round(float(x), 2) + 0.0 for x in nearest], "delay": delay})
    return mesh, sites


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=float, default=0.67, help="edge length in mm")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "biventricular")
    arguments = parser.parse_args()
    mesh, sites = make(arguments.size)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_vtu(arguments.out / "heart.vtu", mesh)
    lines = ",\n".join("    " + json.dumps(site) for site in sites)
    record = f'{{\n  "unit": {{"position": "mm", "delay": "ms"}},\n  "sites": [\n{lines}\n  ]\n}}\n'
    (arguments.out / "stimulus_sites.json").write_text(record)
    print(f"{mesh.n_points} points, {mesh.n_cells} tetrahedra, {mesh.volumes.sum():.0f} mm³")


if __name__ == "__main__":
    main()
