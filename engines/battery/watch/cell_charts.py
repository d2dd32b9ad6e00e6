"""What is plotted of cells, and in which order: a window shows the first few."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engines.api import SeriesInfo
from engines.api.charts import ChartInfo
from engines.battery.watch import losses
from engines.battery.watch.cycles import Cycles

if TYPE_CHECKING:
    from engines.battery.cells.step.cells import Cells

SERIES = (
    SeriesInfo("voltage", "Terminal voltage", "V"),
    SeriesInfo("voltage_p05", "Terminal voltage, 5th percentile", "V"),
    SeriesInfo("voltage_p95", "Terminal voltage, 95th percentile", "V"),
    SeriesInfo("current", "Current", "A"),
    SeriesInfo("power", "Power", "W"),
    SeriesInfo("temperature", "Temperature", "°C"),
    SeriesInfo("capacity", "Charge given", "A h"),
    SeriesInfo("running", "Cells still in the protocol", "1"),
    SeriesInfo("balance", "Lithium balance error, largest", "1"),
)
MEANS = ("voltage", "current", "power", "temperature", "capacity")
AGEING_SERIES = (
    SeriesInfo("lithium_lost", "Lithium lost to side reactions, mean", "A h"),
    SeriesInfo("lowest_anode_potential", "Lowest anode potential in the cycle", "V"),
)


def series(cells: Cells) -> tuple[SeriesInfo, ...]:
    """Of many cells the means."""
    known: tuple[SeriesInfo, ...] = SERIES
    if cells.n_cells > 1:
        known = tuple(replace(one, title=f"{one.title}, mean") if one.name in MEANS else one for one in SERIES)
    return (*known, *losses.series(cells), *ageing_series(cells))


def ageing_series(cells: Cells) -> tuple[SeriesInfo, ...]:
    if cells.ageing is None:
        return ()
    return AGEING_SERIES if cells.ageing.plating != "none" else AGEING_SERIES[:1]


def charts(cells: Cells, cycles: Cycles | None, driven: bool) -> tuple[ChartInfo, ...]:
    """What a person who chose such a problem looks at comes first: cycles where cells age, losses of a single cell,
    heat of many or where a cell follows a drive cycle (``driven``)."""
    titles = {one.name: one.title for one in series(cells)}
    many = cells.n_cells > 1
    known = {
        name: ChartInfo(name, titles[name], unit, (name,), comparable=True)
        for name, unit in (("current", "A"), ("power", "W"), ("temperature", "°C"), ("capacity", "A h"))
    }
    known["voltage"] = ChartInfo(
        "voltage", "Voltage, mean, 5–95 %" if many else titles["voltage"], "V", ("voltage",),
        (("voltage_p05", "voltage_p95"),) if many else (), comparable=True,
    )  # fmt: skip
    known["losses"] = losses.chart(cells)
    known |= {chart.name: chart for chart in (cycles.charts if cycles is not None else ())}
    order = ["voltage", "losses", "temperature", "current", "power", "capacity"]
    if many or driven:
        order = ["voltage", "temperature", "current", "power", "capacity", "losses"]
    if not cells.lumped:
        order.remove("temperature")
    if cycles is not None:
        order = ["cycle_capacity", "voltage", "cycle_lithium", *(name for name in order if name != "voltage")]
        order += [name for name in known if name.startswith("cycle_") and name not in order]
    return tuple(known[name] for name in order)
