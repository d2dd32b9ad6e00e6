"""A small writer of .vtu for the sample meshes: zlib-compressed raw appended data, fixed bytes for the same mesh."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.geometry.meshes.mesh import TetMesh

VTK_TETRA = 10
BLOCK = 1 << 20
TYPES = {"f4": "Float32", "f8": "Float64", "i4": "Int32", "i8": "Int64", "u1": "UInt8"}


def compressed(data: bytes) -> bytes:
    """VTK's block format: number of blocks, block size, size of the last block, compressed sizes, blocks (UInt64)."""
    blocks = [data[k : k + BLOCK] for k in range(0, len(data), BLOCK)]
    packed = [zlib.compress(b, 9) for b in blocks]
    rest = len(data) % BLOCK
    header = np.array([len(blocks), BLOCK, rest, *map(len, packed)], "<u8")
    return header.tobytes() + b"".join(packed)


def quantised(directions: Array, steps: int = 500) -> Array:
    """Unit vectors on a lattice of 1/``steps`` (0.1° at 500): compresses three times better; readers normalise."""
    return (np.rint(np.asarray(directions) * steps) / steps).astype(np.float32)


def write_vtu(path: Path, mesh: TetMesh) -> None:
    """Write ``mesh``: cell data ``region``, ``fibres``, ``sheets``; field data ``region_ids``, ``region_names``."""
    appended: list[bytes] = []
    offset = 0

    def array(name: str, values: Array) -> str:
        nonlocal offset
        values = np.ascontiguousarray(values)
        data = compressed(values.tobytes())
        components = values.shape[1] if values.ndim == 2 else 1
        text = (
            f'<DataArray type="{TYPES[values.dtype.str[1:]]}" Name="{name}" NumberOfComponents="{components}" '
            f'format="appended" offset="{offset}"/>\n'
        )
        appended.append(data)
        offset += len(data)
        return text

    names = sorted(mesh.region_names.items())
    letters = " ".join(str(b) for _, name in names for b in [*name.encode(), 0])
    cell_data: Mapping[str, Array | None] = {
        "region": mesh.regions.astype(np.int32),
        "fibres": None if mesh.fibres is None else quantised(mesh.fibres),
        "sheets": None if mesh.sheets is None else quantised(mesh.sheets),
    }
    n = mesh.n_cells
    text = '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" '
    text += 'header_type="UInt64" compressor="vtkZLibDataCompressor">\n<UnstructuredGrid>\n<FieldData>\n'
    text += f'<DataArray type="Int32" Name="region_ids" NumberOfTuples="{len(names)}" format="ascii">'
    text += " ".join(str(i) for i, _ in names) + "</DataArray>\n"
    text += f'<DataArray type="String" Name="region_names" NumberOfTuples="{len(names)}" format="ascii">'
    text += f"{letters}</DataArray>\n</FieldData>\n"
    text += f'<Piece NumberOfPoints="{mesh.n_points}" NumberOfCells="{n}">\n<Points>\n'
    text += array("Points", mesh.points.astype(np.float32)) + "</Points>\n<Cells>\n"
    text += array("connectivity", mesh.cells.astype(np.int32).ravel())
    text += array("offsets", np.arange(4, 4 * n + 1, 4, dtype=np.int32))
    text += array("types", np.full(n, VTK_TETRA, np.uint8)) + '</Cells>\n<CellData Scalars="region">\n'
    text += "".join(array(name, values) for name, values in cell_data.items() if values is not None)
    text += '</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding="raw">\n_'
    partial = path.with_suffix(".partial")
    partial.write_bytes(text.encode() + b"".join(appended) + b"\n</AppendedData>\n</VTKFile>\n")
    os.replace(partial, path)
