"""Particles as .vtu: a vertex with its radius and its fields for each sphere (in ParaView: Glyph, sphere, scale by the
radius). A field of shells has one component for each, from the centre to the surface."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engines.api import Array
from engines.geometry.particles import Particles
from workbench.export.vtu import data_array
from workbench.storage.atomic import write_atomically

VTK_VERTEX = 1


class VtuParticlesWriter:
    """Writes fields on one set of spheres; what does not change is compressed once."""

    def __init__(self, particles: Particles) -> None:
        n = particles.n_cells
        numbers = np.arange(n, dtype=np.int32)
        self._head = (
            '<?xml version="1.0"?>\n'
            '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" '
            'compressor="vtkZLibDataCompressor">\n<UnstructuredGrid>\n'
            f'<Piece NumberOfPoints="{n}" NumberOfCells="{n}">\n'
            f"<Points>\n{data_array('Points', particles.positions)}</Points>\n"
            f"<Cells>\n{data_array('connectivity', numbers)}{data_array('offsets', numbers + 1)}"
            f"{data_array('types', np.full(n, VTK_VERTEX, np.uint8))}</Cells>\n"
            f"<PointData>\n{data_array(f'radius [{particles.length_unit}]', particles.radii)}"
        ).encode()

    def write(self, path: Path, cell_data: Mapping[str, Array], point_data: Mapping[str, Array] | None = None) -> None:
        """Write one moment, all of it as data of the points; arrays are ``(n,)`` or ``(n, components)``. Raises
        StorageError."""

        def content(file: BinaryIO) -> None:
            file.write(self._head)
            for name, values in {**cell_data, **(point_data or {})}.items():
                file.write(data_array(name, values).encode())
            file.write(b"</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n")

        write_atomically(path, content)
