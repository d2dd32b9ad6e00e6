"""What an engine offers for plotting besides fields: charts over time, charts of their own, and what is known of one
element.

The window, the recorder and the exporter draw and write charts without knowing the physics. A chart over time names
some of the simulation's series; any other chart is asked for with :meth:`engines.api.Simulation.chart`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ChartInfo:
    """One chart: ``title`` and ``unit`` are those of the ordinate, which ``y_title`` names where the title says more.

    With ``series`` it is over time: a curve for each name of a series (``kind="area"``: stacked areas, as in a
    decomposition of losses), and each of ``bands`` shades between two series (percentiles). ``lines`` are further
    series, drawn as lines over stacked areas (the work that energies add up to).
    Without, its abscissa is ``x_title`` [``x_unit``] and its points come from :meth:`Simulation.chart`:
    ``"line"``, ``"bar"`` for histograms, or ``"raster"``, a dot for each point. ``comparable``: measured data (columns
    x, y) may be laid over it, and its root mean square difference from the first curve said.

    ``"polar"``: the abscissa is an angle [°], from the right and counterclockwise, or ``clockwise`` from the top.
    ``"pattern"``: a surface whose distance from the middle in each direction is the ordinate, over polar angles in
    ``x`` and azimuths in ``Curve.across`` (``across_title``). Of both ``span`` is how far below the largest value the
    middle stands, for decibels; 0: the middle is zero.

    ``"matrix"``: a coloured cell for each number, a row for each curve (``across_title`` says what rows are) and
    columns (``x_title``) that ``ChartData.columns`` names.

    ``binned``: values are rates over a short time up to each point (of spikes), so that of a run one reads their mean;
    ``means``: the series that are those of ``series`` from the beginning of the run on, counted, not read of a curve.

    ``words``: what curves are called whose titles are symbols, (("T", "Transmission"),): scripts may use either.
    """

    name: str
    title: str
    unit: str
    series: tuple[str, ...] = ()
    bands: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()
    kind: Literal["line", "area", "bar", "raster", "polar", "pattern", "matrix"] = "line"
    x_title: str = ""
    x_unit: str = ""
    comparable: bool = False
    clockwise: bool = False
    across_title: str = ""
    span: float = 0.0
    words: tuple[tuple[str, str], ...] = ()
    y_title: str = ""
    binned: bool = False
    means: tuple[str, ...] = ()


def means_in(charts: Iterable[ChartInfo]) -> set[str]:
    """The series that charts tell as their means, and draw no curves of."""
    return {name for chart in charts for name in chart.means}


@dataclass(frozen=True)
class Curve:
    """One curve, or one set of bars, of a chart.

    ``x, y: (n,)`` float64, NaN in ``y`` interrupts a line. Bars have ``edges: (n+1,)`` in ``x`` instead.
    ``shade: (n,)`` in 0..1 colours bars by the colour map (how lithiated, how damaged); ``low``/``high: (n,)`` is a
    band around a line. ``told`` is the place of the point that is the present one, as -1 of a curve that grows: its
    value is told while nobody points at another. None: none of them is. ``over``: a line over stacked areas.
    ``across: (n,)`` is the second abscissa of a pattern: a full grid, ``across`` running first and once around.
    ``mean``: that of the run, where it is known better than from the points.
    """

    title: str
    x: Array
    y: Array
    shade: Array | None = None
    low: Array | None = None
    high: Array | None = None
    told: int | None = None
    across: Array | None = None
    over: bool = False
    mean: float | None = None


@dataclass(frozen=True)
class ChartData:
    """The curves of one chart at one moment. ``shade_title`` says what the colour of bars means, ``columns`` those of a
    matrix, ``note`` why the curves may not be right yet, a sentence; empty where they are. ``part``: of which part of
    all the chart is, as "one neuron in 8"."""

    curves: tuple[Curve, ...]
    shade_title: str = ""
    columns: tuple[str, ...] = ()
    note: str = ""
    part: str = ""


@dataclass(frozen=True)
class Fact:
    """A number known of one element: ``Overpotential  −12.3 mV``."""

    title: str
    value: float
    unit: str


@dataclass(frozen=True, eq=False)
class Links:
    """What joins an element to others (its bonds), drawn as lines in the colours of ``values: (n,)`` [``unit``] over
    ``range``; NaN: a link that is gone. ``segments: (n, 2, 3)`` on the geometry as it stands and ``displacements``, of
    the same shape, of their ends since (None: none), in its unit of length."""

    title: str
    unit: str
    range: tuple[float, float]
    segments: Array
    values: Array
    displacements: Array | None = None


@dataclass(frozen=True)
class Inspection:
    """What is known of one element beyond its fields: a title, numbers, profiles (charts with their data), and what
    joins it to others. ``charts_first``: the profiles are what one clicks for, and stand above the numbers."""

    title: str
    facts: tuple[Fact, ...] = ()
    profiles: tuple[tuple[ChartInfo, ChartData], ...] = ()
    links: Links | None = None
    charts_first: bool = False


@dataclass(frozen=True)
class DiagramNode:
    """A part of a problem. ``lines``: what else is said of it; ``place``: its parameters, which a click leads to."""

    title: str
    lines: tuple[str, ...]
    place: tuple[str | int, ...]


@dataclass(frozen=True)
class DiagramEdge:
    """From one node to another, by their places in the list. ``weight``: what its width is by; ``negative``: it takes
    away what others add."""

    source: int
    target: int
    weight: float
    negative: bool
    label: str
    place: tuple[str | int, ...]


@dataclass(frozen=True)
class Diagram:
    """What of a problem is joined to what. ``positive``, ``negative`` and ``width`` name what edges mean."""

    title: str
    nodes: tuple[DiagramNode, ...]
    edges: tuple[DiagramEdge, ...]
    positive: str
    negative: str
    width: str


class Forecast(ABC):
    """The whole run of a problem, solved again within about a frame whenever a live parameter moves.

    Belongs to one thread at a time. ``charts`` names those charts (over time) that :meth:`solve` answers; what it gives
    is drawn behind the curves of the run.
    """

    charts: tuple[ChartInfo, ...]

    @abstractmethod
    def solve(self, controls: Mapping[str, Any]) -> Mapping[str, ChartData]:
        """Curves over time by chart name, with the live parameters ``controls`` (dotted names) changed."""

    @abstractmethod
    def close(self) -> None:
        """Free the device memory."""


EMPTY = ChartData(())


def histogram(values: Array, edges: Array, title: str, shade: Array | None = None) -> Curve:
    """Bars of how many of ``values`` lie between ``edges``; each coloured by the mean of ``shade`` of those in it."""
    counts, _ = np.histogram(values, edges)
    means = None
    if shade is not None:
        sums, _ = np.histogram(values, edges, weights=shade)
        means = np.divide(sums, counts, out=np.zeros(len(counts)), where=counts > 0)
    return Curve(title, np.asarray(edges, float), counts.astype(float), means)
