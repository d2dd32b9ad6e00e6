"""Which whole fields of a run are written, how often and in which form: a group of parameters that every engine has."""

from __future__ import annotations

from typing import ClassVar, Literal

from engines.api.charts import Fact
from engines.api.parameters import ParameterGroup, quantity

LABELS = {
    "series": "A file for each moment (.vtu, .vti)",
    "vtkhdf": "One file (VTKHDF)",
    "igb": "openCARP, meshalyzer (.igb, .dat)",
}
IN_SINGLE_AT_POINTS: tuple[str, ...] = ("igb",)
"""Forms of the numbers at the points of a mesh, in 4 bytes unless others are asked for."""
BYTES = {"float32": 4, "float64": 8}
"""Of a number."""


class FieldSeries(ParameterGroup):
    """Whole fields over time in a folder of results."""

    interval: float = quantity(
        0.0, "", "Time between two moments that are written, in the unit of time of the run; 0: the end alone",
        ge=0, le=1e12,
    )  # fmt: skip
    names: list[str] = quantity([], "", "Names of the fields that are written; none given: all", max_length=64)
    format: Literal["series", "vtkhdf"] = quantity(
        "series", "", "A file for each moment, or one that grows: compressed, for ParaView 5.12 and later",
        labels={name: LABELS[name] for name in ("series", "vtkhdf")},
    )  # fmt: skip
    precision: Literal["as computed", "float32", "float64"] = quantity(
        "as computed", "", "Numbers as the engine gives them, or in 4 or 8 bytes", advanced=True
    )


class Recording(ParameterGroup):
    """What of a run is written into a folder of results, besides series and charts."""

    only_written: ClassVar[frozenset[str]] = frozenset({"fields"})
    """Which of these decide of files alone, that whoever writes them goes on with or refuses. All else of such a group
    is what numbers and columns are computed with."""

    fields: FieldSeries = quantity(FieldSeries(), "", "Which whole fields, how often and in which form")


def series_of(parameters: object, interval: float | None = None) -> FieldSeries:
    """What a problem asks for, the usual where its engine has no such group; an ``interval`` counts before its own."""
    found = getattr(getattr(parameters, "recording", None), "fields", None)
    series = found if isinstance(found, FieldSeries) else FieldSeries()
    return series if interval is None else series.model_copy(update={"interval": interval})


def moments_on_disk(series: FieldSeries, until: float, step: float) -> int:
    """Whole steps that are written ``until`` then: those nearest to multiples of the interval, or all where it is
    shorter than a ``step``, and the last, but in a form of moments at equal distances."""
    last, every = max(1, round(until / step)), max(series.interval, step)
    index = round(last * step / every)
    index -= round(index * every / step) > last
    return index + 1 + (series.format != "igb" and round(index * every / step) < last)


def series_on_disk(
    series: FieldSeries, elements: int, until: float | None, step: float, field_bytes: int
) -> tuple[Fact, ...]:
    """How much each number of an element takes, over all moments and before it is packed; where an end is known.
    ``field_bytes``: of a number as the engine gives it."""
    if not series.interval or until is None:
        return ()
    moments, count = moments_on_disk(series, until, step), len(series.names)
    as_computed = BYTES["float32"] if series.format in IN_SINGLE_AT_POINTS else field_bytes
    size = moments * elements * BYTES.get(series.precision, as_computed) * max(count, 1) / 1e6
    which = f"{count} field{'s' * (count > 1)}" if count else "each field"
    return (
        Fact(f"Moments on disk of {which}", moments, "1"),
        Fact(f"Room for {which} at most, per component", size, "MB"),
    )
