"""HDF5 files that grow while a run goes on: every spike, and rows of values of every cell.

A file is opened for each append and closed after it, so that it can be read, and copied, at any other moment; a process
that is killed leaves it whole (:mod:`workbench.storage.journal`).
Every data set says its ``unit`` in an attribute.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import h5py
import numpy as np

from engines.api import Array
from engines.api.values import CellQuantity, Population, Spikes
from workbench.export.hdf5 import changed, make_hdf5, packed, put, readable
from workbench.storage.atomic import write_atomically
from workbench.storage.zips import add_array, undated

CHUNK = 1 << 14
"""Spikes of a chunk: what a file loses where the last one is written again is small."""
CHUNK_NUMBERS = 1 << 16
"""Numbers of a chunk of cells, at most but for a row of few."""
COPIED = 1 << 20
"""Spikes that are in memory at a time when they are copied into another form."""


class SpikesFile:
    """``spikes.h5``: ``spikes/time`` and ``spikes/neuron``, (k,) each, in the order of time; ``populations/…``: name,
    first neuron, neuron after the last, whether its spikes are here."""

    def __init__(self, path: Path, populations: Sequence[Population], dt: float, unit: str) -> None:
        self.path, self._populations, self._dt, self._unit = path, populations, dt, unit

    def make(self) -> None:
        """Anew and empty. Raises StorageError, as all else."""

        def fill(file: h5py.File) -> None:
            file.attrs["step"] = self._dt
            file.attrs["unit of time"] = self._unit
            for name, kind, unit in (("time", np.float64, self._unit), ("neuron", np.int32, "1")):
                _growing(file, f"spikes/{name}", (0,), (CHUNK,), kind, unit)
            names = [each.name for each in self._populations]
            file.create_dataset("populations/name", data=names, dtype=h5py.string_dtype())
            for name in ("first", "stop"):
                data = file.create_dataset(f"populations/{name}", data=[getattr(p, name) for p in self._populations])
                data.attrs["unit"] = "1"
            file.create_dataset("populations/recorded", data=[each.recorded for each in self._populations])

        make_hdf5(self.path, fill)

    def keep_before(self, time: float) -> None:
        """Forget what was written of ``time`` and after it. Raises ProblemError if the file is damaged."""
        with changed(self.path) as file:
            kept = int(np.searchsorted(file["spikes/time"][:], time - self._dt / 2))
            for name in ("time", "neuron"):
                file[f"spikes/{name}"].resize(kept, axis=0)

    def append(self, found: Sequence[Spikes]) -> None:
        with changed(self.path) as file:
            _append(file["spikes/time"], np.concatenate([each.times for each in found]))
            _append(file["spikes/neuron"], np.concatenate([each.neurons for each in found]))

    def write_npz(self, path: Path) -> None:
        """The same for NumPy: ``times``, ``neurons``, ``names``, ``first``, ``stop``, ``recorded``, ``step``."""

        def write(stream: BinaryIO) -> None:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                for name, data in (("times", file["spikes/time"]), ("neurons", file["spikes/neuron"])):
                    _copy(archive, name, data)
                populations = self._populations
                others = {
                    "names": np.array([each.name for each in populations]),
                    "first": np.array([each.first for each in populations]),
                    "stop": np.array([each.stop for each in populations]),
                    "recorded": np.array([each.recorded for each in populations]),
                    "step": np.array(self._dt),
                }
                for name, values in others.items():
                    add_array(archive, name, values)

        with readable(self.path) as file:
            write_atomically(path, write)


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
            _growing(file, "time", (0,), (self.chunk,), np.float64, self._unit)
            for each in self._quantities:
                shape = (self.chunk, min(self._cells, CHUNK_NUMBERS))
                data = _growing(file, each.name, (0, self._cells), shape, np.float32, each.unit)
                data.attrs["title"] = each.title
            for name, values in parameters.items():
                put(file, f"parameters/{name}", values)

        make_hdf5(self.path, fill)

    def keep_until(self, time: float) -> float | None:
        """Forget the rows after ``time``; when the last that is left was. Raises ProblemError if it is damaged."""
        with changed(self.path) as file:
            times = file["time"][:]
            kept = int(np.searchsorted(times, time + self._dt / 2))
            for name in ("time", *(each.name for each in self._quantities)):
                file[name].resize(kept, axis=0)
            return float(times[kept - 1]) if kept else None

    def append(self, times: Sequence[float], rows: Sequence[Mapping[str, Array]]) -> None:
        """``rows``: a mapping from quantity to (cells,) for each of ``times``."""
        with changed(self.path) as file:
            _append(file["time"], np.asarray(times))
            for each in self._quantities:
                _append(file[each.name], np.stack([row[each.name] for row in rows]))

    def end(self, results: Mapping[str, Array]) -> None:
        """Put what is known at the end beside the rows, by ``group/name [unit]``."""
        with changed(self.path) as file:
            for name, values in results.items():
                put(file, name, values)


def _growing(
    file: h5py.File, name: str, shape: tuple[int, ...], chunk: tuple[int, ...], kind: type, unit: str
) -> h5py.Dataset:
    data = packed(file, name, shape, chunk, kind)
    data.attrs["unit"] = unit
    return data


def _append(data: h5py.Dataset, values: Array) -> None:
    first = len(data)
    data.resize(first + len(values), axis=0)
    data[first:] = values


def _copy(archive: zipfile.ZipFile, name: str, data: h5py.Dataset) -> None:
    """As a member that NumPy reads, part by part."""
    with archive.open(undated(archive, f"{name}.npy"), "w", force_zip64=True) as member:
        head = {"descr": np.lib.format.dtype_to_descr(data.dtype), "fortran_order": False, "shape": data.shape}
        np.lib.format.write_array_header_2_0(member, head)
        for first in range(0, len(data), COPIED):
            member.write(data[first : first + COPIED].tobytes())
