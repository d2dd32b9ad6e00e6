"""What gprMax's waveforms, receivers and voltage sources are here: extend this where the engine gains kinds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from engines.fdtd.gprmax.commands import Place
from engines.fdtd.grid.yee import SPEED_OF_LIGHT
from engines.fdtd.monitors.plans import RESERVED
from engines.fdtd.parameters import MOST_MONITORS, LumpedPort, TraceMonitor
from engines.fdtd.parameters.monitors import Component
from engines.fdtd.parameters.signals import Continuous, Derivative, Gaussian, Ricker, Signal
from engines.fdtd.sources.waveforms import FALL

RAMP_PERIODS = 4.0
"""A ``contsine`` rises over as many periods (there in proportion to time, here smoothly)."""
COMPONENTS: tuple[Component, ...] = get_args(Component)
LONGEST = 36
"""Letters of a receiver's name that are kept: a monitor's has up to 40, with a number."""


def _gaussian(frequency: float) -> Signal:
    """``exp(−2π²f²(t − 1/f)²)``: σ = 1/(2πf)."""
    return Gaussian(wavelength=SPEED_OF_LIGHT / (frequency * math.sqrt(-2 * math.log(FALL))))


def _derivative(frequency: float) -> Signal:
    """The derivative of ``_gaussian``'s, normalised, has its largest amplitude at f."""
    return Derivative(wavelength=SPEED_OF_LIGHT / frequency)


def _ricker(frequency: float) -> Signal:
    """Of centre frequency f."""
    return Ricker(wavelength=SPEED_OF_LIGHT / frequency)


WAVEFORMS: Mapping[str, Callable[[float], Signal]] = {
    "gaussian": _gaussian, "gaussiandotnorm": _derivative, "ricker": _ricker,
    "contsine": lambda frequency: Continuous(wavelength=SPEED_OF_LIGHT / frequency, rise=RAMP_PERIODS),
}  # fmt: skip
"""By gprMax's name: the signal of amplitude 1 for a frequency [GHz]."""


@dataclass(frozen=True)
class Receiver:
    """An ``#rx``: its name, empty where it has none, place [m], and the outputs that it names."""

    name: str
    place: Place
    outputs: tuple[str, ...]
    line: int


def monitors_of(receivers: Sequence[Receiver]) -> tuple[list[TraceMonitor], list[str]]:
    """Traces that stand for receivers, and sentences about what of them is not there. gprMax takes a component where
    the edge of the named cell has it; here all are interpolated to the place."""
    found: list[TraceMonitor] = []
    told = []
    for each in receivers[:MOST_MONITORS]:
        wanted = [name for name in each.outputs if name in COMPONENTS]
        if len(wanted) < len(each.outputs):
            lost = ", ".join(name for name in each.outputs if name not in COMPONENTS)
            told.append(f"Line {each.line}, #rx: there is no output {lost} here.")
        stem = (each.name or "rx").replace("/", " ")[:LONGEST]
        name, number = stem if each.name else "rx1", 1
        while any(name == other.name for other in found) or name in RESERVED:
            number += 1
            name = f"{stem}{number}"
        found.append(TraceMonitor(name=name, place=each.place, components=wanted or list(COMPONENTS)))
    if len(receivers) > MOST_MONITORS:
        line = receivers[MOST_MONITORS].line
        told.append(f"Line {line}, #rx: this receiver and those after it are left out, {MOST_MONITORS} are the most.")
    return found, told


def port_of(
    axis: str, place: Place, cell: float, resistance: float, amplitude: float, signal: Signal
) -> LumpedPort:  # fmt: skip
    """A ``#voltage_source``: the edge of a cell of length ``cell`` [m] from the named node on."""
    return LumpedPort.model_validate(
        {"place": place, "axis": axis, "length": cell, "resistance": resistance, "amplitude": amplitude,
         "signal": signal}
    )  # fmt: skip
