"""What an engine gives beside fields and charts, as one HDF5 file.

``group/quantity [unit]`` becomes a data set ``quantity`` in a group, with the unit as its attribute ``unit``; complex
numbers are HDF5's compound of r and i, as h5py writes and reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import h5py
import numpy as np

from engines.api import Array
from workbench.storage.atomic import write_atomically

_NAMED = re.compile(r"(?P<name>.*?)(?: \[(?P<unit>[^\]]*)\])?")
COMPRESSED_UP_TO = 1 << 24
"""Bytes: larger arrays are written as they are, for the packer is slower than a disk."""


def write_hdf5(path: Path, results: Mapping[str, Array]) -> None:
    """Atomically write ``results``. Raises StorageError."""

    def write(stream: BinaryIO) -> None:
        with h5py.File(stream, "w") as file:
            for key, given in results.items():
                put(file, key, given)

    write_atomically(path, write)


def put(file: h5py.File, key: str, given: Array) -> None:
    """A data set of ``given`` under the name in ``key``, with its unit."""
    values = np.asarray(given)
    named = _NAMED.fullmatch(key)
    assert named is not None
    packed = "gzip" if values.ndim and 0 < values.nbytes <= COMPRESSED_UP_TO else None
    if named["name"] in file:  # of a run that was resumed after its end
        del file[named["name"]]
    data = file.create_dataset(named["name"], data=values, compression=packed)
    data.attrs["unit"] = named["unit"] or ""
