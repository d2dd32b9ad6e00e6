"""What an engine gives beside fields and charts, as one HDF5 file.

``group/quantity [unit]`` becomes a data set ``quantity`` in a group, with the unit as its attribute ``unit``; complex
numbers are HDF5's compound of r and i, as h5py writes and reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from engines.api import Array
from workbench.storage.atomic import write_bytes

_NAMED = re.compile(r"(?P<name>.*?)(?: \[(?P<unit>[^\]]*)\])?")
TABLES = 1 << 16
"""Bytes by which HDF5's own tables of a file grow at most with what is appended at a time."""
COMPRESSED_UP_TO = 1 << 24
"""Bytes: larger arrays are written as they are, for the packer is slower than a disk."""


@contextmanager
def made(path: Path) -> Iterator[h5py.File]:
    """A new file, which is put into its place whole. Raises StorageError.

    It is made in memory: where a disk refuses HDF5 a part of a file, that brings the process down sooner or later.
    """
    with h5py.File(path.name, "w", driver="core", backing_store=False) as file:
        yield file
        file.flush()
        image = file.id.get_file_image()
    write_bytes(path, image)


def write_hdf5(path: Path, results: Mapping[str, Array]) -> None:
    """Atomically write ``results``. Raises StorageError."""
    with made(path) as file:
        for key, given in results.items():
            put(file, key, given)


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
