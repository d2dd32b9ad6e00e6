"""What a neuron does in each step, as charts: voltage, synapses, recovery, and the voltage of those it is joined to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.formulas.typed.units import named
from engines.spiking.connectivity.partners import Block, Partners
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.parameters.neurons import (
    AdaptiveExponential,
    ConductanceLif,
    HodgkinHuxley,
    Izhikevich,
    Lif,
    Neuron,
    PoissonSource,
    SpikeList,
)
from engines.spiking.typed.plan import Typed
from engines.spiking.typed.population import typed_of

HEARD, SENT = 1, 1
"""Partners that are recorded: of each sign that the neuron hears, and that hear it."""


@dataclass(frozen=True)
class Cell:
    """What the stored state of a neuron model means.

    unit: of what its synapses give; reversals: of conductances [mV], None for currents; current: unit of currents;
    recovery: title and unit of the second variable; peak: where a spike stands that the reset hides [mV]; variables:
    of typed neurons, what those are called that excitatory and inhibitory spikes change, and their units
    """

    unit: str
    current: str
    reversals: tuple[float, float] | None = None
    recovery: tuple[str, str] | None = None
    peak: float | None = None
    source: bool = False
    variables: tuple[tuple[str, str], ...] = ()


def cell_of(neuron: Neuron) -> Cell:
    match neuron:
        case OwnNeuron():
            return _typed_cell(typed_of(neuron))
        case Lif():
            return Cell("mV", "mV", peak=neuron.threshold)
        case ConductanceLif():  # both are over the leak conductance
            return Cell("1", "mV", (neuron.excitatory_reversal, neuron.inhibitory_reversal), peak=neuron.threshold)
        case Izhikevich():
            return Cell("mV/ms", "mV/ms", recovery=("Recovery u", "mV/ms"), peak=30.0)
        case PoissonSource() | SpikeList():
            return Cell("1", "1", source=True)
    conducts = neuron.synapses == "conductance"
    reversals = (neuron.excitatory_reversal, neuron.inhibitory_reversal) if conducts else None
    unit = "nS" if conducts else "pA"
    if isinstance(neuron, HodgkinHuxley):
        return Cell(unit, "pA", reversals)
    assert isinstance(neuron, AdaptiveExponential)
    return Cell(unit, "pA", reversals, ("Adaptation w", "pA"), neuron.peak)


def _typed_cell(typed: Typed) -> Cell:
    called = {place: (name, named(typed.model.dimensions[name], small=True)) for name, place in typed.places.items()}
    heard = tuple(called[row] for row in ("g_e", "g_i") if row in called)
    return Cell(heard[0][1] if heard else "mV", "pA", recovery=called.get("recovery"), variables=heard)


@dataclass(frozen=True)
class Partner:
    """Another neuron and the synapse that joins it: ``way``: spikes come "from" it or go "to" it."""

    neuron: int
    way: str
    weight: float


def company(
    found: Sequence[Partners], neuron: int, spikes: Array, weights: Callable[[Block, Array], Array]
) -> tuple[Partner, ...]:
    """The partners whose voltages tell most: the strongest of each sign that are heard and the strongest that hear it;
    of equally strong ones those that fired most, ``spikes: (n,)``."""
    heard = np.concatenate([each.sources for each in found]), _joined(found, weights, "in_places")
    sent = np.concatenate([each.targets for each in found]), _joined(found, weights, "out_places")
    chosen: list[Partner] = []
    for way, (others, strength), sign, most in (
        ("from", heard, 1, HEARD), ("from", heard, -1, HEARD), ("to", sent, 0, SENT),
    ):  # fmt: skip
        taken = [neuron, *(each.neuron for each in chosen)]
        able = np.flatnonzero(~np.isin(others, taken) & ((np.sign(strength) == sign) if sign else True))
        able = able[np.lexsort((others[able], -spikes[others[able]], -np.abs(strength[able])))]
        _, first = np.unique(others[able], return_index=True)  # two may be joined twice
        chosen += [Partner(int(others[k]), way, float(strength[k])) for k in able[np.sort(first)][:most]]
    return tuple(chosen)


def _joined(found: Sequence[Partners], weights: Callable[[Block, Array], Array], places: str) -> Array:
    return np.concatenate([weights(each.block, getattr(each, places)) for each in found]).astype(float)


@dataclass(frozen=True, eq=False)
class Trace:
    """The last steps of one neuron. title: what charts call it; times: (k,) [ms]; state: (k, 5) as it is recorded;
    rest: what is added to stored voltages [mV]"""

    title: str
    cell: Cell
    rest: float
    times: Array
    state: Array

    @property
    def voltage(self) -> Array:
        """(k,) [mV]; a spike that the reset hides stands where the voltage had passed it."""
        voltage = self.state[:, 0].astype(float) + self.rest
        if self.cell.peak is not None:
            voltage[self.state[:, 4] > 0] = self.cell.peak
        return voltage


def profiles(own: Trace, others: Sequence[Trace]) -> tuple[tuple[ChartInfo, ChartData], ...]:
    """Charts over the last steps."""
    cell, times = own.cell, own.times
    told = []
    if not cell.source:
        excitation, inhibition = own.state[:, 1].astype(float), own.state[:, 2].astype(float)
        told.append(_chart("voltage", "Membrane voltage", "mV", Curve(own.title, times, own.voltage)))
        if cell.reversals is not None:
            curves = Curve("Excitatory", times, excitation), Curve("Inhibitory", times, inhibition)
            over = ", of the leak" if cell.unit == "1" else ""
            told.append(_chart("conductances", f"Synaptic conductances{over}", cell.unit, *curves))
            held = own.state[:, 0].astype(float) + own.rest
            held = np.concatenate([held[:1], held[:-1]])  # what they gave in a step met the voltage at its beginning
            excitation, inhibition = (
                given * (reversal - held)
                for given, reversal in zip((excitation, inhibition), cell.reversals, strict=True)
            )
        if cell.variables:
            for (name, unit), values in zip(cell.variables, (excitation, inhibition), strict=False):
                told.append(_chart(f"of_{name}", name, unit, Curve(own.title, times, values)))
        else:
            curves = Curve("Excitatory", times, excitation), Curve("Inhibitory", times, inhibition)
            both = Curve("Sum", times, excitation + inhibition)
            told.append(_chart("currents", "Synaptic currents", cell.current, *curves, both))
        if cell.recovery is not None:
            title, unit = cell.recovery
            told.append(_chart("recovery", title, unit, Curve(own.title, times, own.state[:, 3].astype(float))))
    seen = tuple(Curve(each.title, times, each.voltage) for each in others if not each.cell.source)
    if seen:
        told.append(_chart("partners", "Membrane voltage of partners", "mV", *seen))
    return tuple(told)


def _chart(name: str, title: str, unit: str, *curves: Curve) -> tuple[ChartInfo, ChartData]:
    info = ChartInfo(f"trace_{name}", title, unit, x_title="Time", x_unit="ms")
    return info, ChartData(tuple(replace(each, told=-1) for each in curves))
