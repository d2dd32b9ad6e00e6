"""Whether what a window asks for is there, and what comes is what it asked for.

Else kernels, on either side, would read other memory, or a run would end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from engines.api import Array, Selection, SimulationInfo
from engines.api.charts import ChartInfo
from engines.api.simulation.contract import check_chart, check_inspection, check_markers, check_segments
from workbench.remote.codec import WireError
from workbench.run.frames import Frame, FrameRequest, Message, Reading, Sample

LONGEST_TEXT = 4096
MOST_OF_A_RUN, MOST_AT_ONCE = 256, 4096
"""Fields, charts, brushes, … of a run, and samples, marks, … of a moment: a window draws each of them."""
LAST_SECOND = 2.0**37
"""[s] since 1970: of the year 6325."""
RATES = ("seconds_per_step", "bytes_per_second", "fraction_of_ceiling", "seconds")
SPEEDS = ("wall_seconds", "steps_per_second", "time_per_second", "bytes_per_second", "fraction_of_ceiling")

Parts = Mapping[str, tuple[str, int]]
"""Field and number of values that are asked for, by the name of the part."""


def check_request(request: FrameRequest, info: SimulationInfo) -> None:
    """Raises WireError."""
    known = {field.name for field in (*info.fields, *([] if info.displaced is None else [info.displaced]))}
    known |= {info.hidden_by, *(name for vector in info.vectors for name in vector.named)}
    for field, selection in request.parts.values():
        if field not in known:
            raise WireError(f"A field '{field[:40]}' was asked for that this run has not.")
        check_selection(selection, info)
    check_elements([each for each in (request.element, *(request.pair or ())) if each is not None], info)


def check_frame(frame: Frame, asked: Parts, info: SimulationInfo) -> None:
    """Raises WireError."""
    components = {field.name: field.components for field in (*info.fields, info.displaced) if field is not None}
    for part, values in frame.values.items():
        name, count = asked.get(part, ("", -1))
        right = values.dtype == np.float32 and values.ndim in (1, 2) and len(values) == count
        if not right or values.size != count * components.get(name, 1):
            raise WireError("Values came that nobody had asked for: is the same version on both sides?")
    check_moment(frame.step, frame.time)
    charts = {chart.name: chart for chart in info.charts}
    for name, data in frame.charts.items():
        check_chart(charts.get(name) or ChartInfo(name, name, ""), data)
    check_inspection(frame.inspection)
    check_inspection(frame.measurement)
    if frame.markers is not None:
        check_markers(frame.markers.positions, frame.markers.signs)
    if frame.lines is not None:
        check_segments(frame.lines.segments, frame.lines.displacements)


def check_moment(step: int, time: float) -> None:
    """Raises WireError for what is none of a run."""
    if step < 0 or not 0 <= time < math.inf:
        raise WireError("A moment came that is none of a run: is the same version on both sides?")


def check_size(value: Any, most: int) -> None:
    """Raises WireError for a text, or a group of more than ``most``, that a window would be busy with for minutes."""
    inner: tuple[Any, ...] = ()
    if isinstance(value, str):
        right = len(value) <= LONGEST_TEXT
    elif isinstance(value, Mapping):
        right, inner = len(value) <= most, (*value.keys(), *value.values())
    elif isinstance(value, tuple | list):
        right, inner = len(value) <= most, tuple(value)
    elif is_dataclass(value):
        right, inner = True, tuple(getattr(value, each.name) for each in fields(value))
    else:
        return
    if not right:
        raise WireError("More came of the run than a window can show: is the same version on both sides?")
    for each in inner:
        check_size(each, most)


def check_samples(samples: Iterable[Sample]) -> None:
    """Raises WireError for speeds that are no numbers, for which gauges have no place, and for curves without as many
    values as times."""
    for sample in samples:
        check_moment(sample.step, sample.time)
        speeds = [getattr(sample, name) for name in SPEEDS]
        speeds += [getattr(rate, name) for rate in sample.kernels for name in RATES]
        speeds += [each for each in (sample.remaining, sample.part) if each is not None]
        if not all(map(math.isfinite, speeds)):
            raise WireError("Speeds came that are no numbers: is the same version on both sides?")
        n = len(sample.trace_times) if sample.trace_times.ndim else -1
        traces = [each.shape[:2] == (n, len(sample.probes)) for each in sample.traces.values()]
        right = all(each.shape == (n,) for each in (sample.trace_times, *sample.series.values())) and all(traces)
        finer = [each for pair in sample.finer.values() for each in pair]
        right &= all(t.ndim == 1 and v.ndim > 1 and len(t) == len(v) for t, v in sample.finer.values())
        right &= set(sample.finer) <= set(sample.traces)
        given = (sample.trace_times, *sample.series.values(), *sample.traces.values(), *finer)
        if not right or not all(each.dtype.kind in "biuf" for each in given):
            raise WireError("Curves came that are no numbers over time: is the same version on both sides?")


def check_reading(reading: Reading) -> None:
    """Raises WireError for what is none of a run, and where it is not as many numbers as probes."""
    check_moment(0, reading.time)
    n, given = len(reading.probes), reading.values.values()
    if not all(each.ndim in (1, 2) and len(each) == n and each.dtype.kind in "biuf" for each in given):
        raise WireError("Probes came without a number for each: is the same version on both sides?")


def check_messages(messages: Iterable[Message]) -> None:
    """Raises WireError for one of a time that no calendar has."""
    if not all(0 <= message.wall_time < LAST_SECOND for message in messages):
        raise WireError("A message came without a time: is the same version on both sides?")


def check_attached(
    until: float | None, pace: float | None, curves: Mapping[tuple[str, ...], tuple[Array, Array]]
) -> None:
    """What is told of a run that goes on. Raises WireError."""
    right = all(each is None or (math.isfinite(each) and each > 0) for each in (until, pace))
    for times, values in curves.values():
        plain = times.dtype.kind in "iuf" and values.dtype.kind in "iuf" and times.ndim == 1
        right = right and plain and values.ndim in (1, 2) and len(values) == len(times)
    if not right or len(curves) > MOST_AT_ONCE:
        raise WireError("What came of the run that goes on is no run's: is the same version on both sides?")


def check_elements(elements: Iterable[int], info: SimulationInfo) -> None:
    """Raises WireError."""
    if not all(0 <= element < info.geometry.n_cells for element in elements):
        raise WireError("An element was asked for that this problem has not.")


def check_selection(selection: Selection, info: SimulationInfo) -> None:
    """Raises WireError."""
    elements, offsets, points = selection.elements, selection.offsets, selection.points
    right = _numbers(elements, info.geometry.n_cells)
    if offsets is not None:
        right = right and _numbers(offsets, len(elements) + 1) and len(offsets) > 0
        right = right and offsets[0] == 0 and offsets[-1] == len(elements) and bool((np.diff(offsets) >= 0).all())
    if points is not None:
        right = right and offsets is not None and len(points) == len(offsets) - 1
        right = right and _numbers(points, getattr(info.geometry, "n_points", 0))
    if not right:
        raise WireError("Elements were asked for that this problem has not.")


def _numbers(values: Array, stop: int) -> bool:
    """Whether it is a list of numbers from 0 on and below ``stop``, of the kind that devices take."""
    plain = values.ndim == 1 and values.dtype == np.int32
    return plain and (not len(values) or (int(values.min()) >= 0 and int(values.max()) < stop))
