"""Make slab meshes: ``python -m sample_data.make.slab [--size X Y Z] [--dx MM] [--out FILE]``.

Without arguments both sample slabs are written: the benchmark slab of Niederer et al. 2011 (Phil Trans R Soc A
369:4331; 20 × 7 × 3 mm, fibres along the long edge) at 0.5 mm and a small one for tests. The finer benchmark
meshes: ``--dx 0.2 --out slab_0.2.vtu`` (315,000 tetrahedra), ``--dx 0.1`` (2,520,000).
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from sample_data.make.vtu import write_vtu

NIEDERER = (20.0, 7.0, 3.0)
SMALL = (10.0, 5.0, 2.0)


def slab(size: tuple[float, float, float], dx: float) -> TetMesh:
    """A box from the origin to ``size`` [mm], its cubes of edge ``dx`` cut into six tetrahedra each (Kuhn).

    Fibres lie along x, sheets along y. Raises ValueError where ``dx`` does not divide an edge.
    """
    counts = np.rint(np.array(size) / dx).astype(int)
    if np.abs(counts * dx - np.array(size)).max() > 1e-9 * max(size):
        raise ValueError(f"dx = {dx} mm does not divide the slab's edges {size} mm; take a divisor of each.")
    mesh = box_mesh(counts.tolist(), size)
    sheets = np.tile(np.array([0, 1, 0], np.float32), (mesh.n_cells, 1))
    return replace(mesh, regions=np.ones(mesh.n_cells, np.int32), region_names={1: "slab"}, sheets=sheets)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=float, nargs=3, default=NIEDERER, help="edges in mm")
    parser.add_argument("--dx", type=float, default=0.5, help="edge of the cubes in mm")
    parser.add_argument("--out", type=Path, help="file to write; without it both sample slabs are made")
    arguments = parser.parse_args()
    samples = Path(__file__).parents[1]
    jobs = [(arguments.size, arguments.dx, arguments.out)]
    if arguments.out is None:
        jobs = [(NIEDERER, 0.5, samples / "niederer_slab/slab.vtu"), (SMALL, 0.5, samples / "small_slab/slab.vtu")]
    for size, dx, path in jobs:
        mesh = slab(tuple(size), dx)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_vtu(path, mesh)
        print(f"{path.name}: {mesh.n_points} points, {mesh.n_cells} tetrahedra, {mesh.volumes.sum():g} mm³")


if __name__ == "__main__":
    main()
