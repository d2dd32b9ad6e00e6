"""Fields over time in one VTKHDF file, which ParaView 5.12 and VTK 9.3 open: compressed, and longer with each moment.

Format: VTK documentation, "VTKHDF file format", version 2.0: ``Steps`` says when each moment is and at which row of
each array it begins. Uniform grids are ImageData; meshes, particles and the cells of graded grids are UnstructuredGrid,
which stands once in the file. Arrays bear the unit in their name, with "per" for a stroke, and as an attribute.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from engines.api import Array, FieldInfo, Simulation
from engines.geometry.grid import Grid
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.particles import Particles
from workbench.export.formats import split_by_location
from workbench.export.hdf5 import changed, make_hdf5, packed, readable
from workbench.export.moments.sink import fields_at, other_fields
from workbench.storage.atomic import sync

FILE = "fields.vtkhdf"
VERSION = (2, 0)
VERTEX, TETRA, PIXEL, VOXEL = 1, 10, 8, 11
CHUNK_BYTES = 1 << 20
ROWS = 256
"""Of a chunk of what there is one of a moment."""


class VtkHdf:
    """``fields.vtkhdf`` in ``folder``."""

    regular = False
    names: Sequence[str] = ()

    def __init__(self, folder: Path, geometry: Any, fields: Sequence[FieldInfo], precision: str) -> None:
        self.path = folder / FILE
        self._geometry, self._fields, self._precision = geometry, tuple(fields), precision
        self._image = isinstance(geometry, Grid) and geometry.lines is None

    def make(self) -> None:
        def fill(file: h5py.File) -> None:
            root = file.create_group("VTKHDF")
            root.attrs["Version"] = np.array(VERSION, np.int64)
            root.attrs["Type"] = np.bytes_("ImageData" if self._image else "UnstructuredGrid")
            steps = root.create_group("Steps")
            steps.attrs["NSteps"] = np.int64(0)
            _rows(steps, "Values", np.float64)
            if self._image:
                _put_image(root, self._geometry)
            else:
                _put_cells(root, self._geometry)

        make_hdf5(self.path, fill)

    def times(self) -> list[float]:
        if not self.path.is_file():
            return []
        with readable(self.path) as file:
            values = file["VTKHDF/Steps/Values"]
            if values.nbytes > self.path.stat().st_size:
                raise ValueError(f"{len(values)} moments")  # of which a few bytes may tell
            return [float(time) for time in values[:]]

    def check(self) -> None:
        if self.path.is_file():
            with readable(self.path) as file:
                if len(file["VTKHDF/Steps/Values"]) and self._names() != _written(file["VTKHDF"]):
                    raise other_fields(self.path)

    def keep(self, count: int) -> None:
        if not self.path.is_file():
            self.make()
            return
        with changed(self.path) as file:
            steps = file["VTKHDF/Steps"]
            for section in ("PointData", "CellData"):
                for name in steps.get(f"{section}Offsets", ()):
                    offsets = steps[f"{section}Offsets/{name}"]
                    if not file[f"VTKHDF/{section}/{name}"].attrs.get("static", False) and count < len(offsets):
                        file[f"VTKHDF/{section}/{name}"].resize(int(offsets[count]), axis=0)
            for data in _datasets(steps):
                data.resize(count, axis=0)
            steps.attrs["NSteps"] = np.int64(count)

    def take(self, simulation: Simulation) -> Mapping[str, Array]:
        return fields_at(simulation, self._fields, self._precision)

    def append(self, step: int, time: float, values: Mapping[str, Array]) -> None:
        cells, points = split_by_location(self._fields, values)
        if isinstance(self._geometry, Particles):  # what a sphere has is at its one point
            cells, points = {}, cells | points
        with changed(self.path) as file:
            root = file["VTKHDF"]
            steps = root["Steps"]
            count = int(steps.attrs["NSteps"])
            for section, given in (("CellData", cells), ("PointData", points)):
                for name, column in given.items():
                    data, offset = self._place(root, section, name, column, count)
                    if self._image:
                        data[offset] = column.reshape(data.shape[1:])
                    else:
                        data[offset : offset + len(column)] = column
            for data in _datasets(steps):
                if len(data) == count:  # a static array begins at 0 in every moment
                    data.resize(count + 1, axis=0)
            steps["Values"][count] = time
            if not self._image:
                steps["NumberOfParts"][count] = 1
            steps.attrs["NSteps"] = np.int64(count + 1)

    def _place(self, root: h5py.Group, section: str, name: str, column: Array, count: int) -> tuple[h5py.Dataset, int]:
        """Room for one moment of an array, and where it begins: with a chunk of its own, so none is written twice."""
        steps, shown = root["Steps"], array_name(name)
        home = root.require_group(section)
        if shown not in home:
            shape, chunk = self._layout(column)
            data = packed(home, shown, (0, *shape), chunk, column.dtype)
            data.attrs["unit"] = name.rpartition(" [")[2].rstrip("]") if name.endswith("]") else ""
            offsets = _rows(steps, f"{section}Offsets/{shown}", np.int64)
            offsets.resize(count, axis=0)
        data, offsets = home[shown], steps[f"{section}Offsets/{shown}"]
        rows = 1 if self._image else -(-len(column) // data.chunks[0]) * data.chunks[0]
        offset = len(data)
        data.resize(offset + rows, axis=0)
        offsets.resize(count + 1, axis=0)
        offsets[count] = offset
        return data, offset

    def _layout(self, column: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Shape behind the first axis, and the chunk with it."""
        width = column.itemsize * (column.shape[1] if column.ndim == 2 else 1)
        more = column.shape[1:]
        if not self._image:
            parts = max(1, -(-len(column) * width // CHUNK_BYTES))
            return more, (-(-len(column) // parts), *more)
        first, *rest = self._geometry.shape  # a flat grid is an image of two axes
        slab = max(1, min(first, CHUNK_BYTES // (width * math.prod(rest))))
        return (first, *rest, *more), (1, slab, *rest, *more)

    def last(self, simulation: Simulation) -> None: ...

    def sync(self) -> None:
        sync(self.path)

    def _names(self) -> set[str]:
        empty = {each.name: np.zeros((0, each.components), np.float32) for each in self._fields}
        cells, points = split_by_location(self._fields, empty)
        return {array_name(name) for name in (*cells, *points)}


def array_name(name: str) -> str:
    """A name in HDF5, where strokes make groups."""
    return name.replace("/", " per ")


def _written(root: h5py.Group) -> set[str]:
    """Names of the arrays that change."""
    sections = [root[name] for name in ("PointData", "CellData") if name in root]
    return {name for each in sections for name, data in each.items() if not data.attrs.get("static", False)}


def _rows(group: h5py.Group, name: str, kind: type, shape: tuple[int, ...] = ()) -> h5py.Dataset:
    return group.create_dataset(name, (0, *shape), kind, chunks=(ROWS, *shape), maxshape=(None, *shape))


def _datasets(group: h5py.Group) -> Iterator[h5py.Dataset]:
    for each in group.values():
        if isinstance(each, h5py.Group):
            yield from _datasets(each)
        else:
            yield each


def _put_image(root: h5py.Group, grid: Grid) -> None:
    counts = [*grid.counts, 0][:3]
    root.attrs["WholeExtent"] = np.array([each for count in counts for each in (0, count)], np.int64)
    root.attrs["Origin"] = np.array(grid.origin, float)
    root.attrs["Spacing"] = np.array([*grid.spacing, 1.0][:3], float)
    root.attrs["Direction"] = np.eye(3).ravel()
    root.attrs["length unit"] = grid.length_unit


def _put_cells(root: h5py.Group, geometry: Any) -> None:
    """Points, cells and what does not change on them."""
    static: dict[str, dict[str, Array]] = {"CellData": {}, "PointData": {}}
    if isinstance(geometry, TetMesh):
        points, corners, kind = geometry.points, geometry.cells, TETRA
        static["CellData"]["region"] = geometry.regions.astype(np.int32)
        named = (("fibres", geometry.fibres), ("sheets", geometry.sheets))
        static["CellData"] |= {name: vectors for name, vectors in named if vectors is not None}
    elif isinstance(geometry, Particles):
        points, corners, kind = geometry.positions, np.arange(geometry.n_cells)[:, None], VERTEX
        static["PointData"][f"radius [{geometry.length_unit}]"] = geometry.radii
    else:
        points, corners = _cells_of_lines(geometry)
        kind = VOXEL if geometry.dimensions == 3 else PIXEL
    n = len(corners)
    put = partial(root.create_dataset, compression="gzip", compression_opts=1, shuffle=True, chunks=True)
    for name, count in (("Points", len(points)), ("Cells", n), ("ConnectivityIds", corners.size)):
        root.create_dataset(f"NumberOf{name}", data=np.array([count], np.int64))
    put("Points", data=np.asarray(points))
    put("Connectivity", data=corners.ravel().astype(np.int64))
    put("Offsets", data=np.arange(n + 1, dtype=np.int64) * corners.shape[1])
    put("Types", data=np.full(n, kind, np.uint8))
    steps = root["Steps"]
    for name in ("PartOffsets", "NumberOfParts", "PointOffsets"):
        _rows(steps, name, np.int64)
    for name in ("CellOffsets", "ConnectivityIdOffsets"):
        _rows(steps, name, np.int64, (1,))
    for section, arrays in static.items():
        for name, values in arrays.items():
            put(f"{section}/{array_name(name)}", data=values).attrs["static"] = True
            _rows(steps, f"{section}Offsets/{array_name(name)}", np.int64)
    root.attrs["length unit"] = geometry.length_unit


def _cells_of_lines(grid: Grid) -> tuple[Array, Array]:
    """(n, 3) points and (cells, 4 or 8) corners of a graded grid, x fastest."""
    assert grid.lines is not None
    lines = [*grid.lines, np.array(grid.origin[2:])][:3]
    z, y, x = np.meshgrid(*lines[::-1], indexing="ij")
    numbers = np.arange(x.size).reshape(x.shape)
    flat = grid.dimensions == 2
    shifts = [(k, j, i) for k in range(1 if flat else 2) for j in range(2) for i in range(2)]
    shape = (1, *grid.shape)[-3:]
    corners = [numbers[k : k + shape[0], j : j + shape[1], i : i + shape[2]].ravel() for k, j, i in shifts]
    return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1), np.stack(corners, axis=1)
