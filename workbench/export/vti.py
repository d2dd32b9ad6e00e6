"""Grids as .vti or .vtr, the XML formats of VTK for images and for rectilinear grids: values appended raw, x fastest.

Format: VTK File Formats, "XML file formats", appended raw data: each array is its length in bytes as UInt64, then its
bytes. Not compressed: a snapshot of 1024³ cells is then bound by the disk (zlib's fastest level packs 0.1 GB/s), and
where an array begins is known before it is written, so nothing is held in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO
from xml.sax.saxutils import quoteattr

import numpy as np

from engines.api import Array
from engines.geometry.grid import Grid
from workbench.export.vtu import TYPES
from workbench.storage.atomic import write_atomically

SLAB = 1 << 22
"""Values written at once: tens of megabytes, whatever the size of the grid."""


class VtiWriter:
    """Writes fields on one grid. A grid of two dimensions is one layer of points high: flat, as ``Grid.bounds`` is.

    A grid with lines of its own is written as a RectilinearGrid, whose coordinates come after the values.
    """

    def __init__(self, grid: Grid) -> None:
        self._cells = grid.n_cells
        counts = [*grid.counts, 0][:3]
        spacing = [*grid.spacing, 1.0][:3]
        extent = " ".join(f"0 {count}" for count in counts)
        self._lines = [] if grid.lines is None else [*grid.lines, np.array(grid.origin[2:])][:3]
        self._kind = "RectilinearGrid" if self._lines else "ImageData"
        where = "" if self._lines else f' Origin="{_numbers(grid.origin)}" Spacing="{_numbers(spacing)}"'
        self._head = (
            '<?xml version="1.0"?>\n'
            f'<VTKFile type="{self._kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
            f'<{self._kind} WholeExtent="{extent}"{where}>\n'
            f'<Piece Extent="{extent}">\n'
        )

    def write(self, path: Path, cell_data: Mapping[str, Array], point_data: Mapping[str, Array] | None = None) -> None:
        """Write one moment; arrays are ``(n,)`` or ``(n, components)`` in C order of the grid. Raises StorageError."""
        lines = [self._head]
        arrays: list[Array] = []
        offset = 0
        coordinates = {"xyz"[axis]: line for axis, line in enumerate(self._lines)}
        sections = [("PointData", point_data or {}), ("CellData", cell_data)]
        for section, data in [*sections, ("Coordinates", coordinates)][: 3 if coordinates else 2]:
            lines.append(f"<{section}>\n")
            for name, given in data.items():
                values = np.asarray(given)
                components = f' NumberOfComponents="{values.shape[1]}"' if values.ndim == 2 else ""
                lines.append(
                    f'<DataArray type="{TYPES[values.dtype.name]}" Name={quoteattr(name)}{components} '
                    f'format="appended" offset="{offset}"/>\n'
                )
                arrays.append(values)
                offset += 8 + values.nbytes
            lines.append(f"</{section}>\n")
        lines.append("</Piece>\n</" + self._kind + '>\n<AppendedData encoding="raw">\n_')

        def content(file: BinaryIO) -> None:
            file.write("".join(lines).encode())
            for values in arrays:
                file.write(np.array(values.nbytes, "<u8").tobytes())
                flat = np.ascontiguousarray(values).reshape(-1)
                for first in range(0, flat.size, SLAB):
                    part = flat[first : first + SLAB]
                    file.write(part.astype(part.dtype.newbyteorder("<"), copy=False).tobytes())
            file.write(b"\n</AppendedData>\n</VTKFile>\n")

        write_atomically(path, content)


def _numbers(values: tuple[float, ...] | list[float]) -> str:
    return " ".join(f"{value:.17g}" for value in values)
