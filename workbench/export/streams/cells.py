"""Rows of values of every cell as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import h5py
import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.values import CellQuantity
from workbench.export.hdf5 import UNNAMED, Dims, changed, make_hdf5, name_axes, put, readable
from workbench.export.streams.growing import append, growing

CHUNK_NUMBERS = 1 << 16
"""Numbers of a chunk of cells, at most but for a row of few."""


class CellsFile:
    """``cells.h5``: ``time`` (rows,), each quantity (rows, cells), ``parameters/…`` (cells,) that differ among cells,
    and at the end what is known of whole cycles and of each cell's end."""

    def __init__(self, path: Path, quantities: Sequence[CellQuantity], cells: int, dt: float, unit: str) -> None:
        self.path, self._quantities, self._dt, self._unit = path, quantities, dt, unit
        self._cells = cells
        self.chunk = max(1, min(256, CHUNK_NUMBERS // cells))
        """Rows that are best appended at a time."""

    def make(self, parameters: Mapping[str, Array]) -> None:
        """Anew and empty, but for ``parameters`` by ``name [unit]``. Raises StorageError, as all else."""

        def fill(file: h5py.File) -> None:
            growing(file, "time", (0,), (self.chunk,), np.float64, self._unit)
            for each in self._quantities:
                shape = (self.chunk, min(self._cells, CHUNK_NUMBERS))
                data = growing(file, each.name, (0, self._cells), shape, np.float32, each.unit)
                data.attrs["title"] = each.title
            for name, values in parameters.items():
                put(file, f"parameters/{name}", values)
            rows: Dims = {each.name: (("time", "time"), ("cell", "")) for each in self._quantities}
            drawn: Dims = {f"parameters/{name.partition(' [')[0]}": (("cell", ""),) for name in parameters}
            name_axes(file, {"time": (("time", "time"),), **rows, **drawn})

        make_hdf5(self.path, fill)

    def check(self) -> None:
        """Raises ProblemError where the file is of other cells, or damaged."""
        with readable(self.path) as file:
            names = {each.name for each in self._quantities}
            rows = {
                name: each.shape for name, each in file.items() if isinstance(each, h5py.Dataset) and name != "time"
            }
            if rows.keys() != names or {shape[1:] for shape in rows.values()} != {(self._cells,)}:
                now = dict.fromkeys(names, (0, self._cells))
                raise ProblemError(
                    f"'{self.path}' has {_told(rows)}, this run writes {_told(now)}: "
                    "resume with recording.cells and what is recorded of each as they were, or run without --resume."
                )

    def keep_until(self, time: float, every: int) -> int:
        """Forget the rows after ``time``, and the last where that is of an end between two looks, which come ``every``
        so many steps; the step of the last that is left, −1 without one. Raises ProblemError if it is damaged."""
        with changed(self.path) as file:
            times, names = file["time"][:], [each.name for each in self._quantities]
            if {len(file[name]) for name in names} != {len(times)} or not (np.diff(times) >= 0).all():
                raise ValueError("rows of other times, or in no order")
            steps = np.rint(times[times < time + self._dt / 2] / self._dt).astype(int)
            steps = steps[:-1] if len(steps) and steps[-1] % every else steps
            for name in ("time", *names):
                file[name].resize(len(steps), axis=0)
            return int(steps[-1]) if len(steps) else -1

    def append(self, times: Sequence[float], rows: Sequence[Mapping[str, Array]]) -> None:
        """``rows``: a mapping from quantity to (cells,) for each of ``times``."""
        with changed(self.path) as file:
            append(file["time"], np.asarray(times))
            for each in self._quantities:
                append(file[each.name], np.stack([row[each.name] for row in rows]))

    def end(self, results: Mapping[str, Array], dims: Dims = UNNAMED) -> None:
        """Put what is known at the end beside the rows, by ``group/name [unit]``, and what it is over."""
        with changed(self.path) as file:
            for name, values in results.items():
                put(file, name, values)
            name_axes(file, dims)


def _told(rows: Mapping[str, tuple[int, ...]]) -> str:
    """``temperature, voltage of 4 cells``"""
    counts = sorted({shape[1] for shape in rows.values() if len(shape) > 1})
    return f"{', '.join(sorted(rows))} of {' and '.join(map(str, counts))} cells"
