"""Mean rates over what differs from neuron to neuron by a typed line, as ``I = I_max*i/N : amp``: f-I curves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.formulas.emit_numpy import Program
from engines.formulas.typed.units import PREFIXES, SHORT, UNITS, Dimension, named
from engines.spiking.typed.population import TypedPopulation
from engines.spiking.watch.groups import Groups

MOST_POINTS = 2000


class RatesOver:
    """charts: one for each such line; both arguments as a simulation's subject has them."""

    def __init__(self, groups: Groups, typed: Mapping[int, TypedPopulation]) -> None:
        self._groups, self._typed = groups, typed
        self._of: dict[str, tuple[int, Program, float]] = {}
        charts = []
        for k, population in typed.items():
            for name, node, dimension in population.typed.model.differing:
                place, whose = f"rate_over_{k}_{name}", f", {groups.names[k]}" if len(groups.names) > 1 else ""
                program, neurons = Program([node]), np.arange(groups.bounds[k + 1] - groups.bounds[k])
                unit, size = _unit_for(_values(program, population, neurons), dimension)
                charts.append(
                    ChartInfo(place, f"Rate over {name}{whose}", "Hz", x_title=name, x_unit=unit, y_title="Rate")
                )
                self._of[place] = k, program, size
        self.charts = tuple(charts)

    def __contains__(self, chart: str) -> bool:
        return chart in self._of

    def chart(self, chart: str, spikes: Array, seconds: float) -> ChartData:
        """Since the beginning, with the parameters as they are now; of many neurons some."""
        (k, program, size), bounds = self._of[chart], self._groups.bounds
        neurons = np.arange(0, bounds[k + 1] - bounds[k], -(-int(bounds[k + 1] - bounds[k]) // MOST_POINTS) or 1)
        if seconds <= 0 or not len(neurons):
            return ChartData(())
        values, rates = _values(program, self._typed[k], neurons) / size, spikes[bounds[k] + neurons] / seconds
        known = np.isfinite(values)
        order = np.argsort(values[known], kind="stable")
        return ChartData((Curve(self._groups.names[k], values[known][order], rates[known][order]),))


def _values(program: Program, population: TypedPopulation, neurons: Array) -> Array:
    with np.errstate(all="ignore"):
        (found,) = program({**population.given, "i": neurons.astype(float)})
    return np.broadcast_to(found, len(neurons))


def _unit_for(values: Array, dimension: Dimension) -> tuple[str, float]:
    """In which the largest is a number of few digits: ``uA``; and how many of the kept units one is."""
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    usual = (prefix + letter for prefix in PREFIXES for letter in SHORT)
    fit = [(UNITS[each][1], each) for each in usual if each in UNITS and UNITS[each][0] == dimension]
    size, unit = max((each for each in fit if each[0] <= largest), default=(1.0, named(dimension, small=True)))
    return unit, size
