"""A problem of an object that an STL file holds: in the middle of a grid, with a plane wave upon it."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np

from engines.fdtd.parameters import FdtdParameters, GridSetting, LengthUnit, Pulse, SurfaceObject, WaveSource
from engines.geometry.meshes.sizes import UNITS
from engines.geometry.solids.stl import read_stl

SURFACE = ".stl"
CELLS = 30
"""Along the longest side of the object."""
AROUND = 0.8
"""Of that side: the room on each of its six sides, for the absorbing layers and the wave's box."""


def of_body(path: Path, length_unit: str) -> FdtdParameters:
    """The wave is as long as the object; what the object is made of is the first material. Raises ProblemError."""
    corners = read_stl(str(path)).corners
    unit = length_unit if length_unit in get_args(LengthUnit) else "mm"
    scale = UNITS[length_unit] / UNITS[unit]
    low, extent = scale * corners.min(axis=0), scale * np.ptp(corners, axis=0)
    longest = float(extent.max())
    counts = np.ceil(CELLS * (extent / longest + 2 * AROUND)).astype(int)
    size = counts * longest / CELLS
    shift = 0.5 * (size - extent) - low
    x, y, z = (_rounded(value) for value in size)
    sizes = {"size_x": x, "size_y": y, "size_z": z}
    cells = {f"cells_{axis}": int(count) for axis, count in zip("xyz", counts, strict=True)}
    parameters = FdtdParameters(
        grid=GridSetting.model_validate({"length_unit": unit, **sizes, **cells}),
        sources=[WaveSource(signal=Pulse(wavelength=_rounded(longest)))],
    )
    body = SurfaceObject(
        material=parameters.materials[0].name,
        file=str(path),
        scale=scale,
        shift=tuple(_rounded(value) for value in shift),
    )
    return parameters.model_copy(update={"objects": [body]})


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")
