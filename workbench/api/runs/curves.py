"""Curves of a run by name: its series over time, and those of its charts at this moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from engines.api import Array, SeriesInfo
from engines.api.charts import ChartData, ChartInfo
from engines.api.errors import ProblemError
from workbench.api.arrays import Quantity, needed
from workbench.api.names import UnknownNameError, unknown
from workbench.api.plot import drawn
from workbench.api.runs.keeping import Keeper

Marks = Literal["line", "dots", "none"]
MARKS: dict[str, Marks] = {"raster": "dots", "matrix": "none"}
"""Of kinds of charts whose points no line joins."""


@dataclass(frozen=True, eq=False)
class Curve:
    """One curve: ``values: (n,)`` over ``x: (n,)``, both with their unit; NaN interrupts it.

    Bars of a histogram have their ``n + 1`` edges in ``x``. ``low`` and ``high: (n,)`` are a band around it (None:
    none); ``across: (n,)`` is the second abscissa of a pattern. ``over_time``: ``x`` is the simulated time. ``marks``:
    how it is drawn; a raster has a dot for each point, a row of a matrix is not drawn. ``note``: of which part of all
    its chart is, and why it may not be right yet.
    """

    name: str
    title: str
    x: Quantity
    values: Quantity
    low: Quantity | None = None
    high: Quantity | None = None
    across: Array | None = None
    over_time: bool = False
    marks: Marks = "line"
    note: str = ""

    def __post_init__(self) -> None:
        """Values know their abscissa, for :meth:`Quantity.to_xarray`; those of bars stand in their middles."""
        dim, x = self.x.name.lower() or "x", np.asarray(self.x)
        middles = x if len(x) == len(self) else (x[1:] + x[:-1]) / 2
        for each in (self.values, self.low, self.high):
            if each is not None and each.shape == middles.shape:
                each.dims, each.coordinates = (dim,), {dim: Quantity(middles, self.x.unit, self.x.name)}

    @property
    def unit(self) -> str:
        return self.values.unit

    @property
    def time(self) -> Quantity:
        """The abscissa of a curve over time. Raises ProblemError for another."""
        if not self.over_time:
            raise ProblemError(f"'{self.name}' is a curve over {self.x.name or 'x'}, not over time: take its .x.")
        return self.x

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype, copy=copy) if copy else np.asarray(self.values, dtype)

    def to_xarray(self) -> Any:
        """As an ``xarray.DataArray`` over its abscissa. Raises ProblemError without xarray."""
        xarray = needed("xarray")
        coordinates = {
            dim: (dim, np.asarray(where), {"units": where.unit}) for dim, where in self.values.coordinates.items()
        }
        attributes = {"units": self.unit, "long_name": self.title}
        return xarray.DataArray(
            np.asarray(self.values), coords=coordinates, dims=self.values.dims, name=self.name, attrs=attributes
        )

    def __repr__(self) -> str:
        unit = f" [{self.unit}]" if self.unit else ""
        over = f"{self.x.name or 'x'}{f' [{self.x.unit}]' if self.x.unit else ''}"
        told = f": {self.note}" if self.note else ""
        return f"<Curve '{self.name}': {self.title}{unit} over {over}, {len(self)} values{told}>"

    def _repr_html_(self) -> str | None:
        return drawn([self]) or None


class Chart(tuple[Curve, ...]):
    """The curves of one chart. Notebooks draw them over one abscissa, those of another unit below."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return drawn(self) or None


def curve_of_series(info: SeriesInfo, kept: Keeper, time_unit: str) -> Curve:
    """One number of the whole problem over time."""
    time = Quantity(kept.times, time_unit, "Time")
    return Curve(info.name, info.title, time, Quantity(kept.series(info.name), info.unit, info.title), over_time=True)


def curves_of_chart(info: ChartInfo, data: ChartData) -> Chart:
    """The curves of a chart that is not over time, by ``chart/curve``; a title that stands there twice is numbered."""
    titles, words = [curve.title for curve in data.curves], dict(info.words)
    note = ". ".join(each for each in (data.part, data.note) if each)
    found = []
    for place, curve in enumerate(data.curves):
        name = curve.title if titles.count(curve.title) == 1 else f"{curve.title} {place + 1}"
        low, high = (None if end is None else Quantity(end, info.unit) for end in (curve.low, curve.high))
        x = Quantity(curve.x, info.x_unit, info.x_title)
        title = words.get(curve.title, curve.title)
        values = Quantity(curve.y, info.unit, title)
        over_time = info.x_title == "Time"
        marks = MARKS.get(info.kind, "line")
        found.append(Curve(f"{info.name}/{name}", title, x, values, low, high, curve.across, over_time, marks, note))
    return Chart(found)


class Curves(Mapping[str, Curve]):
    """Series by their names, curves of charts by ``chart/curve``; their titles do as well where one curve alone has it.

    ``chart`` gives the data of a chart at this moment; each is asked for once.
    """

    def __init__(self, series: Mapping[str, Curve], charts: Sequence[ChartInfo], chart: Any) -> None:
        self._series, self._infos, self._chart = series, charts, chart
        self._of_charts: dict[str, Curve] | None = None

    def __reduce__(self) -> Any:
        """What is copied or pickled is what is there now."""
        return dict, (dict(self),)

    def _every(self) -> dict[str, Curve]:
        if self._of_charts is None:
            charts = [curve for info in self._infos for curve in curves_of_chart(info, self._chart(info.name))]
            self._of_charts = {curve.name: curve for curve in charts}
        return {**self._series, **self._of_charts}

    def __getitem__(self, name: str) -> Curve:
        if isinstance(name, str) and name in self._series:
            return self._series[name]
        every = self._every()
        if isinstance(name, str) and name in every:
            return every[name]
        folded = str(name).casefold()
        alike = [one for one in every.values() if folded in (one.title.casefold(), one.name.casefold())]
        alike = alike or [one for one in every.values() if folded == one.name.rpartition("/")[2].casefold()]
        alike = alike or [one for one in every.values() if folded == one.name.partition("/")[0].casefold()]
        if len(alike) == 1:
            return alike[0]
        if alike:
            names = ", ".join(f"'{one.name}'" for one in alike)
            raise UnknownNameError(f"'{name}' may be any of {names}: take one of these names.")
        raise unknown("curve", name, [*every, *(one.title for one in every.values())], every)

    def __iter__(self) -> Iterator[str]:
        return iter(self._every())

    def __len__(self) -> int:
        return len(self._every())

    def __repr__(self) -> str:
        return "\n".join(repr(curve) for curve in self._every().values()) or "<no curves>"
