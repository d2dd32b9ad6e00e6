"""Stimulus sites and protocol: which cells receive current, and how much at each step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.cardiac.parameters import Box, Site, Sphere, Stimulus, Tissue
from engines.cardiac.sites import Sites
from engines.errors import ProblemError

MAXIMUM = 32
"""Stimuli of one problem: each has its bit in a cell's mask."""


@dataclass(frozen=True)
class Pulse:
    """One stimulus in whole steps. ``current`` is in mV/ms (pA/pF), inward positive."""

    current: float
    first: int
    length: int
    period: int
    count: int

    def on(self, step: int) -> bool:
        """Whether current flows during the step from ``step`` to ``step + 1``."""
        since = step - self.first
        return since >= 0 and since // self.period < self.count and since % self.period < self.length

    def next_edge(self, step: int) -> float:
        """The first step after ``step`` at which the current switches on or off; infinity if it never does again."""
        since = step - self.first
        if since < 0:
            return self.first
        pulse, phase = divmod(since, self.period)
        if pulse >= self.count:
            return math.inf
        if phase < self.length < self.period:
            return self.first + pulse * self.period + self.length
        return self.first + (pulse + 1) * self.period


class Protocol:
    """All stimuli of a problem. ``mask: (n_cells,) uint32``, bit k set where stimulus k enters."""

    def __init__(self, mask: Array, pulses: Sequence[Pulse]) -> None:
        self.mask = mask
        self.pulses = tuple(pulses)
        self._current: Array | None = None
        self._valid: tuple[float, float] = (0, 0)

    def currents(self, step: int) -> Array | None:
        """(n_stimuli,) float64 [mV/ms] for this step, None if all are off. Kept between edges: asked at each step."""
        first, end = self._valid
        if not first <= step < end:
            values = np.array([pulse.current if pulse.on(step) else 0.0 for pulse in self.pulses])
            self._current = values if values.any() else None
            self._valid = (step, min((pulse.next_edge(step) for pulse in self.pulses), default=math.inf))
        return self._current

    def steady(self, step: int) -> float:
        """Steps from ``step`` on that have the same currents; infinity if they never change again."""
        self.currents(step)
        return self._valid[1] - step


def protocol(stimuli: Sequence[Stimulus], tissue: Tissue, mesh: Sites, step: float) -> Protocol:
    """Place the stimuli on the mesh. Raises ProblemError for a stimulus on no cell, or too many."""
    if len(stimuli) > MAXIMUM:
        raise ProblemError(f"There are {len(stimuli)} stimuli; up to {MAXIMUM} fit: remove {len(stimuli) - MAXIMUM}.")
    mask = np.zeros(mesh.n_cells, np.uint32)
    for bit, stimulus in enumerate(stimuli):
        cells = site_cells(stimulus.site, mesh)
        if not cells.any():
            raise ProblemError(
                f"Stimulus '{stimulus.name}' lies on no cell: move or enlarge its site; {_extent(mesh)}."
            )
        if stimulus.period < stimulus.duration:
            raise ProblemError(
                f"Stimulus '{stimulus.name}' lasts {stimulus.duration:g} ms but repeats every "
                f"{stimulus.period:g} ms: make the period at least as long as the pulse."
            )
        mask[cells] |= np.uint32(1 << bit)
    return Protocol(mask, [_pulse(stimulus, tissue, step) for stimulus in stimuli])


def site_cells(site: Site, mesh: Sites) -> Array:
    """(n_cells,) bool: the cells of a site, by centroid."""
    if isinstance(site, Sphere):
        return np.asarray(np.linalg.norm(mesh.centroids - np.array(site.center), axis=1) <= site.radius)
    if isinstance(site, Box):
        inside = (mesh.centroids >= np.array(site.lower)) & (mesh.centroids <= np.array(site.upper))
        return np.asarray(inside.all(axis=1))
    return np.isin(mesh.regions, region_ids(site.region, mesh))


def region_ids(name: str, mesh: Sites) -> list[int]:
    """Ids of the region with this name; raises ProblemError that lists the names there are."""
    ids = [key for key, value in mesh.region_names.items() if value == name]
    if not ids:
        known = ", ".join(sorted(set(mesh.region_names.values()))) or "none"
        raise ProblemError(f"The mesh has no region '{name}'; its regions are: {known}.")
    return ids


def _pulse(stimulus: Stimulus, tissue: Tissue, step: float) -> Pulse:
    return Pulse(
        membrane_current(stimulus.amplitude, tissue),
        first=round(stimulus.start / step),
        length=max(1, round(stimulus.duration / step)),
        period=max(1, round(stimulus.period / step)),
        count=stimulus.pulses,
    )


def membrane_current(amplitude: float, tissue: Tissue) -> float:
    """[mV/ms] for a current per volume of tissue [µA/cm³]."""
    # µA/cm³ = 1e-3 µA/mm³; over χ Cm [µF/mm³] that is V/s = mV/ms.
    return amplitude * 1e-3 / (tissue.surface_to_volume * tissue.membrane_capacitance)


def _extent(mesh: Sites) -> str:
    low, high = mesh.centroids.min(axis=0), mesh.centroids.max(axis=0)
    spans = (f"{name} {math.floor(a)}…{math.ceil(b)}" for name, a, b in zip("xyz", low, high, strict=True))
    return "the mesh spans " + ", ".join(spans) + " mm"
