"""New items for the wavelengths of a problem: a source of millimetres in a grid of millimetres."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from engines.api.figures import number
from engines.fdtd.parameters import Continuous, Frequencies, Pulse, Ringing
from engines.fdtd.placing.kinds import Space

CELLS = 20
"""Per wavelength of a first source."""
FEWEST = 6
"""Cells per wavelength below which one that stands there is not followed."""
BAND = (0.8, 1.2)
"""What new monitors look at, in wavelengths."""


def wavelength_of(space: Space) -> float:
    """That of the first source or port that the grid resolves; without one, 20 of the largest cells in what objects are
    of."""
    cell = max(float(space.yee.sizes(axis).max()) for axis in space.free() or [0])
    for item in (*space.parameters.sources, *space.parameters.ports):
        wavelength = getattr(item.signal, "wavelength", 0.0)
        if wavelength >= FEWEST * cell:
            return float(wavelength)
    used = {each.material for each in space.parameters.objects}
    materials = [each for each in space.parameters.materials if each.name in used and not each.perfect_conductor]
    index = max((each.permittivity for each in materials), default=1.0) ** 0.5
    return float(f"{CELLS * cell * index:.3g}")


def tuned(space: Space, item: BaseModel) -> BaseModel:
    """``item`` with its signal, frequencies and band of resonances around the wavelength of the problem."""
    wavelength = wavelength_of(space)
    first, last = (number(part * wavelength) for part in BAND)
    changes: dict[str, Any] = {}
    for name in type(item).model_fields:
        value = getattr(item, name)
        if isinstance(value, Pulse | Continuous):
            changes[name] = value.model_copy(update={"wavelength": wavelength})
        elif isinstance(value, Frequencies):
            changes[name] = value.model_copy(update={"first": first, "last": last, "values": [wavelength]})
        elif isinstance(value, Ringing):
            changes[name] = value.model_copy(update={"first": first, "last": last})
    return item.model_copy(update=changes)
