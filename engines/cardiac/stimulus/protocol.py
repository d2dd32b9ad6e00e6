"""Stimulus sites and protocol: which cells receive current, and how much at each step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.cardiac.parameters import Stimulus, Tissue
from engines.cardiac.stimulus.reach import onto_tissue, site_cells
from engines.cardiac.tissue.sites import Sites

MAXIMUM = 32
"""Stimuli of one problem: each has its bit in a cell's mask."""


@dataclass(frozen=True)
class Pulse:
    """One stimulus in whole steps. ``current`` is in mV/ms (pA/pF), inward positive.

    ``decrement``: each period is so much shorter than the one before, down to ``shortest``.
    """

    current: float
    first: int
    length: int
    period: int
    count: int
    decrement: int = 0
    shortest: int = 1

    @cached_property
    def starts(self) -> Array:
        """(count,) int64: the first step of each pulse."""
        if self.count == 0:
            return np.zeros(0, np.int64)
        periods = np.maximum(self.period - self.decrement * np.arange(self.count - 1), self.shortest)
        return self.first + np.concatenate([[0], np.cumsum(periods)]).astype(np.int64)

    def on(self, step: int) -> bool:
        """Whether current flows during the step from ``step`` to ``step + 1``."""
        pulse = self.latest(step)
        return pulse >= 0 and step < int(self.starts[pulse]) + self.length

    def next_edge(self, step: int) -> float:
        """The first step after ``step`` at which the current switches on or off; infinity if it never does again.

        Where one pulse follows another without a pause, the start of the second is told too."""
        pulse = self.latest(step)
        ahead = float(self.starts[pulse + 1]) if pulse + 1 < self.count else math.inf
        end = int(self.starts[pulse]) + self.length if pulse >= 0 else step
        return min(end, ahead) if step < end else ahead

    def latest(self, step: int) -> int:
        """The last pulse that began by ``step``; −1 for none."""
        return int(np.searchsorted(self.starts, step, side="right")) - 1


class Protocol:
    """All stimuli of a problem. ``mask: (n_cells,) uint32``, bit k set where stimulus k enters."""

    def __init__(self, mask: Array, pulses: Sequence[Pulse]) -> None:
        self.mask = mask
        self.pulses = tuple(pulses)
        self._current: Array | None = None
        self._valid: tuple[float, float] = (0, 0)
        self._latest: tuple[int, float, float, Sequence[Pulse]] = (-1, 0, 0, ())  # from, until, of these

    def currents(self, step: int) -> Array | None:
        """(n_stimuli,) float64 [mV/ms] for this step, None if all are off. Kept between edges: asked at each step."""
        first, end = self._valid
        if not first <= step < end:
            values = np.array([pulse.current if pulse.on(step) else 0.0 for pulse in self.pulses])
            self._current = values if values.any() else None
            self._valid = (step, min((pulse.next_edge(step) for pulse in self.pulses), default=math.inf))
        return self._current

    def latest(self, step: int) -> int:
        """The step at which the latest pulse by ``step`` began; −1 where none has. Kept until the next begins: asked at
        each sample."""
        begun, first, end, pulses = self._latest
        if pulses is not self.pulses or not first <= step < end:
            places = [(pulse, pulse.latest(step)) for pulse in self.pulses]
            begun = max((int(pulse.starts[at]) for pulse, at in places if at >= 0), default=-1)
            ahead = (float(pulse.starts[at + 1]) for pulse, at in places if at + 1 < pulse.count)
            self._latest = begun, step, min(ahead, default=math.inf), self.pulses
        return begun

    def steady(self, step: int) -> float:
        """Steps from ``step`` on that have the same currents; infinity if they never change again."""
        self.currents(step)
        return self._valid[1] - step


def protocol(stimuli: Sequence[Stimulus], tissue: Tissue, mesh: Sites, step: float) -> Protocol:
    """Place the stimuli on the mesh. Raises ProblemError for a stimulus on no cell, too many, or impossible times."""
    if len(stimuli) > MAXIMUM:
        raise ProblemError(f"There are {len(stimuli)} stimuli; up to {MAXIMUM} fit: remove {len(stimuli) - MAXIMUM}.")
    mask = np.zeros(mesh.n_cells, np.uint32)
    for bit, stimulus in enumerate(stimuli):
        cells = site_cells(stimulus.site, mesh)
        if not cells.any():
            raise ProblemError(
                f"Stimulus '{stimulus.name}' lies on no cell: move or enlarge its site; {_extent(mesh)}.",
                ("stimuli", bit, "site"),
                onto_tissue(stimulus, bit, mesh.centroids),
            )
        mask[cells] |= np.uint32(1 << bit)
    return Protocol(mask, timed_pulses(stimuli, tissue, step))


def timed_pulses(stimuli: Sequence[Stimulus], tissue: Tissue, step: float) -> list[Pulse]:
    """The stimuli in whole steps of ``step`` [ms]; one that follows another is counted from that one's last pulse.

    Raises ProblemError for pulses that overlap, and for a stimulus that follows none, several, or itself.
    """
    names = [stimulus.name for stimulus in stimuli]
    known: dict[int, Pulse] = {}

    def pulse_of(place: int, waiting: tuple[int, ...]) -> Pulse:
        if place in waiting:
            circle = " and ".join(f"'{names[each]}'" for each in waiting[waiting.index(place) :])
            raise ProblemError(
                f"Stimulus {circle} would have to follow itself: let it begin at a time of its own.",
                ("stimuli", place, "after"),
            )
        if place not in known:
            stimulus = stimuli[place]
            first = round(stimulus.start / step)
            if stimulus.begins == "after":
                before = pulse_of(_followed(stimuli, place), (*waiting, place))
                first = int(before.starts[-1]) + round(stimulus.coupling / step)
            known[place] = _pulse(stimulus, place, first, tissue, step)
        return known[place]

    return [pulse_of(place, ()) for place in range(len(stimuli))]


def told_times(stimuli: Sequence[Stimulus], tissue: Tissue, step: float) -> str:
    """A sentence that tells when the stimuli begin that follow others; "" where none does."""
    pulses = timed_pulses(stimuli, tissue, step)
    times = [
        f"'{stimulus.name}' at {pulse.first * step:g} ms"
        for stimulus, pulse in zip(stimuli, pulses, strict=True)
        if stimulus.begins == "after"
    ]
    return f"By the coupling intervals, {', '.join(times)}." if times else ""


def _followed(stimuli: Sequence[Stimulus], place: int) -> int:
    """Which stimulus the one at ``place`` follows. Raises ProblemError."""
    name, where = stimuli[place].after, ("stimuli", place, "after")
    found = [k for k, other in enumerate(stimuli) if other.name == name]
    if len(found) == 1:
        return found[0]
    own = stimuli[place].name
    if found:
        raise ProblemError(
            f"Stimulus '{own}' follows '{name}', which is the name of {len(found)} stimuli: rename them.", where
        )
    others = ", ".join(f"'{other.name}'" for k, other in enumerate(stimuli) if k != place) or "none"
    raise ProblemError(f"Stimulus '{own}' follows '{name}', which there is not; there are: {others}.", where)


def _pulse(stimulus: Stimulus, place: int, first: int, tissue: Tissue, step: float) -> Pulse:
    shortest, what = stimulus.period, "period"
    if stimulus.decrement > 0.0:
        shortest, what = stimulus.shortest, "shortest period"
        if shortest > stimulus.period:
            raise ProblemError(
                f"Stimulus '{stimulus.name}' is paced faster with each pulse, from a period of {stimulus.period:g} ms "
                f"on, but its shortest one is {shortest:g} ms: make that one shorter.",
                ("stimuli", place, "shortest"),
            )
    if shortest < stimulus.duration:
        raise ProblemError(
            f"Stimulus '{stimulus.name}' lasts {stimulus.duration:g} ms but repeats every {shortest:g} ms: make the "
            f"{what} at least as long as the pulse.",
            ("stimuli", place, what.split()[0]),
        )
    return Pulse(
        membrane_current(stimulus.amplitude, tissue),
        first=first,
        length=max(1, round(stimulus.duration / step)),
        period=max(1, round(stimulus.period / step)),
        count=stimulus.pulses,
        decrement=round(stimulus.decrement / step),
        shortest=max(1, round(shortest / step)),
    )


def membrane_current(amplitude: float, tissue: Tissue) -> float:
    """[mV/ms] for a current per volume of tissue [µA/cm³]."""
    # µA/cm³ = 1e-3 µA/mm³; over χ Cm [µF/mm³] that is V/s = mV/ms.
    return amplitude * 1e-3 / (tissue.surface_to_volume * tissue.membrane_capacitance)


def _extent(mesh: Sites) -> str:
    low, high = mesh.centroids.min(axis=0), mesh.centroids.max(axis=0)
    spans = (f"{name} {math.floor(a)}…{math.ceil(b)}" for name, a, b in zip("xyz", low, high, strict=True))
    return "the mesh spans " + ", ".join(spans) + " mm"
