"""Running Fourier sums of a plane: for each frequency by itself, for all at once, and of gathered samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.backend.lab.timing import graph_seconds
from engines.backend.twins import pick
from engines.fdtd.lab.variants import spectra_kernels

FILE = Path(__file__).with_name("variants") / "spectra.cu"
SAMPLES = 16
"""Steps that are gathered; ``spectra.cu`` is compiled for them."""
DECIMATION = 8
"""Steps between samples in the last way: below half of what Nyquist asks at 20 cells per wavelength."""
THREADS = 256
EACH, TOGETHER, GATHERED = "Each frequency, each step", "All frequencies, each step", "Gathered, 16 steps at once"
DECIMATED = "Gathered, every 8th step"
QUICK: dict[str, tuple[int, ...]] = {"cpu": (100 * 100,), "cuda": (600 * 600,)}
THOROUGH: dict[str, tuple[int, ...]] = {"cpu": (100 * 100, 600 * 600), "cuda": (200 * 200, 600 * 600)}
"""Values of a component on a plane."""


class FourierSums:
    """Sums of ``n`` values at some frequencies, in float32. All methods inside of ``backend.active``.

    sums: (frequencies, 2, n); a *way* takes the values ``x``, (n,), of SAMPLES steps; turns: (frequencies, SAMPLES, 2)
    """

    def __init__(self, backend: Any, x: Array, turns: Array) -> None:
        self._backend = backend
        self._frequencies, self._n = len(turns), x.size
        self._turns = turns.astype(np.float32)
        # in the order in which the kernels of one step and of all of them read
        by_step = np.ascontiguousarray(np.moveaxis(self._turns, 1, 0))
        self._x, self._by_frequency = backend.array(x.astype(np.float32)), backend.array(self._turns)
        self._steps = [backend.array(step) for step in by_step]
        self.sums = backend.array(np.zeros((self._frequencies, 2, x.size), np.float32))
        self._samples = backend.array(np.zeros((SAMPLES, x.size), np.float32))
        self._cuda = pick(backend, cpu=False, cuda=True)
        self._kernels: dict[str, Any] = {}
        if self._cuda:
            module = backend.compile(FILE, (f"-DS={SAMPLES}",))
            names = ("one_frequency", "all_frequencies", "gather", "gathered")
            self._kernels = {name: module.get_function(name) for name in names}

    def _launch(self, name: str, *arguments: Any) -> None:
        self._kernels[name]((-(-self._n // THREADS),), (THREADS,), (*arguments, np.int32(self._n)))

    def each_frequency(self) -> None:
        for step in range(SAMPLES):
            for f in range(self._frequencies):
                cosine, sine = self._turns[f, step]
                if self._cuda:
                    self._launch("one_frequency", self.sums, self._x, np.int32(f), cosine, sine)
                else:
                    spectra_kernels.one_frequency(self.sums[f], self._x, cosine, sine)

    def all_frequencies(self) -> None:
        for turns in self._steps:
            if self._cuda:
                self._launch("all_frequencies", self.sums, self._x, turns, np.int32(self._frequencies))
            else:
                spectra_kernels.all_frequencies(self.sums, self._x, turns)

    def gathered(self) -> None:
        for slot in range(SAMPLES):
            if self._cuda:
                self._launch("gather", self._samples, self._x, np.int32(slot))
            else:
                spectra_kernels.gather(self._samples, self._x, slot)
        if self._cuda:
            self._launch("gathered", self.sums, self._samples, self._by_frequency, np.int32(self._frequencies))
        else:
            spectra_kernels.gathered(self.sums, self._samples, self._by_frequency)


class FourierTable(LabTable):
    id = "fdtd-fourier"
    title = "Running Fourier sums, gathered once against per frequency"
    summary = (
        "Sums of a component on a plane at some frequencies, fp32. Each frequency by itself reads the field once for "
        "each; all at once read it once and still read and write all sums in each step; gathered samples of 16 steps "
        "are added together, so the sums are read and written once in 16 samples. Every 8th step is far below what "
        "Nyquist asks of a wave of 20 cells."
    )
    columns = (
        Column("Values", result=False),
        Column("Frequencies", result=False),
        Column("Way", result=False),
        Column("Time", "µs per step"),
        Column("Against each", "", digits=3),
    )
    sizes: dict[str, tuple[int, ...]] = QUICK
    thorough_sizes: dict[str, tuple[int, ...]] = THOROUGH
    frequencies: tuple[int, ...] = (10, 100)

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        sizes = (self.thorough_sizes if thorough else self.sizes)[backend.info.kind]
        cases = [(n, count) for n in sizes for count in self.frequencies]
        rows: list[Row] = []
        for number, (n, count) in enumerate(cases):
            progress(f"Summing {n:,} values at {count} frequencies", number / len(cases))
            made = FourierSums(backend, np.random.default_rng(1).uniform(-1, 1, n), turns_of(count))
            ways: dict[str, Callable[[], None]] = {
                EACH: made.each_frequency, TOGETHER: made.all_frequencies, GATHERED: made.gathered,
            }  # fmt: skip
            found = {way: graph_seconds(backend, call) / SAMPLES for way, call in ways.items()}
            found[DECIMATED] = found[GATHERED] / DECIMATION
            rows += [(n, count, way, 1e6 * each, found[EACH] / each) for way, each in found.items()]
        return rows


def turns_of(count: int) -> Array:
    """(count, SAMPLES, 2): cos and sin of ωt at frequencies from 1/40 to 1/20 of a turn per step."""
    angles = 2 * np.pi * np.outer(np.linspace(1 / 40, 1 / 20, count), np.arange(1, SAMPLES + 1))
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)
