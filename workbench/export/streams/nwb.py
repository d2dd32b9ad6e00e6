"""Spike trains as NWB (Neurodata Without Borders), by PyNWB, which the extra ``nwb`` installs."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import h5py
import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.values import Population
from workbench import __version__
from workbench.export.hdf5 import readable
from workbench.storage.atomic import write_atomically

SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
"""NWB's times are in seconds."""
MOST_NEURONS, LONGEST_NAME = 10_000_000, 200
"""Of a file, and letters of a population: each neuron is told with its population's name."""


def write_nwb(
    path: Path,
    times: Array,
    neurons: Array,
    populations: Sequence[Population],
    *,
    unit: str,
    about: str,
    step: float | None = None,
    made: datetime | None = None,
) -> None:
    """Atomically write a table ``units``: a row for each neuron of the recorded ``populations``, silent ones too, with
    its number as ``id``, its spike times [s] in their order, and the name of its population.

    times, neurons: (k,) in the order of time, times and ``step`` in ``unit``. All spikes are in memory here, 32 bytes
    each. Raises StorageError, and ProblemError where PyNWB is missing.
    """
    pynwb = _pynwb()
    session = pynwb.NWBFile(
        session_description=about,
        identifier=str(uuid.uuid4()),
        session_start_time=made or datetime.now(UTC),
        source_script=f"workbench {__version__}",
        source_script_file_name="workbench",
    )
    recorded = [each for each in populations if each.recorded]
    session.units = _units(times, neurons, recorded, SECONDS[unit], step)

    def write(stream: BinaryIO) -> None:
        with h5py.File(stream, "w") as file, pynwb.NWBHDF5IO(file=file, mode="w") as out:
            out.write(session)

    write_atomically(path, write)


def convert_spikes(source: Path, target: Path) -> tuple[int, int]:
    """``spikes.h5`` of a run as NWB; how many neurons and spikes. Raises ProblemError, StorageError."""
    with readable(source, "holds no spikes of a run: name its spikes.h5") as file:
        times, neurons = file["spikes/time"][:], file["spikes/neuron"][:]
        columns = (file[f"populations/{name}"][:] for name in ("name", "first", "stop", "recorded"))
        populations = [
            Population(name.decode(), int(first), int(stop), bool(recorded))
            for name, first, stop, recorded in zip(*columns, strict=True)
        ]
        unit, step = str(file.attrs["unit of time"]), float(file.attrs["step"])
        _check_spikes(times, neurons, populations)
        if unit not in SECONDS or not 0 < step < math.inf:
            raise ValueError("no time that is known here")
    made = datetime.fromtimestamp(source.stat().st_mtime, UTC)
    about = f"Spikes of a simulated network ({source.absolute().parent.name})"
    write_nwb(target, times, neurons, populations, unit=unit, about=about, step=step, made=made)
    return sum(each.stop - each.first for each in populations if each.recorded), len(times)


def _check_spikes(times: Array, neurons: Array, populations: Sequence[Population]) -> None:
    """Raises ValueError for spikes of no time or of no neuron, which would go missing without a word, and for
    populations that lie in each other or are too large to be told neuron by neuron."""
    ends = [end for each in populations for end in (each.first, each.stop)]
    if not ends or ends != sorted(ends) or ends[0] < 0 or ends[-1] > MOST_NEURONS:
        raise ValueError("populations in no order, or too large")
    if max(len(each.name) for each in populations) > LONGEST_NAME:
        raise ValueError("a name that is too long")
    if (
        times.shape != neurons.shape
        or times.ndim != 1
        or not np.isfinite(times).all()
        or neurons.dtype.kind not in "iu"
    ):
        raise ValueError("spikes at no time, or of no neuron")
    place = np.searchsorted([each.first for each in populations], neurons, side="right") - 1
    if (place < 0).any() or (neurons >= np.array([each.stop for each in populations])[place]).any():
        raise ValueError("spikes of no neuron")
    if not np.array([each.recorded for each in populations])[place].all():
        raise ValueError("spikes of neurons that were not recorded")


def _units(times: Array, neurons: Array, populations: Sequence[Population], second: float, step: float | None) -> Any:
    from hdmf.common import ElementIdentifiers, VectorData, VectorIndex
    from pynwb.misc import Units

    ids = np.concatenate([np.arange(each.first, each.stop) for each in populations])
    names = np.repeat([each.name for each in populations], [each.stop - each.first for each in populations])
    order = np.lexsort((times, neurons))
    ends = np.searchsorted(neurons[order], ids, side="right")
    trains = VectorData(name="spike_times", description="Spikes [s]", data=_packed(times[order] * second))
    return Units(
        name="units",
        description="Neurons, by their number in the network",
        resolution=None if step is None else step * second,
        id=ElementIdentifiers(name="id", data=ids.astype(np.int32)),
        columns=[
            trains,
            VectorIndex(name="spike_times_index", data=ends.astype(np.uint64), target=trains),
            VectorData(name="population", description="Population of the neuron", data=names.tolist()),
        ],
        colnames=["spike_times", "population"],
    )


def _packed(values: Array) -> Any:
    from pynwb import H5DataIO

    return H5DataIO(values, compression="gzip", compression_opts=1, shuffle=True) if len(values) else values


def _pynwb() -> Any:
    try:
        import pynwb
    except ImportError as error:
        raise ProblemError(
            "NWB files are written by PyNWB: install the extra 'nwb' (pip install workbench-sim[nwb])."
        ) from error
    return pynwb
