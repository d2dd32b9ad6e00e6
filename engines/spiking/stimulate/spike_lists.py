"""Spikes of sources from a table: columns neuron, from 0, and time [ms]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.reading import Version, version_of
from engines.spiking.connectivity.files import read_columns
from engines.spiking.parameters.neurons import SpikeList

COLUMNS = ("neuron", "time")
NEARLY = 1e-6
"""Of a step: a time that is so little before one is meant to be in it."""


class Listed(NamedTuple):
    """The steps in which neurons fire by a list. starts: (n + 1,) int64, where those of a neuron begin in ``steps``,
    int32, in order; both are empty where no neuron has any"""

    starts: Array
    steps: Array


def read_spikes(path: str) -> tuple[Array, Array]:
    """Neurons and times [ms] of a table, float64. Raises ProblemError."""
    place = Path(path)
    if not path:
        raise ProblemError("No file with spikes is chosen: choose a CSV or npz file.")
    if not place.is_file():
        raise ProblemError(f"There is no file '{path}' with spikes: choose a CSV or npz file.")
    return _read(place, version_of(place))


@lru_cache(maxsize=16)
def _read(place: Path, version: Version) -> tuple[Array, Array]:
    """Of the file while it is this ``version``."""
    found = read_columns(place, COLUMNS, COLUMNS, "spikes", "spike")
    for name in COLUMNS:
        bad = np.flatnonzero((found[name] < 0) | ((name == "neuron") & (found[name] != np.floor(found[name]))))
        if len(bad):
            value = found[name][bad[0]]
            raise ProblemError(
                f"Spike {bad[0] + 1:,} in {place.name} has the {name} {value:g}: neurons are whole numbers from 0, "
                "times in ms from 0."
            )
    return found["neuron"], found["time"]


def check_spikes(neuron: SpikeList, number: int) -> None:
    """Raises ProblemError for a file that holds none, or those of more than ``number`` neurons."""
    with placed_at("path"):
        neurons, _ = read_spikes(neuron.path)
        if len(neurons) and neurons.max() >= number:
            raise ProblemError(
                f"{Path(neuron.path).name} has spikes of neuron {neurons.max():g}, and there are {number:,}, from 0: "
                "give the population as many."
            )


def together(path: str, steps: tuple[float, ...]) -> tuple[int, ...]:
    """How many spikes of a table are in a step with an earlier one of their neuron, with each of these steps [ms]."""
    return _together(Path(path), version_of(Path(path)), steps)


@lru_cache(maxsize=64)
def _together(place: Path, version: Version, steps: tuple[float, ...]) -> tuple[int, ...]:
    """Of the file while it is this ``version``."""
    neurons, times = _read(place, version)
    order = np.lexsort((times, neurons))
    same, times = np.diff(neurons[order]) == 0, times[order]
    return tuple(int((same & (np.diff(_steps(times, dt)) == 0)).sum()) for dt in steps)


def _steps(times: Array, dt: float) -> Array:
    return np.floor(times / dt + NEARLY)


def listed(populations: Sequence[tuple[object, int]], dt: float) -> Listed:
    """Of populations (neuron, how many); what is listed of more neurons than there are is left out, and two spikes of
    a neuron in a step are one. Raises ProblemError."""
    neurons, steps, first = [], [], 0
    for k, (neuron, number) in enumerate(populations):
        if isinstance(neuron, SpikeList):
            with placed_at("populations", k, "neuron", "path"):
                own, times = read_spikes(neuron.path)
            step = _steps(times, dt)
            within = (own < number) & (step < np.iinfo(np.int32).max)
            neurons.append(own[within].astype(np.int64) + first)
            steps.append(step[within].astype(np.int32))
        first += number
    if not sum(map(len, steps)):
        return Listed(np.zeros(0, np.int64), np.zeros(0, np.int32))
    whose, when = np.concatenate(neurons), np.concatenate(steps)
    order = np.lexsort((when, whose))
    starts = np.zeros(first + 1, np.int64)
    np.cumsum(np.bincount(whose, minlength=first), out=starts[1:])
    return Listed(starts, when[order])
