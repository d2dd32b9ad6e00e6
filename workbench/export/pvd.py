"""The .pvd collection: which .vtu belongs to which time."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from engines.reading import guarded
from workbench.storage.atomic import write_text

LARGEST = 16 << 20
"""Bytes: of a quarter of a million moments."""


def write_pvd(path: Path, moments: Sequence[tuple[float, str]]) -> None:
    """Write ``(time, file relative to path)`` of each moment. Raises StorageError."""
    lines = [f'<DataSet timestep="{time:.10g}" group="" part="0" file={quoteattr(file)}/>\n' for time, file in moments]
    write_text(
        path,
        '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n<Collection>\n'
        + "".join(lines)
        + "</Collection>\n</VTKFile>\n",
    )


@guarded("is no collection that can be continued: remove it or run afresh.", largest=LARGEST)
def read_pvd(path: Path) -> list[tuple[float, str]]:
    """The moments that a collection of ours holds. Raises ProblemError."""
    root = ElementTree.fromstring(path.read_bytes())
    return [(float(entry.attrib["timestep"]), entry.attrib["file"]) for entry in root.iter("DataSet")]
