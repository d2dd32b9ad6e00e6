"""What one paced beat by a scheme and a step is off a tight integration of the same cell, for models from files.

Trials are kept on disk by the model's step and the code that makes it: an estimate that asks again reads them.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

from engines.api import Progress, no_progress
from engines.api.errors import ProblemError
from engines.backend.cache_dir import keep
from engines.cardiac.compiler.accuracy.beat import BEAT, CHARGE, PULSE, Beat, beats_dir, reference_beat
from engines.cardiac.compiler.convergence import OUT_OF_RANGE
from engines.cardiac.compiler.cpu_kernels import digest
from engines.cardiac.compiler.limits import ACTIVATION_ERROR, DURATION_ERROR, shape
from engines.cardiac.compiler.model import CellModel, StepLimit
from engines.cardiac.compiler.schemes import Scheme, Step, step
from engines.cardiac.compiler.single import Pulse, run
from engines.reading import read_json

STEPS = (0.0025, 0.005, 0.01, 0.02, 0.04, 0.05, 0.1, 0.125, 0.2)
"""Steps that are tried besides the problem's own [ms]."""


@dataclass(frozen=True)
class Trial:
    """One beat by a scheme at a step [ms]: whether it stayed a number within the range of voltages, its duration and
    what activation and duration are off [ms]; NaN where it has none."""

    scheme: Scheme
    step: float
    stable: bool
    duration: float
    activation_error: float
    duration_error: float

    @property
    def accurate(self) -> bool:
        """Activated within 0.1 ms and repolarised within 1 ms; not where either is NaN."""
        return abs(self.activation_error) <= ACTIVATION_ERROR and abs(self.duration_error) <= DURATION_ERROR


@dataclass(frozen=True)
class Accuracy:
    """The trials of one scheme, in ascending steps, and the beat that they are compared with."""

    beat: Beat
    trials: tuple[Trial, ...]

    @property
    def whole(self) -> bool:
        """Whether there is a whole beat to compare with."""
        return self.beat.excited and math.isfinite(self.beat.duration)

    @property
    def limit(self) -> StepLimit:
        """The largest stable and accurate steps, below which all that were tried are."""
        stable = accurate = None
        for trial in self.trials:
            if not trial.stable:
                break
            stable = trial.step
        for trial in self.trials:
            if not trial.accurate:
                break
            accurate = trial.step
        return StepLimit(self.trials[0].scheme, stable, accurate)

    def at(self, step: float) -> Trial:
        """The trial at this step, which must be among them."""
        return next(trial for trial in self.trials if trial.step == step)


def accuracy(model: CellModel, scheme: Scheme, own: float, progress: Progress = no_progress) -> Accuracy:
    """The trials of a scheme at :data:`STEPS` and the step ``own`` [ms].

    The first time it compiles the scheme and integrates the beat: some seconds of a core."""
    beat = reference_beat(model, progress)
    trials = {trial.step: trial for trial in _trials(model, scheme, STEPS, beat)}
    if own not in trials:
        (trials[own],) = _trials(model, scheme, (own,), beat)
    return Accuracy(beat, tuple(trials[step] for step in sorted(trials)))


@lru_cache(maxsize=256)
def _trials(model: CellModel, scheme: Scheme, steps: tuple[float, ...], beat: Beat) -> tuple[Trial, ...]:
    compiled = _compiled(model, scheme)
    name = hashlib.sha256(f"{digest(compiled)} {scheme} {beat} {steps}".encode()).hexdigest()[:24]
    path = beats_dir() / f"{name}.json"
    try:
        kept = tuple(Trial(**trial) for trial in read_json(path))
        if tuple(trial.step for trial in kept) == steps:
            return kept
    except (ProblemError, TypeError):
        pass  # none are kept yet, or they were cut short: tried again
    trials = tuple(_trial(compiled, dt, beat) for dt in steps)
    keep(path, json.dumps([asdict(trial) for trial in trials]).encode())
    return trials


@lru_cache(maxsize=16)
def _compiled(model: CellModel, scheme: Scheme) -> Step:
    return step(model, scheme)


def _trial(compiled: Step, dt: float, beat: Beat) -> Trial:
    on = max(1, round(PULSE / dt))  # whole steps that bring as much charge
    pulse = Pulse(CHARGE / (on * dt), 0.0, on * dt)
    voltage, states = run(compiled, dt, math.ceil(BEAT / dt), 1, pulse)
    low, high = beat.lowest - OUT_OF_RANGE, beat.highest + OUT_OF_RANGE
    stable = bool(np.isfinite(voltage).all() and np.isfinite(states).all())
    stable = stable and bool(voltage.min() > low and voltage.max() < high)
    activation, duration = shape(voltage, dt) if stable else (math.nan, math.nan)
    return Trial(compiled.scheme, dt, stable, duration, activation - beat.activation, duration - beat.duration)
