"""What an engine gives beside fields and charts, as one HDF5 file.

``group/quantity [unit]`` becomes a data set ``quantity`` in a group, with the unit as its attribute ``unit``; complex
numbers are HDF5's compound of r and i, as h5py writes and reads them. Axes that are known have labels, and dimension
scales where another data set says where along them values stand.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import h5py
import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, WorkbenchError
from engines.hdf5 import check_whole
from engines.reading import refuse_pipe
from workbench.storage.atomic import StorageError, storing, write_atomically
from workbench.storage.journal import JournalledFile, forget_journal, recover
from workbench.words.units import file_unit

log = logging.getLogger(__name__)

_NAMED = re.compile(r"(?P<name>.*?)(?: \[(?P<unit>[^\]]*)\])?", re.DOTALL)
DAMAGED = "is damaged: run without --resume"
COMPRESSED_UP_TO = 1 << 24
"""Bytes: larger arrays are written as they are, for the packer is slower than a disk."""


Dims = Mapping[str, tuple[tuple[str, str], ...]]
"""Of a data set, ``group/quantity``, what each axis is called and the data set that values along it are of, or ""."""
UNNAMED: Dims = MappingProxyType({})


def write_hdf5(path: Path, results: Mapping[str, Array], note: str = "", dims: Dims = UNNAMED) -> None:
    """Atomically write ``results``; ``note``: what makes them wrong, as an attribute. Raises StorageError."""

    def fill(file: h5py.File) -> None:
        if note:
            file.attrs["note"] = note
        for key, given in results.items():
            put(file, key, given)
        name_axes(file, dims)

    make_hdf5(path, fill)


def name_axes(file: h5py.File, dims: Dims) -> None:
    """Of the data sets that are there."""
    scales = {along for axes in dims.values() for _, along in axes if along in file}
    for along in sorted(scales):
        file[along].make_scale(along.rpartition("/")[2])
    for name, axes in dims.items():
        if name not in file or file[name].ndim != len(axes):
            continue
        for axis, (label, along) in zip(file[name].dims, axes, strict=True):
            axis.label = label
            if along in scales and name not in scales:  # which have none themselves
                axis.attach_scale(file[along])


def make_hdf5(path: Path, fill: Callable[[h5py.File], None]) -> None:
    """Atomically make a file anew. Raises StorageError."""

    def write(stream: BinaryIO) -> None:
        with JournalledFile(path, stream) as journal:
            with h5py.File(journal, "w") as file:
                fill(file)
            journal.commit()

    with storing(path):
        forget_journal(path)
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
    data.attrs["unit"] = file_unit(named["unit"] or "")


@contextmanager
def changed(path: Path) -> Iterator[h5py.File]:
    """A file that is there, to be changed: whole at any moment, and as before where this fails.

    Raises StorageError, with what is to ``finish`` where the change is decided, and ProblemError where it is damaged.
    """
    decided = False
    try:
        with storing(path), _told_of(path), _journalled(path) as journal:
            with h5py.File(journal, "r+") as file:
                check_whole(file)
                yield file
            try:
                journal.commit()
            finally:
                decided = journal.decided
    except StorageError as error:
        if decided:
            error.finish = partial(_carry_out, path)
        raise


def _carry_out(path: Path) -> None:
    with storing(path):
        recover(path)


@contextmanager
def readable(path: Path, otherwise: str = DAMAGED) -> Iterator[h5py.File]:
    """The same, to be read; ``otherwise``: what is said of a file that is none, or has not what is asked for."""
    refuse_pipe(path)
    with storing(path), _told_of(path, otherwise):
        recover(path)
        with h5py.File(path, "r") as file:
            check_whole(file)
            yield file


@contextmanager
def _journalled(path: Path) -> Iterator[JournalledFile]:
    with JournalledFile(path) as journal:
        try:
            yield journal
        except Exception as error:
            raise journal.failure or error from error


@contextmanager
def _told_of(path: Path, otherwise: str = DAMAGED) -> Iterator[None]:
    """What HDF5 says of a file that is none is an OSError without a number, or an error of Python's own."""
    try:
        yield
    except (WorkbenchError, MemoryError):
        raise
    except Exception as error:  # of any kind: a data set that somebody put in the place of ours is of any form
        if isinstance(error, OSError) and error.errno:
            raise
        log.info("'%s' %s", path, otherwise, exc_info=True)
        raise ProblemError(f"'{path}' {otherwise}.") from error


def packed(file: h5py.Group, name: str, shape: tuple[int, ...], chunk: tuple[int, ...], kind: Any) -> h5py.Dataset:
    """A compressed data set that grows along its first axis."""
    return file.create_dataset(
        name, shape, kind, chunks=chunk, maxshape=(None, *shape[1:]), compression="gzip", compression_opts=1,
        shuffle=True,
    )  # fmt: skip
