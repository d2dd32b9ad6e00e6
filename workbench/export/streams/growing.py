"""Data sets that grow along their first axis.

A file is opened for each append and closed after it, so that it can be read, and copied, at any other moment; a process
that is killed leaves it whole (:mod:`workbench.storage.journal`).
Every data set says its ``unit`` in an attribute.
"""

from __future__ import annotations

import h5py

from engines.api import Array
from workbench.export.hdf5 import packed
from workbench.words.units import file_unit


def growing(
    file: h5py.File, name: str, shape: tuple[int, ...], chunk: tuple[int, ...], kind: type, unit: str
) -> h5py.Dataset:
    data = packed(file, name, shape, chunk, kind)
    data.attrs["unit"] = file_unit(unit)
    return data


def append(data: h5py.Dataset, values: Array) -> None:
    first = len(data)
    data.resize(first + len(values), axis=0)
    data[first:] = values
