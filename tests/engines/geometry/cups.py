"""Meshes of hearts whose potentials are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh

INNER, OUTER = 10.0, 16.0


def cup(across: int = 20, through: int = 5, centre: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> TetMesh:
    """A hemispherical shell between radii INNER and OUTER [mm], open at its base in the plane z = centre z.

    A box is bent: its square onto a disk of equal rings (P. Shirley & K. Chiu 1997), the disk onto the hemisphere.
    """
    mesh = box_mesh((across, across, through), (2.0, 2.0, 1.0), fibre=None)
    u, v = mesh.points[:, 0] - 1.0, mesh.points[:, 1] - 1.0
    wide = np.abs(u) >= np.abs(v)
    ring = np.where(wide, u, v)
    other = np.where(wide, v, u)
    turn = np.pi / 4 * np.divide(other, ring, out=np.zeros_like(ring), where=ring != 0)
    angle = np.where(wide, turn, np.pi / 2 - turn)
    polar = np.abs(ring) * np.pi / 2
    azimuth = angle + np.where(ring < 0, np.pi, 0.0)
    radius = INNER + (OUTER - INNER) * mesh.points[:, 2]
    points = (
        np.stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), -np.cos(polar)], axis=1)
        * radius[:, None]
    )
    points[np.abs(ring) == 1.0, 2] = 0.0
    bent = replace(mesh, points=points + np.array(centre))
    cells = bent.cells.copy()
    inverted = bent.volumes < 0
    cells[inverted, 2], cells[inverted, 3] = bent.cells[inverted, 3], bent.cells[inverted, 2]
    # where the square's corners lie in the base, cells are flat in it: they go, and no point of theirs alone stays
    solid = np.abs(bent.volumes) > 1e-9
    used, cells = np.unique(cells[solid], return_inverse=True)
    return replace(
        bent, points=bent.points[used], cells=cells.reshape(-1, 4).astype(np.int32), regions=mesh.regions[solid]
    )


def joined(first: TetMesh, second: TetMesh) -> TetMesh:
    """Two meshes as one that is in two pieces."""
    return TetMesh(
        np.concatenate([first.points, second.points]),
        np.concatenate([first.cells, second.cells + first.n_points]),
        np.concatenate([first.regions, second.regions]),
        first.region_names,
    )
