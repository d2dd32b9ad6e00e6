"""Mean rates over what differs from neuron to neuron by a typed line, as ``I = I_max*i/N : amp``: f-I curves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engines.api import Array
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.formulas.emit_numpy import Program
from engines.formulas.typed.units import named
from engines.spiking.typed.population import TypedPopulation
from engines.spiking.watch.groups import Groups

MOST_POINTS = 2000


class RatesOver:
    """charts: one for each such line; both arguments as a simulation's subject has them."""

    def __init__(self, groups: Groups, typed: Mapping[int, TypedPopulation]) -> None:
        self._groups, self._typed = groups, typed
        self._of: dict[str, tuple[int, Program]] = {}
        charts = []
        for k, population in typed.items():
            for name, node, dimension in population.typed.model.differing:
                place, whose = f"rate_over_{k}_{name}", f", {groups.names[k]}" if len(groups.names) > 1 else ""
                unit = named(dimension, small=True)
                charts.append(ChartInfo(place, f"Rate over {name}{whose}", "Hz", x_title=name, x_unit=unit))
                self._of[place] = k, Program([node])
        self.charts = tuple(charts)

    def __contains__(self, chart: str) -> bool:
        return chart in self._of

    def chart(self, chart: str, spikes: Array, seconds: float) -> ChartData:
        """Since the beginning, with the parameters as they are now; of many neurons some."""
        (k, values_of), bounds = self._of[chart], self._groups.bounds
        neurons = np.arange(0, bounds[k + 1] - bounds[k], -(-int(bounds[k + 1] - bounds[k]) // MOST_POINTS) or 1)
        if seconds <= 0 or not len(neurons):
            return ChartData(())
        with np.errstate(all="ignore"):
            (found,) = values_of({**self._typed[k].given, "i": neurons.astype(float)})
        values, rates = np.broadcast_to(found, len(neurons)), spikes[bounds[k] + neurons] / seconds
        known = np.isfinite(values)
        order = np.argsort(values[known], kind="stable")
        return ChartData((Curve(self._groups.names[k], values[known][order], rates[known][order]),))
