"""What goes on over time as tables: series, and spikes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engines.api import Array, SeriesInfo
from engines.api.values import Population
from workbench.export.tables import rows_as_text
from workbench.words.units import file_unit

SERIES, SPIKES = "series.csv", "spikes.csv"


def series_titles(series: Sequence[SeriesInfo], time_unit: str) -> list[str]:
    """Headings of a table that has a row for each time: ``time [ms]``, ``rate_excitatory [Hz]``."""
    named = (f"{each.name} [{file_unit(each.unit)}]" if each.unit else each.name for each in series)
    return [f"time [{time_unit}]", *named]


def series_text(
    series: Sequence[SeriesInfo], time_unit: str, curves: Mapping[str, tuple[Array, Array]], note: str = ""
) -> str:
    """A row for each time that some of them have a value of, from ``curves``: times (n,) and values (n,) by name;
    ``note``: what is to be known of them, a line behind a #. Empty where there is no curve."""
    drawn = [each for each in series if each.name in curves]
    if not drawn:
        return ""
    times = np.unique(np.concatenate([curves[each.name][0] for each in drawn]))
    table = np.full((len(times), len(drawn)), np.nan)
    for column, each in enumerate(drawn):
        own, values = curves[each.name]
        table[np.searchsorted(times, own), column] = values
    rows = ([f"{time:.10g}", *row] for time, row in zip(times.tolist(), table.tolist(), strict=True))
    return f"# {note}\n" * bool(note) + rows_as_text([series_titles(drawn, time_unit), *rows])


def spikes_text(times: Array, unit: str, neurons: Array, populations: Sequence[Population]) -> str:
    """A row for each spike: its time [``unit``], the number of its neuron among all, and the name of its population.
    times, neurons: (k,)."""
    ends, names = np.array([each.stop for each in populations]), [each.name for each in populations]
    places = np.searchsorted(ends, neurons, side="right").tolist()
    rows = zip((f"{time:.10g}" for time in times), neurons.tolist(), (names[place] for place in places), strict=True)
    return rows_as_text([[f"time [{unit}]", "neuron", "population"], *rows])
