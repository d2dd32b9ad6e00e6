"""How loads come on, as functions of time: their share of the value given, and the integral of that."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.peridynamics.loading.typed_histories import typed_share
from engines.peridynamics.parameters.loading.histories import (
    ConstantRate,
    FromFile,
    HalfSine,
    History,
    Ramp,
    Sine,
    SmoothStep,
    Sudden,
    TypedHistory,
)
from engines.tables.files import read_table

MICRO = 1e-6


def smooth(share: Array) -> Array:
    """0 before 0, 1 after 1, with slope and curvature 0 at both ends."""
    x = np.clip(share, 0.0, 1.0)
    return np.asarray(x * x * x * (10 - 15 * x + 6 * x * x))


def smooth_integral(share: Array) -> Array:
    """The integral of :func:`smooth` from 0."""
    x = np.clip(share, 0.0, 1.0)
    return np.asarray(x**4 * (2.5 - 3 * x + x * x) + np.maximum(share - 1.0, 0.0))


def table_of(history: FromFile) -> Array:
    """(rows, 2) of time [us] and share. Raises ProblemError."""
    return read_table(history.path, "history", ("time", "value"), ("us", ""))


def share(history: History, time: Array, table: Array | None = None) -> Array:
    """What there is of a load at ``time: (n,)`` [s] from the start; 1 is all.

    ``table``: of a history from a file, which is read otherwise. Raises ProblemError for a file.
    """
    match history:
        case Sudden():
            return np.ones_like(time)
        case SmoothStep():
            return smooth(time / (history.rise * MICRO))
        case Ramp():
            return np.clip(time / (history.rise * MICRO), 0.0, 1.0)
        case ConstantRate():
            return np.asarray(time / (history.time * MICRO))
        case Sine():
            phase = _phase(history, time)
            return np.asarray(np.sin(2 * np.pi * phase))
        case HalfSine():
            return np.sin(np.pi * np.clip(time / (history.duration * MICRO), 0.0, 1.0))
        case FromFile():
            times, values = (table_of(history) if table is None else table).T
            return np.interp(time / MICRO, times, values)
        case TypedHistory():
            return typed_share(tuple(history.lines)).at(time / MICRO)


def share_integral(history: History, time: Array, table: Array | None = None) -> Array:
    """The integral of :func:`share` from 0 [s]: how far particles go whose velocity has this history."""
    match history:
        case Sudden():
            return np.array(time, float)
        case SmoothStep():
            rise = history.rise * MICRO
            return rise * smooth_integral(time / rise)
        case Ramp():
            rise = history.rise * MICRO
            return np.asarray(0.5 * np.minimum(time, rise) ** 2 / rise + np.maximum(time - rise, 0.0))
        case ConstantRate():
            return np.asarray(0.5 * time**2 / (history.time * MICRO))
        case Sine():
            phase = _phase(history, time)
            return np.asarray(history.period * MICRO * (1 - np.cos(2 * np.pi * phase)) / (2 * np.pi))
        case HalfSine():
            lasts = history.duration * MICRO
            return np.asarray(lasts / np.pi * (1 - np.cos(np.pi * np.clip(time / lasts, 0.0, 1.0))))
        case FromFile():
            times, values = (table_of(history) if table is None else table).T * np.array([[MICRO], [1.0]])
            start, *_ = np.interp([0.0], times, values)
            after = times > 0
            times, values = np.concatenate([[0.0], times[after]]), np.concatenate([[start], values[after]])
            areas = np.concatenate([[0.0], np.cumsum(np.diff(times) * (values[1:] + values[:-1]) / 2)])
            row = np.clip(np.searchsorted(times, time, side="right") - 1, 0, len(times) - 1)
            return np.asarray(areas[row] + (time - times[row]) * (values[row] + np.interp(time, times, values)) / 2)
        case TypedHistory():
            return MICRO * typed_share(tuple(history.lines)).integral(time / MICRO)


def _phase(history: Sine, time: Array) -> Array:
    """In cycles; whole ones end where they began."""
    phase = time / (history.period * MICRO)
    return np.asarray(np.minimum(phase, history.cycles) if history.cycles else phase)
