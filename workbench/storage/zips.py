"""Members of zips that bear no date: whatever the clock says they can be written, and what holds the same is the same
bytes. Zips tell 1980 to 2107."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from engines.api import Array


def undated(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """A new member, packed as the others of the archive."""
    info = zipfile.ZipInfo(name)  # of 1980, when zips begin
    info.compress_type = archive.compression
    info._compresslevel = archive.compresslevel  # type: ignore[attr-defined]  # there is no public way before 3.13
    info.external_attr = 0o644 << 16
    return info


def add_array(archive: zipfile.ZipFile, name: str, values: Array) -> None:
    """``NAME.npy``, of any size."""
    with archive.open(undated(archive, f"{name}.npy"), "w", force_zip64=True) as member:
        np.lib.format.write_array(member, np.asarray(values), allow_pickle=False)


def write_npz(stream: BinaryIO, arrays: Mapping[str, Any]) -> None:
    """As ``numpy.savez``."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, values in arrays.items():
            add_array(archive, name, values)
