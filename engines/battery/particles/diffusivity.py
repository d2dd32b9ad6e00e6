"""Diffusivity over stoichiometry: what was set, as a number and a curve that the kernels look up.

Ecker et al., J. Electrochem. Soc. 162 (2015) A1836, measured graphite and Li(Ni,Co)O2 by GITT; the fits are those of
G. Richardson et al., Electrochim. Acta 339 (2020) 135862, at 296 K.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.battery.parameter_sets.model import Function
from engines.battery.parameters.particles import (
    ConstantDiffusivity,
    Diffusivity,
    LinearDiffusivity,
    PublishedDiffusivity,
    SetDiffusivity,
)
from engines.battery.setup.curves import Curve, curve, monotone_curve, table_curve


def ecker_graphite(x: Array) -> Array:
    """Diffusivity of graphite [m²/s]."""
    return 10 ** _bumps(
        x, -15.06,
        (2.722, 0.0, 0.0777), (1.503, 0.17, 0.1153), (1.055, 0.3118, 0.04089), (1.555, 0.6061, 0.04545),
        (1.215, 1.0, 0.02759),
    )  # fmt: skip


def ecker_nco(x: Array) -> Array:
    """Diffusivity of Li(Ni,Co)O2 [m²/s]."""
    return 10 ** _bumps(x, -12.67, (-1.597, 0.6169, 0.07859), (-1.608, 1.0, 0.0931))


def _bumps(x: Array, level: float, *bumps: tuple[float, float, float]) -> Array:
    """``level`` and Gaussians (height, centre, width)."""
    return np.asarray(level + sum(height * np.exp(-(((x - centre) / width) ** 2)) for height, centre, width in bumps))


PUBLISHED: dict[str, Callable[[Array], Array]] = {
    "graphite, Ecker 2015": ecker_graphite,
    "NCO, Ecker 2015": ecker_nco,
}


@dataclass(frozen=True, eq=False)
class Law:
    """``D(x) = value · relative(x)`` [m²/s] of the stoichiometry x; ``relative`` None where D is constant."""

    value: float
    relative: Curve | None = None

    def __call__(self, x: Array) -> Array:
        return self.value * (np.ones_like(np.asarray(x, float)) if self.relative is None else self.relative(x))

    @property
    def largest(self) -> float:
        """Largest D between empty and full [m²/s]."""
        return float(self(np.linspace(0, 1, 2001)).max())


def law(setting: Diffusivity, of_the_set: float, relative: Function | None = None) -> Law:
    """What ``setting`` says; ``of_the_set`` is the parameter set's diffusivity [m²/s], ``relative`` what D is over that
    of the stoichiometry, where it is not constant. Raises ProblemError."""
    if isinstance(setting, SetDiffusivity):
        curve_of_set = None if relative is None else monotone_curve(relative, 0.0, 1.0)
        return Law(of_the_set * setting.factor, curve_of_set)
    if isinstance(setting, ConstantDiffusivity):
        return Law(setting.value)
    if isinstance(setting, LinearDiffusivity):
        if min(1 - setting.slope * setting.reference, 1 + setting.slope * (1 - setting.reference)) <= 0:
            raise ProblemError(
                f"With a slope of {setting.slope:g} the diffusivity is not positive everywhere between stoichiometries "
                "0 and 1: use a smaller slope."
            )
        return Law(setting.value, curve(lambda x: 1 + setting.slope * (x - setting.reference), 0.0, 1.0))
    if isinstance(setting, PublishedDiffusivity):
        shape = PUBLISHED[setting.curve]
        scale = float(shape(np.array(0.5)))
        return Law(scale * setting.factor, curve(lambda x: shape(x) / scale, 0.0, 1.0))
    x, D = np.array(setting.stoichiometries), np.array(setting.diffusivities)
    if len(x) != len(D):
        raise ProblemError(f"The table of diffusivities has {len(x)} stoichiometries and {len(D)} values: give pairs.")
    if len(x) < 2 or (np.diff(x) <= 0).any() or x[0] < 0 or x[-1] > 1:
        raise ProblemError("The table of diffusivities needs two or more stoichiometries that rise between 0 and 1.")
    if (D <= 0).any():
        raise ProblemError("A diffusivity in the table is not positive: each has to be above 0.")
    scale = float(D.mean())
    return Law(scale, table_curve(x, D / scale))
