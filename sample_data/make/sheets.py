"""Make the flat sample meshes, a sheet, one with a scar, one with an ischaemic zone.

python -m sample_data.make.sheets
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.geometry.meshes.mesh import TetMesh
from sample_data.make.slab import slab
from sample_data.make.vtu import write_vtu

SPIRAL = (60.0, 60.0, 0.6)
SCARRED = (30.0, 20.0, 1.0)
ISCHAEMIC = (25.0, 25.0, 1.0)


def spiral_sheet() -> TetMesh:
    """60 × 60 mm, one layer of cubes of 0.6 mm."""
    return _named(slab(SPIRAL, 0.6), {1: "sheet"})


def scarred_slab() -> TetMesh:
    """30 × 20 × 1 mm at 0.5 mm: an oval scar, split by an isthmus 2 mm wide along the fibres, and a border zone
    of 1.5 mm around both halves, which fills the isthmus."""
    mesh = slab(SCARRED, 0.5)
    x, y = mesh.centroids[:, 0] - 15.0, mesh.centroids[:, 1] - 10.0
    scar = _oval(x, y, 7.0, 6.0) & (np.abs(y) > 1.0)
    border = _oval(x, y, 8.5, 7.5) & ~scar
    regions = 1 + border + 2 * scar
    return _named(replace(mesh, regions=regions.astype(np.int32)), {1: "healthy", 2: "border", 3: "scar"})


def ischaemic_slab() -> TetMesh:
    """25 × 25 × 1 mm at 0.5 mm: a disc of 8 mm radius is ischaemic."""
    mesh = slab(ISCHAEMIC, 0.5)
    inside = _oval(mesh.centroids[:, 0] - 12.5, mesh.centroids[:, 1] - 12.5, 8.0, 8.0)
    return _named(replace(mesh, regions=(1 + inside).astype(np.int32)), {1: "healthy", 2: "ischaemic"})


def _oval(x: Array, y: Array, half_length: float, half_width: float) -> Array:
    return np.asarray((x / half_length) ** 2 + (y / half_width) ** 2 <= 1.0)


def _named(mesh: TetMesh, names: dict[int, str]) -> TetMesh:
    return replace(mesh, region_names=names)


MESHES = {"spiral_wave": spiral_sheet, "scarred_slab": scarred_slab, "ischaemic_zone": ischaemic_slab}


def main() -> None:
    for name, made in MESHES.items():
        path = Path(__file__).parents[1] / name / "sheet.vtu"
        path.parent.mkdir(parents=True, exist_ok=True)
        mesh = made()
        write_vtu(path, mesh)
        print(f"{name}: {mesh.n_cells} tetrahedra, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
