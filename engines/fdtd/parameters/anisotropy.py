"""Materials that answer differently to fields along x, y and z."""

from __future__ import annotations

from typing import Any

from pydantic import field_validator

from engines.api.parameters import ParameterGroup, quantity

Triple = tuple[float, float, float]
LARGEST = 1000.0


class Anisotropy(ParameterGroup):
    """Permittivity and conductivity by component, along the axes of the grid."""

    by_component: bool = quantity(False, "", "Different for fields along x, y and z")
    permittivity: Triple = quantity(
        (2.25, 2.25, 2.25), "1", "Relative permittivity for fields along x, y, z", when={"by_component": (True,)}
    )
    conductivity: Triple = quantity(
        (0.0, 0.0, 0.0),
        "S/m",
        "Electric conductivity for fields along x, y, z",
        title="σ along",
        when={"by_component": (True,)},
    )

    @field_validator("permittivity")
    @classmethod
    def _permittivity(cls, values: Any) -> Any:
        if not all(1 <= value <= LARGEST for value in values):
            raise ValueError(f"permittivities lie between 1 and {LARGEST:g}")
        return values

    @field_validator("conductivity")
    @classmethod
    def _conductivity(cls, values: Any) -> Any:
        if not all(0 <= value < float("inf") for value in values):
            raise ValueError("conductivities are not negative: a material that amplifies cannot be run")
        return values
