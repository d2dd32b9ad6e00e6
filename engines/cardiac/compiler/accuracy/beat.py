"""One paced beat of a cell by a tight integration of its equations: what every scheme and step is compared with.

LSODA of scipy (Petzold 1983) on the rates as NumPy computes them: it shares neither steps nor kernels with what runs in
a tissue. Its result is kept on disk by the model's equations and start.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import scipy

from engines.api import Array, Progress, no_progress
from engines.api.errors import ProblemError
from engines.backend.cache_dir import cache_dir, keep
from engines.cardiac.compiler.limits import shape
from engines.cardiac.compiler.model import CellModel
from engines.cardiac.compiler.relaxation import opened
from engines.formulas.emit_numpy import Program
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import simplify
from engines.reading import read_json

CHARGE, PULSE = 52.0, 1.0
"""The stimulus: what it would raise the voltage by on its own [mV], and how long it takes [ms]."""
BEAT = 1000.0
"""Time that is watched [ms]."""
TOLERANCE = 1e-8
"""Relative, and absolute in units of each state's start (of 1 where that is less)."""
SAMPLE = 0.02
"""Between two looks at the voltage [ms]."""
NUDGE = 1e-7
"""Relative change of a state for a column of the Jacobian."""
LOOK_AFTER = 50
"""Evaluations between two looks at whether the integration is still wanted."""
MOST_RATES = 50_000
"""Evaluations of the rates before it is given up: the models that come with the engine take 2,000 to 5,000."""


@dataclass(frozen=True)
class Beat:
    """``activation`` and ``duration`` at 90 % [ms], as :func:`engines.cardiac.compiler.limits.shape` finds them: NaN
    where the cell is not excited, or has not repolarised after :data:`BEAT`; ``lowest``, ``highest`` [mV];
    ``reached`` [ms], what could be integrated of :data:`BEAT`."""

    activation: float
    duration: float
    lowest: float
    highest: float
    reached: float = BEAT

    @property
    def excited(self) -> bool:
        """Whether the cell rose by more than the stimulus alone would have raised it."""
        return self.highest - self.lowest > CHARGE


_known: dict[CellModel, Beat] = {}


def reference_beat(model: CellModel, progress: Progress = no_progress) -> Beat:
    """The beat of a model with its file's parameters; a second or two of one core the first time."""
    if model not in _known:
        _known[model] = _kept_beat(model, progress)
    return _known[model]


def _kept_beat(model: CellModel, progress: Progress) -> Beat:
    path = beats_dir() / f"{digest(model)}.json"
    try:
        return Beat(**read_json(path))
    except (ProblemError, TypeError):
        pass  # none is kept yet, or it was cut short: integrated again
    voltage = integrated(model, progress)
    known = np.isfinite(voltage)
    times = shape(voltage, SAMPLE) if known.all() else (math.nan, math.nan)
    reached = BEAT if known.all() else SAMPLE * (int(known.argmin()) - 1)
    beat = Beat(*times, float(voltage[known].min()), float(voltage[known].max()), reached)
    keep(path, json.dumps(asdict(beat)).encode())
    return beat


class _GivenUp(Exception):
    """The integration has taken :data:`MOST_RATES`."""


def beats_dir() -> Path:
    return cache_dir() / "beats"


def digest(model: CellModel) -> str:
    """A name for the equations and their start."""
    start = [(state.name, state.initial) for state in model.states]
    text = f"{[rate.rank.hex() for rate in model.rates]} {start} {model.voltage} {TOLERANCE} {CHARGE} {PULSE} {BEAT}"
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def integrated(model: CellModel, progress: Progress = no_progress) -> Array:
    """(BEAT/SAMPLE + 1,) [mV] from the file's start, stimulated from 0 to :data:`PULSE` ms; NaN from where no step of
    the integration succeeds."""
    program = Program(remove_singularities(simplify(model.rates)))
    names = [state.name for state in model.states]
    values = {name: float(value) for name, value in opened(model).items()}
    start = np.array([state.initial for state in model.states])
    scale = np.maximum(np.abs(start), 1.0)
    push, calls = 0.0, 0

    def rates(time: float, states: Array) -> Array:
        nonlocal calls
        calls += 1
        if calls > MOST_RATES:
            raise _GivenUp
        if calls % LOOK_AFTER == 0:
            progress("Integrating one beat tightly", time / BEAT)
        found = np.array(program({**values, **dict(zip(names, map(np.float64, states), strict=True))}))
        found[model.voltage] += push
        return found

    def jacobian(_: float, states: Array) -> Array:
        nudges = NUDGE * np.maximum(np.abs(states), 1e-3 * scale)
        around = np.repeat(states[:, None], len(states) + 1, axis=1)
        around[range(len(states)), range(len(states))] += nudges
        rows = program({**values, **dict(zip(names, around, strict=True))})
        found = np.array([np.broadcast_to(row, len(states) + 1) for row in rows])
        return (found[:, :-1] - found[:, -1:]) / nudges

    voltage, states = [start[model.voltage]], start
    for begin, end, push in ((0.0, PULSE, CHARGE / PULSE), (PULSE, BEAT, 0.0)):  # noqa: B007 - rates read it
        times = np.linspace(begin, end, round((end - begin) / SAMPLE) + 1)
        try:
            found = scipy.integrate.solve_ivp(
                rates, (begin, end), states, "LSODA", times, rtol=TOLERANCE, atol=TOLERANCE * scale, jac=jacobian
            )
        except _GivenUp:
            break
        part = np.full(len(times), np.nan)
        part[: found.y.shape[1]] = found.y[model.voltage]
        voltage += part[1:].tolist()
        if not found.success:
            break
        states = found.y[:, -1]
    record = np.full(round(BEAT / SAMPLE) + 1, np.nan)
    record[: len(voltage)] = voltage
    return record
