"""A file of the geometry's own format for each moment, and the collection that ParaView opens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engines.api import Array, FieldInfo, Simulation
from workbench.export.formats import FORMATS, RECTILINEAR, FieldWriter, format_of, split_by_location
from workbench.export.moments.sink import fields_at
from workbench.export.pvd import read_pvd, write_pvd
from workbench.storage.atomic import storing, sync

COLLECTION, MOMENTS = "fields.pvd", "fields/fields_*"


class Series:
    """``fields.pvd`` and ``fields/fields_*`` in ``folder``."""

    regular = False
    names: Sequence[str] = ()

    def __init__(
        self, folder: Path, geometry: Any, fields: Sequence[FieldInfo], precision: str, dt: float = 0.0
    ) -> None:
        self._dt = dt
        self._folder, self._geometry, self._fields, self._precision = folder, geometry, tuple(fields), precision
        self._format = format_of(geometry)
        self._writer: FieldWriter | None = None
        self._moments: list[tuple[float, str]] = []
        self._unsynced: list[str] = []

    def make(self) -> None: ...

    def times(self) -> list[float]:
        """Those whose files are there, also where somebody has removed the collection of them."""
        collection = self._folder / COLLECTION
        if collection.is_file():
            self._moments = [each for each in read_pvd(collection) if (self._folder / each[1]).is_file()]
        else:
            files = [each for each in self._folder.glob(f"{MOMENTS}{self._format.suffix}") if each.stem[7:].isdigit()]
            self._moments = sorted((int(each.stem[7:]) * self._dt, f"fields/{each.name}") for each in files)
        return [time for time, _ in self._moments]

    def check(self) -> None:
        """Each moment is a file of its own."""

    def keep(self, count: int) -> None:
        self._moments = self._moments[:count]
        if self._moments:
            write_pvd(self._folder / COLLECTION, self._moments)
        else:
            with storing(self._folder):
                (self._folder / COLLECTION).unlink(missing_ok=True)
        remove_files(self._folder, [name for _, name in self._moments])

    def take(self, simulation: Simulation) -> Mapping[str, Array]:
        return fields_at(simulation, self._fields, self._precision)

    def append(self, step: int, time: float, values: Mapping[str, Array]) -> None:
        if self._writer is None:  # compressing a mesh takes 0.3 s for a million cells: not on the worker
            self._writer = self._format.writer(self._geometry)
        name = f"fields/fields_{step:09d}{self._format.suffix}"
        cells, points = split_by_location(self._fields, values)
        self._writer.write(self._folder / name, cells, points)
        moments = [*self._moments, (time, name)]
        write_pvd(self._folder / COLLECTION, moments)
        self._moments = moments  # not before: what has failed is tried again
        self._unsynced.append(name)

    def last(self, simulation: Simulation) -> None: ...

    def sync(self) -> None:
        while self._unsynced:
            sync(self._folder / self._unsynced.pop())


def remove_files(folder: Path, but: Sequence[str]) -> None:
    """Remove the files of all moments ``but`` these. Raises StorageError."""
    with storing(folder):
        for suffix in {each.suffix for each in (*FORMATS.values(), RECTILINEAR)}:
            for stale in (folder / "fields").glob(f"fields_*{suffix}"):
                if stale.stem[7:].isdigit() and f"fields/{stale.name}" not in but:
                    stale.unlink()
