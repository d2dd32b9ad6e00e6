"""What two folders of results differ in, where appends came at other moments: files of HDF5 are compared by content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tests.resuming.folders import differences


def content(path: Path) -> dict[str, tuple[Any, ...]]:
    """Every data set of a file: kind, shape, bytes and attributes."""
    found: dict[str, tuple[Any, ...]] = {}

    def take(name: str, item: h5py.Group | h5py.Dataset) -> None:
        attributes = {key: str(value) for key, value in item.attrs.items()}
        if isinstance(item, h5py.Dataset):
            values = np.asarray(item)
            kept = values.tolist() if values.dtype.hasobject else values.tobytes()
            found[name] = (item.dtype.str, item.shape, kept, attributes)

    with h5py.File(path) as file:
        file.visititems(take)
    return found


def differing(unbroken: Path, other: Path) -> list[str]:
    """Names of what is not the same in both."""
    return [
        name
        for name in differences(unbroken, other)
        if not (name.endswith(".h5") and (other / name).is_file() and content(unbroken / name) == content(other / name))
    ]
