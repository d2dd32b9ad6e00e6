"""The precisions that a problem may ask for, as the types of what kernels compute with."""

from __future__ import annotations

from typing import Literal

Precision = Literal["fp32", "fp64"]
FloatType = Literal["float32", "float64"]

FLOAT_TYPES: dict[str, FloatType] = {"fp32": "float32", "fp64": "float64"}
"""NumPy's name of the type, by what a form calls it."""
REAL: dict[str, str] = {"float32": "-DREAL=float", "float64": "-DREAL=double"}
"""The macro that makes a ``.cu`` file's ``REAL`` this type."""
