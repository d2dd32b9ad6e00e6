"""Which components a problem of one or two dimensions has.

Where nothing varies along z, Maxwell's equations part in two: E_z, H_x, H_y (TM) and E_x, E_y, H_z (TE). Sources drive
one of them or both; what is not driven is zero for ever, is not stepped, and is not shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engines.fdtd.grid.yee import Yee

Three = tuple[bool, bool, bool]


@dataclass(frozen=True)
class Parts:
    """Which of the components along x, y, z there are of E and of H."""

    electric: Three = (True, True, True)
    magnetic: Three = (True, True, True)

    @property
    def mask(self) -> int:
        """Bits 0 … 2 of E, 3 … 5 of H."""
        return sum(there << n for n, there in enumerate((*self.electric, *self.magnetic)))

    @property
    def count(self) -> int:
        return sum(self.electric) + sum(self.magnetic)

    def names(self) -> tuple[str, ...]:
        """``"Ex"`` … ``"Hz"``."""
        there = (*self.electric, *self.magnetic)
        return tuple(name for name, has in zip(("Ex", "Ey", "Ez", "Hx", "Hy", "Hz"), there, strict=True) if has)


ALL = Parts()


def per_length(yee: Yee, unit: str) -> str:
    """What is behind the unit of powers and energies: in two dimensions they are those of a unit of length across, on
    a line of a unit of area."""
    return ("", f"/{unit}", f"/{unit}²")[sum(yee.flat)].replace("um", "µm")


def parts_of(yee: Yee, driven: Iterable[int]) -> Parts:
    """driven: the directions of the sources' currents and electric fields, 0, 1, 2; none: all there may be.

    On a line (flat y) what only differences along y would drive is not there either.
    """
    if not yee.flat[2]:
        return ALL
    axes = set(driven) or {0, 1, 2}
    if not yee.flat[1]:
        tm, te = 2 in axes, bool(axes & {0, 1})
        return Parts((te, te, tm), (tm, tm, te))
    return Parts((0 in axes, 1 in axes, 2 in axes), (False, 2 in axes, 1 in axes))


def make_twins(yee: Yee, electric: Any, magnetic: Any) -> None:
    """Plane 1 of a flat z, which the passes leave out, from plane 0: E_x, E_y and H_z; the others have no plane 1."""
    if yee.flat[2]:
        for field in (electric[0], electric[1], magnetic[2]):
            field[1] = field[0]
