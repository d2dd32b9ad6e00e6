"""Running Fourier sums of blocks of the field: what monitors of spectra have in common.

``F(ω) = Σ field(t) e^{iωt} Δt_s`` over samples ``every`` steps apart (Δt_s = every Δt), with t from the integer step in
float64; H, known half a step later, is turned by ``e^{iωΔt/2}``. Sums are of the steps' precision: in batches of 8 or
16 samples 12,000 of them lose 2e-6 of the largest sum in float32 (one by one 8e-6), and twice the memory would buy less
than the fields have lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import FREQUENCY_UNITS, PER_UNIT, SPEED_OF_LIGHT, Yee
from engines.fdtd.monitors.frequencies import abscissa, frequencies_of, highest_content, interval, over_at
from engines.fdtd.monitors.sums.blocks import Block
from engines.fdtd.monitors.sums.sums import SUMS, padded
from engines.fdtd.parameters import Frequencies
from engines.fdtd.sources.waveforms import TimeCourse
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.watch.watcher import FieldWatcher

FEWEST_PER_WAVELENGTH = 6.0
SMALL_BUFFER = 1 << 30
"""Bytes of samples up to which 16 of them are kept; above it 8, which cost a third more traffic and half the memory."""
MOST_VALUES = 1 << 31


@dataclass(frozen=True)
class Surroundings:
    """What monitors need to know of a problem: ``waveforms`` are those of its sources and then of its
    ports, in their order."""

    yee: Yee
    axes: Sequence[Axis]
    dt: float
    unit: str
    waveforms: tuple[TimeCourse, ...]
    value_bytes: int

    @property
    def content(self) -> float:
        """Highest frequency in the spectra of the sources [1/time unit]."""
        return highest_content(self.waveforms, self.dt)

    @property
    def over(self) -> float:
        """When the last pulse has nothing left to give [time unit]; 0 without one."""
        return max((over_at(waveform) for waveform in self.waveforms if not waveform.steady), default=0.0)


@dataclass(frozen=True)
class FourierPlan:
    """What a monitor sums: frequencies: (count,) [1/time unit]; every: steps between samples; batch: samples kept; yee:
    of the fields that are sampled, where these are a part of the grid."""

    name: str
    setting: Frequencies
    frequencies: Array
    every: int
    batch: int
    blocks: tuple[Block, ...]
    memory: int
    yee: Yee | None = None

    @property
    def starts(self) -> list[int]:
        """First value of each block."""
        return [0, *np.cumsum([block.size for block in self.blocks])[:-1].tolist()]


def fourier_plan(name: str, setting: Frequencies, blocks: Sequence[Block], around: Surroundings) -> FourierPlan:
    """Raises ProblemError for frequencies that the grid does not resolve, or samples too far apart."""
    frequencies = frequencies_of(setting, name)
    highest = float(frequencies.max())
    varying = [np.diff(around.yee.nodes(d)).max() for d in range(3) if around.yee.counts[d] > 1]
    coarsest = max(varying, default=around.yee.smallest)
    cells = SPEED_OF_LIGHT / highest / coarsest
    if cells < FEWEST_PER_WAVELENGTH:
        shown = around.unit.replace("um", "µm")
        raise ProblemError(
            f"Monitor '{name}' asks for a wavelength of {SPEED_OF_LIGHT / highest:.3g} {shown}, which has "
            f"{cells:.2g} cells: ask for {FEWEST_PER_WAVELENGTH * coarsest:.3g} {shown} or more, or use smaller cells."
        )
    most = interval(highest, around.content, around.dt)
    images = 1 / (setting.every * around.dt) - max(around.content, highest) if setting.every > 1 else highest
    if images < highest:  # what the sources send above it would be counted as one of these frequencies
        raise ProblemError(
            f"Monitor '{name}' takes a sample every {setting.every} steps, too few for its highest frequency "
            f"and those of the sources: use at most {most}, or 0 to have it chosen."
        )
    size = padded(sum(block.size for block in blocks))
    if max(block.size for block in blocks) >= MOST_VALUES:
        raise ProblemError(f"Monitor '{name}' has more than {MOST_VALUES:,} values of a component: make it smaller.")
    batch = 16 if 16 * size * around.value_bytes <= SMALL_BUFFER else 8
    memory = size * around.value_bytes * (2 * len(frequencies) + batch + 2)
    return FourierPlan(name, setting, frequencies, setting.every or most, batch, tuple(blocks), memory)


class FourierWatcher(FieldWatcher):
    """Sums of one monitor on the device."""

    def __init__(self, plan: FourierPlan, around: Surroundings, backend: Backend, steps: YeeSteps) -> None:
        self.plan, self.every = plan, plan.every
        self._around, self._backend = around, backend
        self._taken = 0
        self._sums = SUMS.open(backend, plan.yee or around.yee, steps, plan.blocks, len(plan.frequencies), plan.batch)

    def look(self, step: int) -> None:
        number = step // self.every - 1
        slot = number % self.plan.batch
        self._sums.sample(slot)
        self._taken = number + 1
        if slot == self.plan.batch - 1:
            self._sums.accumulate(self._turns(number - slot, self.plan.batch))

    def restored(self, step: int) -> None:
        self._taken = step // self.every

    def _turns(self, first: int, count: int) -> Array:
        """(frequencies, batch, 2): cos and sin of ωt of samples ``first`` … ``first + count − 1``, 0 for the rest."""
        found = np.zeros((len(self.plan.frequencies), self.plan.batch, 2))
        steps = (np.arange(first, first + count) + 1) * self.every
        # whole turns are taken off in float64 before the angle is formed
        turns = np.remainder(np.outer(self.plan.frequencies * self._around.dt, steps), 1.0)
        found[:, :count, 0], found[:, :count, 1] = np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)
        return found

    @property
    def waiting(self) -> int:
        """Samples that the sums do not have yet."""
        return self._taken % self.plan.batch

    def waiting_turns(self) -> Array:
        return self._turns(self._taken - self.waiting, self.waiting)

    @property
    def sample_time(self) -> float:
        """Δt_s [time unit]."""
        return self.every * self._around.dt

    @property
    def steps_taken(self) -> int:
        """Steps until the last sample."""
        return self._taken * self.every

    @property
    def given(self) -> bool:
        """Whether the pulses have given all: before, no ratio to a whole incident wave means anything."""
        return (self.steps_taken + self.every) * self._around.dt > self._around.over

    @property
    def taken(self) -> int:
        """Samples so far."""
        return self._taken

    def half_step(self) -> Array:
        """(frequencies,) ``e^{iωΔt/2}``: what H is turned by."""
        return np.asarray(np.exp(1j * np.pi * self.plan.frequencies * self._around.dt))

    def block_spectra(self, chosen: Sequence[int] | None = None) -> Array:
        """(frequencies, values) complex128 [V/m · time unit], H as η₀H, on the host: everything, or of some
        frequencies."""
        taken = list(range(len(self.plan.frequencies)) if chosen is None else chosen)
        found = np.empty((len(taken), sum(block.size for block in self.plan.blocks)), complex)
        for n, f in enumerate(taken):
            found[n] = self.block_spectrum(f)
        return found

    def block_spectrum(self, frequency: int) -> Array:
        """(values,) of one frequency, in the precision of the sums: of a volume not much more should be on the host."""
        with self._backend.active():
            found = self._sums.spectrum(frequency, self.waiting_turns())
        found = found[: sum(block.size for block in self.plan.blocks)]
        found *= self.sample_time
        turn_h = self.half_step()[frequency]
        for block, start in zip(self.plan.blocks, self.plan.starts, strict=True):
            if not block.electric:
                found[start : start + block.size] *= turn_h
        return found

    def abscissa(self) -> tuple[str, str, Array]:
        return abscissa(self.plan.setting, self.plan.frequencies, self._around.unit)

    def frequency_results(self) -> dict[str, Array]:
        unit = self._around.unit
        return {
            f"{self.plan.name}/frequency [{FREQUENCY_UNITS[unit]}]": PER_UNIT * self.plan.frequencies,
            f"{self.plan.name}/wavelength [{unit}]": SPEED_OF_LIGHT / self.plan.frequencies,
        }

    def parts(self) -> dict[str, Any]:
        return {"sums": self._sums.sums, "samples": self._sums.samples}
