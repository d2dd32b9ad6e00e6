"""Mean and percentiles of many cells at many times, on either backend; means of what was selected."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.backend.precision import REAL
from engines.backend.twins import pick

SOURCE = Path(__file__).with_name("bands.cu")
SHARES = (0.05, 0.5, 0.95)
THREADS = 256


@dataclass(frozen=True)
class Bands:
    """(rows,) float64 each: numbers in the row that are not NaN, their mean and percentiles, which between two
    numbers are interpolated (NumPy's definition)."""

    count: Array
    mean: Array
    low: Array
    middle: Array
    high: Array


def bands(backend: Backend, values: Any, n: int) -> Bands:
    """5th, 50th and 95th percentile of each row of the device array ``values: (rows, stride)``, its first n columns."""
    return Bands(*np.ascontiguousarray(pick(backend, cpu=_on_cpu, cuda=_on_gpu)(backend, values, n).T))


def bands_on_host(values: Array, n: int) -> Bands:
    """The same of an array on the host."""
    return Bands(*np.ascontiguousarray(_on_cpu(None, values, n).T))


def means(backend: Backend, values: Any, n: int) -> Array:
    """(rows,) float64 mean of the numbers in each row of the device array ``values``, as :func:`bands`; NaN of none."""
    return pick(backend, cpu=_means_on_cpu, cuda=lambda *given: bands(*given).mean)(backend, values, n)


def _means_on_cpu(backend: Backend, values: Array, n: int) -> Array:
    there = ~np.isnan(values[:, :n])
    count = there.sum(axis=1)
    total = np.where(there, values[:, :n], 0.0).sum(axis=1, dtype=float)
    return np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)


def run_means(values: Array, offsets: Array | None) -> Array:
    """(m, …) means of the host's ``values[offsets[i]:offsets[i + 1]]``, NaN of none; without ``offsets`` the values."""
    if offsets is None:
        return values
    nothing = np.full(values.shape[1:], np.nan)
    return np.array([values[a:b].mean(axis=0) if b > a else nothing for a, b in pairwise(offsets)])


def _on_cpu(backend: Backend | None, values: Array, n: int) -> Array:
    if n == 1:  # each row's one number is all that there is to tell
        only = values[:, :1].astype(float)
        return np.concatenate([~np.isnan(only), np.repeat(only, 1 + len(SHARES), axis=1)], axis=1)
    found = np.full((len(values), 2 + len(SHARES)), np.nan)
    whole = ~np.isnan(values[:, :n]).any(axis=1)
    if n and whole.any():  # at once, which for few cells is several times as fast
        rows = values[whole, :n]
        found[whole, 0], found[whole, 1] = n, rows.mean(axis=1, dtype=float)
        found[whole, 2:] = _percentiles(rows)
    for place in np.flatnonzero(~whole):
        row, out = values[place, :n], found[place]
        numbers = row[~np.isnan(row)]
        out[0] = len(numbers)
        if len(numbers):
            out[1], out[2:] = numbers.mean(dtype=float), _percentiles(numbers)
    return found


def _percentiles(numbers: Array) -> Array:
    """(…, len(SHARES)) float64 along the last axis; np.percentile takes several times as long for few cells."""
    last = numbers.shape[-1] - 1
    places = np.array(SHARES) * last
    below = places.astype(int)
    above = np.minimum(below + 1, last)
    ranked = np.partition(numbers, [*below, *above], axis=-1)
    low, high = ranked[..., below].astype(float), ranked[..., above].astype(float)
    return low + (places - below) * (high - low)


def _on_gpu(backend: Any, values: Any, n: int) -> Array:
    kernel = backend.compile(SOURCE, (REAL[values.dtype.name],)).get_function("row_bands")
    out = backend.empty((len(values), 2 + len(SHARES)), np.float64)
    with backend.active():
        kernel(
            (len(values),), (THREADS,),
            (values, *map(np.float64, SHARES), out, np.int32(n), np.int32(values.shape[1])),
        )  # fmt: skip
    return backend.to_host(out)
