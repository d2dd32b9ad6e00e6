"""Between which limits each number of a parameter set makes sense."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from engines.api.errors import ProblemError
from engines.battery.parameter_sets.model import SCALARS

TINY, HUGE = 1e-30, 1e30
"""Sizes that no number of a cell in SI units has; products of several still are numbers."""


@dataclass(frozen=True)
class Range:
    """``above`` is exclusive, ``at_most`` inclusive; ``or_equal`` makes ``above`` inclusive too."""

    above: float = -math.inf
    at_most: float = math.inf
    or_equal: bool = False

    def check(self, value: float, what: str) -> None:
        """Raises ProblemError that says between what ``what`` must be."""
        low_enough = value <= self.at_most
        high_enough = value >= self.above if self.or_equal else value > self.above
        if not (low_enough and high_enough and math.isfinite(value)):
            low = "" if self.above == -math.inf else f"{'at least' if self.or_equal else 'above'} {self.above:g}"
            high = "" if self.at_most == math.inf else f"at most {self.at_most:g}"
            limits = " and ".join(filter(None, (low, high))) or "a finite number"
            raise ProblemError(f"{what} is {value:g} and must be {limits}.")
        if value and not TINY < abs(value) < HUGE:
            raise ProblemError(f"{what} is {value:g}, which no cell has: check its unit.")


POSITIVE = Range(above=0.0)
NOT_NEGATIVE = Range(above=0.0, or_equal=True)
FRACTION = Range(above=0.0, at_most=1.0)
SHARE = Range(above=0.0, at_most=1.0, or_equal=True)
ACTIVATION = Range(above=-1e6, at_most=1e6)
TRANSFERENCE = Range(at_most=1.0)
TRANSFER = Range(above=0.05, at_most=0.95, or_equal=True)
"""Charge transfer whose inverse the kernels find."""
KELVINS = Range(above=150.0, at_most=500.0)

_BY_ENDING = {
    "porosity": FRACTION,
    "active_fraction": FRACTION,
    "activation": ACTIVATION,
    "bruggeman": NOT_NEGATIVE,
    "resistance": NOT_NEGATIVE,
    "cooling_area": NOT_NEGATIVE,
    "heat_transfer_coefficient": NOT_NEGATIVE,
    "transfer_coefficient": TRANSFER,
    "sei_potential": Range(),
    "transference_number": TRANSFERENCE,
    "temperature": KELVINS,
}

RANGES: Mapping[str, Range] = {
    name: next((limits for ending, limits in _BY_ENDING.items() if name.endswith(ending)), POSITIVE) for name in SCALARS
}


def check_together(values: Mapping[str, float], what: str) -> None:
    """What no number alone is wrong about. Raises ProblemError; ``what`` is the set or the file."""
    for electrode in ("negative", "positive"):
        start, most = values[f"{electrode}_initial_concentration"], values[f"{electrode}_maximum_concentration"]
        if not 0 < start < most:
            raise ProblemError(
                f"{what}: the {electrode} electrode starts at a stoichiometry of {start / most:g}, outside of 0 to 1: "
                "change its initial or its maximum concentration."
            )
    if not values["lower_cutoff"] < values["upper_cutoff"]:
        raise ProblemError(
            f"{what}: the lower cut-off of {values['lower_cutoff']:g} V must be below the upper one of "
            f"{values['upper_cutoff']:g} V."
        )
