"""Values of the points of a mesh over time as .igb, as openCARP writes and meshalyzer shows them, and the mesh beside.

Format: openCARP user manual, "IGB files": a header of 1024 bytes, ``keyword:value`` separated by white space and closed
by a form feed, then ``t`` slices of x · y · z numbers. A slice counts once the header says so: a run that is killed
leaves a file that ends with its last whole slice. A .dat is a number a line and point; -1 stands, as there, for a time
that has not come, and nan for another value that is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from engines.api import Array, FieldInfo, Selection, Simulation
from engines.api.errors import ProblemError
from engines.geometry.meshes.mesh import TetMesh
from workbench.export.carp import SUFFIXES as CARP
from workbench.export.carp import write_carp
from workbench.export.moments.sink import in_precision, other_fields
from workbench.export.naming import file_stems
from workbench.storage.atomic import StorageError, storing, sync, write_bytes, write_text
from workbench.words.units import file_unit

MOMENTS = "fields/*.igb"
SUFFIXES = (".igb", ".dat", *CARP)
"""Of what is in the folder of fields."""
HEADER = 1024
LINE = 78
"""Most letters of a line of a header: readers in Fortran took 80 with its end."""
TIMES = ("ms", "s")
"""Units of fields that are moments or spans of time."""


class Igb:
    """``fields/NAME.igb`` of each field of one component, but at the end ``NAME.dat`` of those that sum up the run (an
    activation time), and ``fields/mesh.pts`` and its like.

    Values of cells are means over the cells around a point, as the window shows them.
    """

    regular = True

    def __init__(
        self, folder: Path, mesh: TetMesh, fields: Sequence[FieldInfo], interval: float | None, unit: str,
        precision: str,
    ) -> None:  # fmt: skip
        self._folder, self._mesh, self._unit = folder / "fields", mesh, unit
        self._fields = tuple(each for each in fields if each.components == 1 and not each.summary)
        self._maps = tuple(each for each in fields if each.components == 1 and each.summary)
        self._stems = file_stems(each.name for each in (*self._fields, *self._maps))
        self.names: Sequence[str] = [
            *(f"fields/{self._stems[each.name]}.igb" for each in self._fields),
            *(f"fields/{self._stems[each.name]}.dat" for each in self._maps),
            *mesh_files(mesh),
        ]
        self._interval = interval or 0.0  # 0: one slice, of the end
        self._precision = "float64" if precision == "float64" else "float32"
        self._count, self._handle = 0, None

    def _path(self, field: FieldInfo) -> Path:
        return self._folder / f"{self._stems[field.name]}.igb"

    def make(self) -> None:
        self._count = 0
        self._write_mesh()
        for field in self._fields:
            write_bytes(self._path(field), self._header(field))

    def check(self) -> None:
        """A header has one interval and one precision for all of its slices."""
        there = [self._path(field).is_file() for field in self._fields]
        if any(there) and not all(there):
            raise other_fields(self._folder)
        for field in self._fields if any(there) else ():
            before, now = _form(_read_header(self._path(field))), _form(self._header(field))
            if before != now:
                raise ProblemError(
                    f"'{self._path(field)}' has {_told(*before)}, this run would write {_told(*now)}: resume with "
                    "recording.fields.interval and recording.fields.precision as they were, or run without --resume."
                )

    def times(self) -> list[float]:
        counts = [_slices(self._path(field), self._slice()) for field in self._fields]
        self._count = min(counts, default=0)
        return [index * self._interval for index in range(self._count)]

    def keep(self, count: int) -> None:
        if any(not self._path(field).is_file() for field in self._fields):
            self.make()
            return
        self._count = count
        if not all((self._folder.parent / name).is_file() for name in mesh_files(self._mesh)):
            self._write_mesh()
        for field in self._fields:
            self._grow(field, b"")

    def _write_mesh(self) -> None:
        if self._mesh.fibres is None:
            (self._folder / "mesh.lon").unlink(missing_ok=True)
        write_carp(self._mesh, self._folder / "mesh.pts", again=True)

    def take(self, simulation: Simulation) -> dict[str, Array]:
        return self._at_points(simulation, self._fields)

    def _at_points(self, simulation: Simulation, fields: Sequence[FieldInfo]) -> dict[str, Array]:
        if self._handle is None:
            self._handle = simulation.select(around_points(self._mesh))
        found = {}
        for field in fields:
            values = np.asarray(simulation.gather(field.name, self._handle))
            if field.missing is not None:
                values = np.where(values == field.missing, np.float32(np.nan), values)
            found[field.name] = in_precision(values, self._precision)
        return found

    def append(self, step: int, time: float, values: Mapping[str, Array]) -> None:
        self._count += 1
        try:
            for field in self._fields:
                given = values[field.name]
                self._grow(field, given.astype(given.dtype.newbyteorder("<"), copy=False).tobytes())
        except StorageError:
            self._count -= 1  # it is tried again
            raise

    def last(self, simulation: Simulation) -> Callable[[], None]:
        values = self._at_points(simulation, self._maps)

        def write() -> None:
            for field in self._maps:
                given = values[field.name]
                shown = np.where(np.isnan(given), -1.0, given) if field.unit in TIMES else given
                write_text(
                    self._folder / f"{self._stems[field.name]}.dat", "%.9g\n" * len(shown) % tuple(shown.tolist())
                )

        return write

    def sync(self) -> None:
        for field in self._fields:
            sync(self._path(field))

    def _slice(self) -> int:
        return self._mesh.n_points * (8 if self._precision == "float64" else 4)

    def _grow(self, field: FieldInfo, content: bytes) -> None:
        """The last of ``self._count`` slices, and behind it nothing; then the header, in one piece."""
        path, size = self._path(field), self._slice()
        with storing(path), path.open("r+b", buffering=0) as file:
            if content:
                file.truncate(HEADER + size * (self._count - 1))
                file.seek(HEADER + size * (self._count - 1))
                rest = memoryview(content)
                while len(rest):
                    rest = rest[file.write(rest) :]
            file.seek(0)
            file.write(self._header(field))
            file.truncate(HEADER + size * self._count)

    def _header(self, field: FieldInfo) -> bytes:
        kind = "double" if self._precision == "float64" else "float"
        words = [f"x:{self._mesh.n_points}", "y:1", "z:1", f"t:{self._count}", f"type:{kind}"]
        words += ["systeme:little_endian", "org_t:0", f"dim_t:{self._interval * max(self._count - 1, 0):.10g}"]
        words += [f"inc_t:{self._interval:.10g}", "unites_x:mm", "unites_y:mm", "unites_z:mm"]
        words += [f"unites_t:{self._unit}", f"unites:{_word(field.unit)}", "facteur:1", "zero:0"]
        lines = [""]
        for word in words:
            if len(lines[-1]) + 1 + len(word) > LINE:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".lstrip()
        text = "\r\n".join(lines) + "\r\n"
        while HEADER - 1 - len(text.encode()) > LINE + 2:
            text += " " * LINE + "\r\n"
        return text.encode().ljust(HEADER - 1) + b"\f"


def mesh_files(mesh: TetMesh) -> tuple[str, ...]:
    """What every .igb is shown on, in the folder of results."""
    return tuple(f"fields/mesh{suffix}" for suffix in CARP if suffix != ".lon" or mesh.fibres is not None)


def around_points(mesh: TetMesh) -> Selection:
    """Every point of the mesh as the cells around it."""
    corners = mesh.cells.ravel()
    order = np.argsort(corners, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(corners, minlength=mesh.n_points))])
    return Selection((order // 4).astype(np.int32), offsets.astype(np.int32), np.arange(mesh.n_points, dtype=np.int32))


def _read_header(path: Path) -> bytes:
    with storing(path), path.open("rb") as file:
        return file.read(HEADER)


def _form(header: bytes) -> tuple[str, ...]:
    """The interval and the kind of number that a header of ours tells; empty where it does not."""
    found = [re.search(rb"\b" + word + rb":(\S+)", header) for word in (b"inc_t", b"unites_t", b"type")]
    return tuple("" if each is None else each[1].decode("ascii", "replace") for each in found)


def _told(interval: str, unit: str, kind: str) -> str:
    when = "the end alone" if interval == "0" else f"a moment each {interval} {unit}"
    return f"{when} in numbers of type {kind}"


def _slices(path: Path, size: int) -> int:
    """Whole slices that the header of a file of ours counts. Raises ProblemError."""
    if not path.is_file():
        return 0
    found = re.search(rb"\bt:(\d+)", _read_header(path))
    if found is None or path.stat().st_size < HEADER + int(found[1]) * size:
        raise ProblemError(f"'{path}' is damaged: run without --resume.")
    return int(found[1])


def _word(unit: str) -> str:
    return file_unit(unit).replace(" ", "_") or "1"
