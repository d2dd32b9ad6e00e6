"""A force-stretch law as kernels take it: the damage of a bond by its stretch, on a GPU and on the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Law:
    """The force of a bond in tension is c (1 − d) s; d is 0 up to the elastic limit, never decreases, is 1 at failure.

    A brittle bond has no law: it is there or not. ``function`` is called from Numba's kernels by its address,
    so that a kernel is compiled once for all laws, and for many bonds at a time, so that a call costs nothing.
    """

    key: str
    """Laws of one key have the same code; their ``parameters`` may differ."""
    cuda: str
    """Text of ``DEVICE REAL law_damage(const REAL s, const REAL d, const REAL* p)``: the damage, ``d`` or more, of a
    bond of stretch ``s`` > 0 that had damage ``d``. ``REAL`` is a macro of the file that includes it, ``DEVICE`` as
    well, or a plain device function."""
    function: Any
    """The same in Numba, for many bonds at a time: ``code.SIGNATURE``."""
    parameters: tuple[float, ...]
    """p."""
    elastic_limit: float
    """The largest stretch up to which a bond without damage keeps none."""
    failure: float
    """The stretch at which damage is 1; inf: never."""
    work: float
    """∫ (1 − d) s ds along one pull up to failure: what a crack takes is proportional to it."""
