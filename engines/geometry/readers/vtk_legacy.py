"""Unstructured grids of VTK's legacy format (.vtk), versions 1 to 5.1, ascii and binary.

Described in "VTK File Formats", simple legacy formats. meshio does not read what VTK 9 writes there (string arrays,
metadata, field data of the grid), hence this one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from engines.api import Array
from engines.api.errors import MeshError
from engines.geometry.raw import RawMesh
from engines.geometry.readers.cells import VTK_NAMES, of_length, tetrahedra_of
from engines.geometry.readers.parsers import NEWLINE, fill
from engines.geometry.readers.text import as_type, read_bytes

DTYPES = {
    "char": "i1",
    "signed_char": "i1",
    "unsigned_char": "u1",
    "short": "i2",
    "unsigned_short": "u2",
    "int": "i4",
    "unsigned_int": "u4",
    "long": "i8",
    "unsigned_long": "u8",
    **{f"vtktype{sign}int{8 * size}": f"{sign or 'i'}{size}" for sign in ("", "u") for size in (1, 2, 4, 8)},
    "vtkidtype": "i4",  # VTK narrows ids when it writes legacy files
    "float": "f4",
    "double": "f8",
}
COMPONENTS = {"VECTORS": 3, "NORMALS": 3, "TENSORS": 9, "TENSORS6": 6, "GLOBAL_IDS": 1, "PEDIGREE_IDS": 1}


class LegacyFile:
    """A cursor over the bytes of a .vtk file."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.data = read_bytes(path)
        self.at = 0
        head = self.line()
        if not head.startswith("# vtk DataFile Version"):
            raise MeshError(f"{self.name} does not start like a VTK file; check its name or export it again as .vtu.")
        self.line()
        self.binary = self.line().strip().upper() == "BINARY"

    def line(self) -> str:
        ahead = np.flatnonzero(self.data[self.at : self.at + 4096] == NEWLINE)
        end = self.at + int(ahead[0]) if len(ahead) else min(self.at + 4096, len(self.data))
        text = self.data[self.at : end].tobytes().decode("utf-8", "replace")
        self.at = end + 1
        return text

    def lines(self) -> Iterator[list[str]]:
        """Words of each further line that is not blank."""
        while self.at < len(self.data):
            words = self.line().split()
            if words:
                yield words

    def short(self, what: str) -> MeshError:
        return MeshError(f"{self.name} ends early or is damaged at its {what}; copy or export the file again.")

    def values(self, kind: str, count: int, what: str) -> Array:
        """The next ``count`` values of VTK type ``kind``."""
        if kind.lower() == "string":
            return np.array([self._string() for _ in range(count)], object)
        if kind.lower() == "bit":
            return self._bits(count, what)
        if kind.lower() not in DTYPES:
            raise MeshError(f"{self.name} has {what} of unknown type “{kind}”; export the mesh again as .vtu.")
        dtype = np.dtype(DTYPES[kind.lower()])
        if self.binary:
            size = count * dtype.itemsize
            if count < 0 or self.at + size > len(self.data):
                raise self.short(what)
            raw = self.data[self.at : self.at + size].tobytes()
            self.at += size
            return np.frombuffer(raw, dtype.newbyteorder(">")).astype(dtype)
        if count < 0 or count > len(self.data):
            raise self.short(what)
        out = np.empty(count)
        found, self.at = fill(self.data, self.at, out)
        if found < count:
            raise self.short(what)
        return as_type(out, dtype)

    def _bits(self, count: int, what: str) -> Array:
        if not self.binary:
            return self.values("int", count, what)
        packed = self.values("unsigned_char", (count + 7) // 8, what)
        return np.unpackbits(packed)[:count]

    def _string(self) -> str:
        if self.at >= len(self.data):
            raise self.short("strings")
        if not self.binary:
            return unquote(self.line().strip())
        width = {3: 1, 2: 2, 1: 4, 0: 8}[int(self.data[self.at]) >> 6]
        length = int.from_bytes(self.data[self.at : self.at + width].tobytes(), "big") & ((1 << (8 * width - 2)) - 1)
        self.at += width
        if self.at + length > len(self.data):
            raise self.short("strings")
        text = self.data[self.at : self.at + length].tobytes().decode("utf-8", "replace")
        self.at += length
        return text

    def fields(self, count: int) -> dict[str, Array]:
        """The arrays of a FIELD section."""
        found: dict[str, Array] = {}
        if not count:
            return found
        for words in self.lines():
            if words[0] == "METADATA":
                self.skip_metadata()
                continue
            name, components, tuples, kind = unquote(words[0]), int(words[1]), int(words[2]), words[3]
            values = self.values(kind, components * tuples, f"array {name}")
            found[name] = values.reshape(-1, components) if components > 1 else values
            if len(found) == count:
                return found
        raise self.short("field data")

    def skip_metadata(self) -> None:
        while self.at < len(self.data) and self.line().strip():
            pass


def read_vtk(path: Path) -> RawMesh:
    """The tetrahedra of a legacy VTK file with their data. Raises MeshError."""
    file = LegacyFile(path)
    try:
        return _read(file)
    except (ValueError, IndexError, KeyError, OverflowError):
        raise file.short("data") from None


def _read(file: LegacyFile) -> RawMesh:
    points, types = np.empty((0, 3)), np.empty(0, np.int64)
    starts = connectivity = np.empty(0, np.int64)
    data: dict[str, dict[str, Array]] = {"": {}, "POINT_DATA": {}, "CELL_DATA": {}}
    section, tuples = "", 0
    for words in file.lines():
        key = words[0].upper()
        if key == "DATASET":
            if words[1].upper() != "UNSTRUCTURED_GRID":
                raise MeshError(
                    f"{file.name} holds {words[1]}, not an unstructured grid of tetrahedra; fill the shape with "
                    "tetrahedra and save it as .vtu or .vtk."
                )
        elif key == "METADATA":
            file.skip_metadata()
        elif key == "POINTS":
            points = file.values(words[2], 3 * int(words[1]), "points").reshape(-1, 3)
        elif key == "CELLS":
            starts, connectivity = _cells(file, int(words[1]), int(words[2]))
        elif key == "CELL_TYPES":
            types = file.values("int", int(words[1]), "cell types")
        elif key in ("POINT_DATA", "CELL_DATA"):
            section, tuples = key, int(words[1])
        elif key == "FIELD":
            data[section].update(file.fields(int(words[2])))
        elif key == "SCALARS":
            components = int(words[3]) if len(words) > 3 else 1
            table = next(file.lines(), [""])
            if table[0].upper() != "LOOKUP_TABLE":
                raise file.short(f"scalars {words[1]}")
            values = file.values(words[2], tuples * components, f"scalars {words[1]}")
            data[section][unquote(words[1])] = values.reshape(-1, components) if components > 1 else values
        elif key == "LOOKUP_TABLE":
            file.values("unsigned_char" if file.binary else "float", 4 * int(words[2]), "colours")
        elif key == "COLOR_SCALARS":
            file.values("unsigned_char" if file.binary else "float", tuples * int(words[2]), "colours")
        elif key == "TEXTURE_COORDINATES":
            file.values(words[3], tuples * int(words[2]), "texture coordinates")
        elif key in COMPONENTS:
            values = file.values(words[2], tuples * COMPONENTS[key], f"{key.lower()} {words[1]}")
            data[section][unquote(words[1])] = values.reshape(tuples, COMPONENTS[key])
        else:
            raise file.short(f"section “{words[0][:20]}”")
    if len(starts) != len(types):
        raise file.short("cell types")
    cells, rows, others, findings = tetrahedra_of(types, starts, connectivity, VTK_NAMES, file.name)
    of_cells = of_length(data["CELL_DATA"], len(types), "cells", findings)
    cell_data = {k: v[rows] for k, v in of_cells.items()}
    point_data = of_length(data["POINT_DATA"], len(points), "points", findings)
    field = data[""]
    names = dict(zip(map(int, field.get("region_ids", ())), map(str, field.get("region_names", ())), strict=False))
    return RawMesh(points.astype(np.float64), cells, cell_data, point_data, names, others, findings)


def _cells(file: LegacyFile, first: int, second: int) -> tuple[Array, Array]:
    """Start of each cell in the connectivity, and the connectivity."""
    mark = file.at
    words = next(file.lines(), [""])
    if words[0].upper() == "OFFSETS":  # version 5
        offsets = file.values(words[1], first, "cell offsets")
        words = next(file.lines(), ["", ""])
        return offsets[:-1].astype(np.int64), file.values(words[1], second, "cells")
    file.at = mark
    table = file.values("int", second, "cells")
    if second == 5 * first and (table[::5] == 4).all():  # four points each: the plain case, without a loop
        return np.arange(1, second, 5), table
    starts = np.empty(first, np.int64)
    at = 0
    for k in range(first):
        starts[k] = at + 1
        at += 1 + int(table[at])
    return starts, table
