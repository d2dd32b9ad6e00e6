"""Files of HDF5 that somebody else made: nothing of them lies in other files, and no array is larger than its file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import h5py

from engines.reading import EXPANSION, swollen

UNWRITTEN = 1 << 20
"""Bytes of an array that a file may promise without having them: rows that are there before they are filled."""
MOST_OBJECTS = 50_000
"""Groups and arrays that are looked at before one is read: some 20 µs each."""


@contextmanager
def opened_h5(path: Path) -> Iterator[h5py.File]:
    """A file to read. Raises ValueError as :func:`check_whole`, and where its arrays together would expand as no
    numbers do; and whatever HDF5 raises of what is none."""
    with h5py.File(path, "r") as file:
        if swollen(check_whole(file, MOST_OBJECTS), path.stat().st_size):
            raise ValueError("it would expand to many times its size")
        yield file


def check_whole(file: h5py.File, most: int | None = None) -> int:
    """The bytes of all arrays. Raises ValueError for a file that reaches beyond itself, to data in others, which would
    be read and written as if they were its own, for an array that claims more than the file can hold, and for more than
    ``most`` objects."""
    total = count = 0

    def look(name: str, link: object) -> None:
        nonlocal total, count
        count += 1
        if most is not None and count > most:
            raise ValueError(f"it holds more than {most} objects")
        if isinstance(link, h5py.ExternalLink):
            raise ValueError(f"'{name}' is in another file")
        found = file.get(name) if isinstance(link, h5py.HardLink) else None
        if isinstance(found, h5py.Dataset):
            if found.external or found.is_virtual:
                raise ValueError(f"'{name}' is in another file")
            if found.size and found.nbytes > EXPANSION * found.id.get_storage_size() + UNWRITTEN:
                raise ValueError(f"'{name}' claims {found.nbytes} bytes")
            total += found.nbytes

    file.visititems_links(look)
    return total
