"""From a pack's parameters to a grid of voxels: whose each voxel is, what it holds and what its faces carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.battery.parameters.pack import Arrangement, Pack
from engines.geometry.grid import Grid

MILLIMETRE = 1e-3


@dataclass(frozen=True)
class Body:
    """What conducts. Arrays over voxels are (nz, ny, nx); conductances lie on faces, the outermost ones on the sides.

    capacity:     J/K of each voxel
    conductances: W/K of the faces along x, y and z: (nz, ny, nx + 1), (nz, ny + 1, nx), (nz + 1, ny, nx); on a side
                  from the voxel's centre to what is beyond
    """

    capacity: Array
    conductances: tuple[Array, Array, Array]

    @property
    def fastest(self) -> float:
        """Bound of the fastest rate at which a temperature can relax [1/s] (Gershgorin)."""
        total = np.zeros_like(self.capacity)
        for axis, faces in zip((2, 1, 0), self.conductances, strict=True):
            total += np.take(faces, range(1, faces.shape[axis]), axis)
            total += np.take(faces, range(faces.shape[axis] - 1), axis)
        return float(2 * (total / self.capacity).max())


def body(
    spacing: Sequence[float], capacity: Array, conductivity: Sequence[Array], transfer: Sequence[tuple[float, float]]
) -> Body:
    """A box of voxels of ``spacing`` (x, y, z) [m].

    capacity: (nz, ny, nx) [J/m³/K]; conductivity: along x, y and z, (nz, ny, nx) each [W/m/K]; transfer: heat transfer
    coefficients at the low and high side of x, y and z [W/m²/K]. Half a voxel, face, half a voxel are in series.
    """
    volume = float(np.prod(spacing))
    faces = []
    for axis, h, k, sides in zip((2, 1, 0), spacing, conductivity, transfer, strict=True):
        half = h / (2 * np.moveaxis(k, axis, 0)) / (volume / h)  # K/W from the centre to a face
        between = np.empty((half.shape[0] + 1, *half.shape[1:]))
        between[1:-1] = 1 / (half[1:] + half[:-1])
        for end, coefficient in ((0, sides[0]), (-1, sides[1])):
            area = coefficient * volume / h
            between[end] = area / (1 + half[end] * area)
        faces.append(np.ascontiguousarray(np.moveaxis(between, 0, axis)))
    return Body(capacity * volume, (faces[0], faces[1], faces[2]))


@dataclass(frozen=True)
class Layout:
    """Where a pack's elements are. An element is a segment of a cell with an electrochemistry of its own.

    grid:       in mm
    boxes:      (n, 6) int32: first and last (exclusive) voxel along x, y, z of each element
    owner:      (nz, ny, nx) int32: the element of each voxel; n in the gaps
    cell:       (n,) the cell that each element is a part of; cells run along x first, then y, then z
    gap_voxels: along x, y and z
    """

    grid: Grid
    boxes: Array
    owner: Array
    cell: Array
    gap_voxels: tuple[int, int, int]

    @property
    def n_elements(self) -> int:
        return len(self.boxes)


def counts(pack: Pack) -> tuple[int, int, int]:
    """Cells along x, y and z."""
    arrangement = pack.arrangement
    return arrangement.cells_x, arrangement.cells_y, arrangement.cells_z


def n_cells(pack: Pack) -> int:
    return int(np.prod(counts(pack)))


def segments(pack: Pack) -> int:
    """Elements per cell."""
    return pack.segments_y * pack.segments_z


def grid_of(a: Arrangement) -> tuple[Grid, tuple[int, int, int]]:
    """The grid [mm] and the voxels of a gap along x, y, z."""
    sizes, voxels = (a.thickness, a.width, a.height), (a.voxels_x, a.voxels_y, a.voxels_z)
    spacing = tuple(size / count for size, count in zip(sizes, voxels, strict=True))
    cells = (a.cells_x, a.cells_y, a.cells_z)
    gaps = tuple(round(a.gap / h) if n > 1 else 0 for h, n in zip(spacing, cells, strict=True))
    shape = tuple(n * (v + g) - g for n, v, g in zip(cells, voxels, gaps, strict=True))
    return Grid(shape[::-1], spacing), (gaps[0], gaps[1], gaps[2])


def check_segments(pack: Pack) -> None:
    """Raises ProblemError where segments do not divide the voxels of a cell."""
    a = pack.arrangement
    for name, parts, voxels in (
        ("width", pack.segments_y, a.voxels_y), ("height", pack.segments_z, a.voxels_z),
    ):  # fmt: skip
        if voxels % parts:
            raise ProblemError(
                f"{voxels} voxels along the {name} of a cell are not divided by {parts} segments: "
                f"use a multiple of {parts} voxels."
            )


def layout(pack: Pack, grid: Grid | None = None) -> Layout:
    """``grid``: that of the arrangement, to be used instead of a new one. Raises ProblemError."""
    check_segments(pack)
    a = pack.arrangement
    made, gaps = grid_of(a)
    grid = made if grid is None else grid
    boxes, cells = [], []
    size = (a.voxels_x, a.voxels_y // pack.segments_y, a.voxels_z // pack.segments_z)
    for cell in range(n_cells(pack)):
        place = np.unravel_index(cell, counts(pack)[::-1])[::-1]
        corner = [
            int(i) * (v + g) for i, v, g in zip(place, (a.voxels_x, a.voxels_y, a.voxels_z), gaps, strict=True)
        ]  # fmt: skip
        for part_z in range(pack.segments_z):
            for part_y in range(pack.segments_y):
                low = (corner[0], corner[1] + part_y * size[1], corner[2] + part_z * size[2])
                boxes.append([edge for c, s in zip(low, size, strict=True) for edge in (c, c + s)])
                cells.append(cell)
    owner = np.full(grid.shape, len(boxes), np.int32)
    for element, (x0, x1, y0, y1, z0, z1) in enumerate(boxes):
        owner[z0:z1, y0:y1, x0:x1] = element
    return Layout(grid, np.array(boxes, np.int32), owner, np.array(cells), gaps)


def body_of(pack: Pack, where: Layout) -> Body:
    """What the pack's voxels hold and conduct. A gap thinner than half a voxel is left out."""
    material, cooling = pack.material, pack.cooling
    inside = where.owner < where.n_elements
    capacity = np.where(inside, material.heat_capacity, material.gap_heat_capacity)
    through = np.where(inside, material.conductivity_through, material.gap_conductivity)
    along = np.where(inside, material.conductivity_in_plane, material.gap_conductivity)
    spacing = [h * MILLIMETRE for h in where.grid.spacing]
    transfer = ((cooling.ends,) * 2, (cooling.sides,) * 2, (cooling.plate, cooling.top))
    return body(spacing, capacity, (through, along, along), transfer)
