"""What gprMax's waveforms and receivers are here: extend this where the engine gains kinds of either."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.fdtd.gprmax.commands import Place
from engines.fdtd.parameters.signals import Continuous, Gaussian, Signal
from engines.fdtd.waveforms import FALL
from engines.fdtd.yee import SPEED_OF_LIGHT

RAMP_PERIODS = 4.0
"""A ``contsine`` rises over as many periods (there in proportion to time, here smoothly)."""


def _gaussian(frequency: float) -> Signal:
    """``exp(−2π²f²(t − 1/f)²)``: σ = 1/(2πf)."""
    return Gaussian(wavelength=SPEED_OF_LIGHT / (frequency * math.sqrt(-2 * math.log(FALL))))


def _continuous(frequency: float) -> Signal:
    return Continuous(wavelength=SPEED_OF_LIGHT / frequency, rise=RAMP_PERIODS)


WAVEFORMS: Mapping[str, Callable[[float], Signal]] = {"gaussian": _gaussian, "contsine": _continuous}
"""By gprMax's name: the signal of amplitude 1 for a frequency [GHz]."""


@dataclass(frozen=True)
class Receiver:
    """An ``#rx``: its name, empty where it has none, and place [m]."""

    name: str
    place: Place
    line: int


def monitors_of(receivers: Sequence[Receiver]) -> tuple[dict[str, Any], list[str]]:
    """Fields of the parameters that stand for receivers, and sentences about those that have none."""
    told = [
        f"Line {each.line}, #rx: place a probe at ({each.place[0]:g}, {each.place[1]:g}, {each.place[2]:g}) m to see "
        "its trace."
        for each in receivers
    ]
    return {}, told
