"""Every spike as a file that grows, and the same for NumPy."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import h5py
import numpy as np

from engines.api.errors import ProblemError
from engines.api.values import Population, Spikes
from workbench.export.hdf5 import changed, make_hdf5, readable
from workbench.export.streams.growing import append, growing
from workbench.storage.atomic import write_atomically
from workbench.storage.zips import add_array, undated

CHUNK = 1 << 14
"""Spikes of a chunk: what a file loses where the last one is written again is small."""
AS_BEFORE = "resume with recording.spikes and recording.populations as they were, or run without --resume."
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
                growing(file, f"spikes/{name}", (0,), (CHUNK,), kind, unit)
            names = [each.name for each in self._populations]
            file.create_dataset("populations/name", data=names, dtype=h5py.string_dtype())
            for name in ("first", "stop"):
                data = file.create_dataset(f"populations/{name}", data=[getattr(p, name) for p in self._populations])
                data.attrs["unit"] = "1"
            file.create_dataset("populations/recorded", data=[each.recorded for each in self._populations])

        make_hdf5(self.path, fill)

    def check(self) -> None:
        """Raises ProblemError where the file is of other populations, or damaged."""
        with readable(self.path) as file:
            names, recorded = file["populations/name"].asstr()[:], file["populations/recorded"][:]
            before, now = [*names[recorded]], [each.name for each in self._populations if each.recorded]
            if before != now:
                raise ProblemError(
                    f"'{self.path}' has spikes of {_told(before)}, this run writes {_told(now)}: {AS_BEFORE}"
                )

    def keep_before(self, time: float) -> None:
        """Forget what was written of ``time`` and after it. Raises ProblemError if the file is damaged."""
        with changed(self.path) as file:
            kept = _spikes_before(file["spikes/time"], file["spikes/neuron"], time - self._dt / 2)
            for name in ("time", "neuron"):
                file[f"spikes/{name}"].resize(kept, axis=0)

    def append(self, found: Sequence[Spikes]) -> None:
        with changed(self.path) as file:
            append(file["spikes/time"], np.concatenate([each.times for each in found]))
            append(file["spikes/neuron"], np.concatenate([each.neurons for each in found]))

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


def _told(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "nobody"


def _spikes_before(times: h5py.Dataset, neurons: h5py.Dataset, time: float) -> int:
    """How many there are before ``time``. Raises ValueError where they are in no order, or of no neurons: what goes on
    from there would be told as right."""
    if times.shape != neurons.shape:
        raise ValueError(f"{times.shape} times of {neurons.shape} neurons")
    latest, before = -np.inf, 0
    for first in range(0, len(times), COPIED):
        part = times[first : first + COPIED]
        if not (part[0] >= latest and (np.diff(part) >= 0).all()):  # nor any NaN
            raise ValueError("spikes in no order")
        latest, before = part[-1], before + int(np.searchsorted(part, time))
    return before


def _copy(archive: zipfile.ZipFile, name: str, data: h5py.Dataset) -> None:
    """As a member that NumPy reads, part by part."""
    with archive.open(undated(archive, f"{name}.npy"), "w", force_zip64=True) as member:
        head = {"descr": np.lib.format.dtype_to_descr(data.dtype), "fortran_order": False, "shape": data.shape}
        np.lib.format.write_array_header_2_0(member, head)
        for first in range(0, len(data), COPIED):
            member.write(data[first : first + COPIED].tobytes())
