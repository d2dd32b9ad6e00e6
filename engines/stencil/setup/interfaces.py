"""Materials whose interfaces pass through cells: each face conducts as what lies between its two cells' centres.

From centre to centre resistances add up, so along that line k is averaged harmonically; what lies side by side conducts
beside each other, so across it the average is arithmetic. A plane interface across an axis is then exact wherever it
lies. Where one is oblique the order of both averages matters: lines side by side conduct too little, slices in series
too much. The former suits inclusions that conduct well, the latter those that do not (measured against the series of
Perrins, McKenzie and McPhedran, doi 10.1098/rspa.1979.0160, for discs of 0.01 to 100 in a square: 10 cells a radius are
within 1.5 %, where cells of one material each were off by up to 3 % either way; of first order). Pixels of a picture do
not say which material encloses the other: both means are taken (2.3 % for a disc of 0.01).
"""

from __future__ import annotations

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.geometry.grid import Grid
from engines.quantities import percent
from engines.stencil.parameters import Inclusion, Inclusions, TwoLayers
from engines.stencil.setup.faces import Interfaces, face_coefficients
from engines.stencil.setup.pictures import averaged
from engines.stencil.setup.sides import Ghosts

RESOLVED, ERROR = 10, 0.015
"""Cells of a radius from which a round inclusion is well resolved, and how far its conduction is then off at most."""
SAMPLES = {2: 8, 3: 4}
"""Points along each axis between two centres at which a curved interface is sampled, by dimensions."""


def layered(setting: TwoLayers, grid: Grid, ghosts: Ghosts) -> Interfaces:
    """Exact for the plane that parts the layers."""
    axis, factor = "xyz".index(setting.axis), setting.factor
    n = grid.counts[axis]
    plane = setting.position * n

    def beyond(low: Array, high: Array) -> Array:
        """Part of low … high [cells] that is of the second layer."""
        return np.clip((high - np.maximum(low, plane)) / (high - low), 0.0, 1.0)

    def in_series(part: Array) -> Array:
        return np.asarray(1.0 / (1.0 - part + part / factor))

    edges = np.arange(n + 1.0)
    part = beyond(edges[:-1], edges[1:])
    cells = 1.0 - part + part * factor
    ends = beyond(np.array([0.0, n - 0.5]), np.array([0.5, float(n)]))
    if ghosts[axis][0].wraps:
        ends[:] = ends.mean()
    else:
        cells[[0, -1]] = in_series(ends)
    inner = beyond(edges[:-2] + 0.5, edges[1:-1] + 0.5)
    along = np.concatenate([in_series(ends[:1]), in_series(inner), in_series(ends[1:])])
    dimension = grid.dimensions - 1 - axis
    faces = []
    for other in range(grid.dimensions):
        shape = list(grid.shape)
        shape[grid.dimensions - 1 - other] += 1
        faces.append(np.broadcast_to(_along(along if other == axis else cells, dimension, grid), shape))
    return Interfaces(np.broadcast_to(_along(cells, dimension, grid), grid.shape), tuple(faces))


def coarse_inclusions(setting: Inclusions, grid: Grid) -> tuple[Finding, ...]:
    """Of the smallest inclusion, where its radius is a few cells."""
    radii = [each.radius for each in setting.inclusions]
    cells = min(radii, default=np.inf) / max(grid.spacing)
    if cells >= RESOLVED:
        return ()
    place = ("equation", "conductivity", "inclusions", radii.index(min(radii)), "radius")
    text = f"The radius of {min(radii):g} mm is {cells:.2g} cells: what the inclusion conducts may be "
    advice = f"{percent(ERROR * RESOLVED / cells)} off; {RESOLVED} cells and more are within {percent(ERROR)}."
    return (Finding(text + advice, place=place, remedy=_refined(grid, RESOLVED / cells)),)


def _refined(grid: Grid, times: float) -> Remedy:
    counts = {name: int(np.ceil(count * times)) for name, count in zip("xyz", grid.counts, strict=False)}
    shown = " × ".join(f"{count:,}" for count in counts.values())
    return Remedy(f"Use {shown} cells", {("grid", f"cells_{name}"): count for name, count in counts.items()})


def _along(values: Array, dimension: int, grid: Grid) -> Array:
    shape = [1] * grid.dimensions
    shape[dimension] = len(values)
    return values.reshape(shape)


def enclosed(setting: Inclusions, at_centres: Array, grid: Grid, ghosts: Ghosts) -> Interfaces:
    """Discs or balls. at_centres: (grid.shape) k at the cells' centres, which holds where no interface is near"""
    cells = np.array(at_centres, float)
    faces = [np.array(face) for face in face_coefficients(cells, ghosts)]
    near = np.nonzero(_near(setting, grid, -1))
    cells[near] = _sampled(setting, grid, near, -1).mean(axis=(1, 2))
    for axis, face in enumerate(faces):
        dimension = grid.dimensions - 1 - axis
        passed, wraps = _near(setting, grid, axis), ghosts[axis][0].wraps
        if wraps:  # the first face and the last are the same
            ends = np.moveaxis(passed, dimension, 0)
            ends[0] = ends[-1] = ends[0] | ends[-1]
        near = np.nonzero(passed)
        k = _sampled(setting, grid, near, axis)
        if wraps:
            first, last, half = near[dimension] == 0, near[dimension] == grid.counts[axis], k.shape[2] // 2
            k[first] = k[last] = np.concatenate([k[last][..., :half], k[first][..., half:]], axis=2)
        face[near] = _conducted(k)
        if not wraps:  # as everywhere at sides, those of the cell
            ends = np.moveaxis(face, dimension, 0)
            ends[0], ends[-1] = np.take(cells, 0, dimension), np.take(cells, -1, dimension)
    return Interfaces(cells, tuple(faces))


def pictured(k: Array, grid: Grid, ghosts: Ghosts) -> Interfaces:
    """Pixels, each of one material. k: (rows, columns), as many as cells and more

    Of slices in series and lines side by side the geometric mean: where layers lie along an axis all are the same.
    """
    nx, ny = grid.counts[:2]
    cells = averaged(averaged(k, nx, 1), ny, 0)
    faces = [_across(k, ny, nx, ghosts[0][0].wraps), _across(k.T, nx, ny, ghosts[1][0].wraps).T]
    for axis, face in enumerate(faces):
        if not ghosts[axis][0].wraps:
            at_side, held = np.moveaxis(cells, 1 - axis, 0), np.moveaxis(face, 1 - axis, 0)
            at_side[0], at_side[-1] = held[0], held[-1]
    if grid.dimensions == 3:
        faces.append(cells)
    shapes = [list(grid.shape) for _ in faces]
    for axis, shape in enumerate(shapes):
        shape[grid.dimensions - 1 - axis] += 1
    broad = [np.broadcast_to(face, shape) for face, shape in zip(faces, shapes, strict=True)]
    return Interfaces(np.broadcast_to(cells, grid.shape), tuple(broad))


def _across(k: Array, along_first: int, along_second: int, wraps: bool) -> Array:
    """(along_first, along_second + 1) of the faces across the second axis of ``k``, between centres of cells."""

    def conducted(resistivity: Array) -> Array:
        """Of halves of cells in series."""
        halves = averaged(resistivity, 2 * along_second, 1)
        inner = 0.5 * (halves[:, 1:-1:2] + halves[:, 2::2])
        low, high = halves[:, :1], halves[:, -1:]
        if wraps:
            low = high = 0.5 * (low + high)
        return np.asarray(1.0 / np.concatenate([low, inner, high], axis=1))

    lines = averaged(conducted(1.0 / k), along_first, 0)
    slices = conducted(1.0 / averaged(k, along_first, 0))
    return np.sqrt(lines * slices)


def _conducted(k: Array) -> Array:
    """(places,) from k: (places, lines, points of a line)."""
    lines = (1.0 / (1.0 / k).mean(axis=2)).mean(axis=1)
    slices = 1.0 / (1.0 / k.mean(axis=1)).mean(axis=1)
    insulating, conducting = k.min(axis=(1, 2)) < 1.0, k.max(axis=(1, 2)) > 1.0
    either = np.where(insulating, slices, lines)
    return np.where(insulating & conducting, np.sqrt(lines * slices), either)


def _middles(grid: Grid, axis: int) -> list[Array]:
    """Places along x, y (and z) of the faces across an axis, or of cells (−1) [mm]; each broadcasts over them."""
    found = []
    for number, (count, h) in enumerate(zip(grid.counts, grid.spacing, strict=True)):
        places = np.arange(count + 1) * h if number == axis else (np.arange(count) + 0.5) * h
        found.append(_along(places, grid.dimensions - 1 - number, grid))
    return found


def _near(setting: Inclusions, grid: Grid, axis: int) -> Array:
    """Whether an interface may pass through the surroundings of each face across an axis, or of each cell."""
    middles, reach = _middles(grid, axis), float(np.linalg.norm(grid.spacing)) / 2
    passed = np.zeros(np.broadcast_shapes(*(each.shape for each in middles)), bool)
    for each in setting.inclusions:
        square = sum((x - c) ** 2 for x, c in zip(middles, each.center, strict=False))
        passed |= abs(np.sqrt(square) - each.radius) <= reach
    return passed


def _sampled(setting: Inclusions, grid: Grid, near: tuple[Array, ...], axis: int) -> Array:
    """(places, lines, points of a line) k in the boxes of a cell's size around faces or cells; lines are along the
    axis."""
    points = SAMPLES[grid.dimensions]
    offsets = (np.arange(points) + 0.5) / points - 0.5
    order = [number for number in range(grid.dimensions) if number != axis]
    order = [*order[: grid.dimensions - 1], axis if axis >= 0 else grid.dimensions - 1]
    mesh = dict(zip(order, np.meshgrid(*[offsets] * grid.dimensions, indexing="ij"), strict=True))
    middles = [middle.ravel()[near[grid.dimensions - 1 - k]] for k, middle in enumerate(_middles(grid, axis))]
    places = [at[:, None] + mesh[k].ravel() * grid.spacing[k] for k, at in enumerate(middles)]
    values = np.ones((len(near[0]), points**grid.dimensions))
    for each in setting.inclusions:
        (around,) = np.nonzero(_inside(each, middles, float(np.linalg.norm(grid.spacing)) / 2))
        values[around] = np.where(_inside(each, [at[around] for at in places]), each.factor, values[around])
    return values.reshape(len(values), points ** (grid.dimensions - 1), points)


def _inside(inclusion: Inclusion, places: list[Array], farther: float = 0.0) -> Array:
    square = sum((x - c) ** 2 for x, c in zip(places, inclusion.center, strict=False))
    return np.asarray(square <= (inclusion.radius + farther) ** 2)
