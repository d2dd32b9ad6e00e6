"""Which file format each kind of geometry is written in. A new geometry is a writer and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from engines.api import Array, FieldInfo, Simulation, SimulationInfo
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.particles import Particles
from workbench.export.vti import VtiWriter
from workbench.export.vtu import VtuWriter
from workbench.export.vtu_particles import VtuParticlesWriter
from workbench.words.units import file_unit


class FieldWriter(Protocol):
    """Writes moments of fields on the one geometry that it was made for."""

    def write(self, path: Path, cell_data: Mapping[str, Array], point_data: Mapping[str, Array] | None = None) -> None:
        """Write one moment; arrays are ``(n,)`` or ``(n, components)``. Raises StorageError."""


@dataclass(frozen=True)
class Format:
    """``suffix`` of the files, and what makes the writer of a geometry."""

    suffix: str
    writer: Callable[[Any], FieldWriter]


FORMATS: Mapping[type, Format] = {
    TetMesh: Format(".vtu", VtuWriter),
    Grid: Format(".vti", VtiWriter),
    Particles: Format(".vtu", VtuParticlesWriter),
}
RECTILINEAR = Format(".vtr", VtiWriter)
"""Of grids with lines of their own."""


def format_of(geometry: Any) -> Format:
    """The format that results on ``geometry`` are written in. Raises ProblemError."""
    if isinstance(geometry, Grid) and geometry.lines is not None:
        return RECTILINEAR
    for kind, found in FORMATS.items():
        if isinstance(geometry, kind):
            return found
    known = ", ".join(kind.__name__ for kind in FORMATS)
    raise ProblemError(f"Fields on a {type(geometry).__name__} cannot be written; those on these can: {known}.")


def written_fields(run: Simulation | SimulationInfo) -> tuple[FieldInfo, ...]:
    """What is written of a moment: the fields, and where elements have gone if they move."""
    displaced = getattr(run, "displaced", None)  # a SimulationInfo has it, and so has a simulation that can move
    return run.fields if displaced is None else (*run.fields, displaced)


def split_by_location(
    fields: tuple[FieldInfo, ...], values: Mapping[str, Array]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """(cell data, point data) under names with units; NaN stands where a value has not come yet."""
    cells: dict[str, Array] = {}
    points: dict[str, Array] = {}
    for info in fields:
        if info.name in values:
            column = np.asarray(values[info.name])
            column = column.reshape(-1, info.components) if info.components > 1 else column.reshape(-1)
            if info.missing is not None:
                column = np.where(column == info.missing, np.float32(np.nan), column)
            home = points if info.location in ("node", "point") else cells
            home[f"{info.name} [{file_unit(info.unit)}]" if info.unit else info.name] = column
    return cells, points
