"""Spectra of components in a box of cells, shown as fields of the simulation.

A field is what a steady wave of the sources' amplitude would be: the sums are divided by the same sums of the first
source's waveform up to now, so that |E(ω)| is in V/m and settles while a pulse dies down. Results hold the sums alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, Selection
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import TIME_UNITS, VACUUM_IMPEDANCE, Yee, around_center
from engines.fdtd.monitors.fourier import FourierPlan, FourierWatcher, Surroundings
from engines.fdtd.monitors.frequencies import source_spectrum
from engines.fdtd.monitors.sums.blocks import Block
from engines.fdtd.parameters import VolumeMonitor
from engines.fdtd.step.steps import YeeSteps

SHOWN = 8
"""Frequencies of a monitor that become fields."""
LEAST = 1e-3
"""Of a source's largest spectrum so far: below it a spectrum divided by it would be noise."""


def cells_between(yee: Yee, name: str, low: Sequence[float], high: Sequence[float]) -> tuple[Array, Array]:
    """(first cell, cells) along x, y, z, of a box that may reach beyond the grid. Raises ProblemError."""
    first, count = np.zeros(3, int), np.ones(3, int)
    for d in range(3):
        nodes = yee.nodes(d)
        if yee.flat[d]:
            continue
        if low[d] > high[d]:
            raise ProblemError(f"Monitor '{name}': its lowest corner lies above its highest along {'xyz'[d]}.")
        if high[d] < nodes[0] or low[d] > nodes[-1]:
            raise ProblemError(f"Monitor '{name}' lies outside of the grid along {'xyz'[d]}: move it inside.")
        start, end = yee.node_at(d, low[d]), yee.node_at(d, high[d])
        if start == end:
            start = yee.cell_at(d, low[d])
            end = start + 1
        first[d], count[d] = start, end - start
    return first, count


def volume_blocks(names: Sequence[str], first: Array, count: Array) -> list[Block]:
    """Of each component the nodes of the cells; where it stands at halves the last one is not used."""
    low, many = (int(n) for n in first), (int(n) + 1 for n in count)
    at, size = tuple(low), tuple(many)
    return [Block(name[0] == "E", "xyz".index(name[1]), at, size) for name in names]  # type: ignore[arg-type]  # three


class VolumeWatcher(FourierWatcher):
    """first, count: cells along x, y, z; ``largest`` [V/m] is what |E| is expected to reach."""

    def __init__(
        self, number: int, monitor: VolumeMonitor, plan: FourierPlan, first: Array, count: Array, around: Surroundings,
        backend: Backend, steps: YeeSteps, largest: float,
    ) -> None:  # fmt: skip
        super().__init__(plan, around, backend, steps)
        self._names, self._first, self._count = tuple(monitor.components), first, count
        self._meaning: dict[str, tuple[int, int, bool]] = {}
        self._reference = (-1, np.zeros(0))
        _, unit, shown = self.abscissa()
        fields = []
        for f in range(min(len(plan.frequencies), SHOWN)):
            for c, name in enumerate(self._names):
                top = largest if name[0] == "E" else float(f"{largest / VACUUM_IMPEDANCE:.2g}")
                said = f"{name} at {shown[f]:.4g} {unit}, {plan.name}"
                key = f"monitor_{number}_{name}_{f + 1}"
                self._meaning[key], self._meaning[f"{key}_phase"] = (f, c, False), (f, c, True)
                value_unit = "V/m" if name[0] == "E" else "A/m"
                fields.append(FieldInfo(key, f"|{said}|", value_unit, "cell", (0.0, top), "inferno", traced=False))
                fields.append(
                    FieldInfo(
                        f"{key}_phase", f"Phase of {said}", "rad", "cell", (-np.pi, np.pi), "cycle", traced=False,
                        cyclic=True,
                    )
                )  # fmt: skip
        self.fields = tuple(fields)

    def _factor(self, f: int, name: str) -> complex:
        """What sums are multiplied with: over the source's spectrum so far, and H turned to its time."""
        if self._reference[0] != self._taken:
            around = self._around
            spectra = source_spectrum(
                around.waveforms[:1], self.plan.frequencies, around.dt, self.steps_taken, self.every
            )
            self._reference = (self._taken, spectra[0] if len(spectra) else np.ones(len(self.plan.frequencies)))
        reference = self._reference[1]
        if abs(reference[f]) <= LEAST * np.abs(reference).max() or not self._taken:
            return 0j
        factor = self.sample_time / complex(reference[f])
        return factor if name[0] == "E" else factor * complex(self.half_step()[f]) / VACUUM_IMPEDANCE

    def field(self, name: str) -> Array:
        f, c, phase = self._meaning[name]
        component, block = self._names[c], self.plan.blocks[c]
        with self._backend.active():
            values = self._sums.spectrum(f, self.waiting_turns())
        values = values[self.plan.starts[c] : self.plan.starts[c] + block.size].reshape(block.counts[::-1])
        x, y, z = (int(n) for n in self._count)
        mean = np.zeros((z, y, x), values.dtype)
        offsets = around_center(component)
        for i, j, k in offsets:
            mean += values[k : k + z, j : j + y, i : i + x]
        mean *= self._factor(f, component) / len(offsets)
        nx, ny, nz = self._around.yee.counts
        whole = np.full((nz, ny, nx), np.nan, np.float32)
        i, j, k = (int(n) for n in self._first)
        whole[k : k + z, j : j + y, i : i + x] = np.angle(mean) if phase else np.abs(mean)
        return whole.reshape(-1)

    def gather(self, name: str, elements: Array, made: dict[Any, Any]) -> Array:
        """(n,) float64 of the cells ``elements``, NaN outside of the box; ``made`` keeps what is made once for them."""
        f, c, phase = self._meaning[name]
        component, block = self._names[c], self.plan.blocks[c]
        key = self.plan.name, component
        if key not in made:
            made[key] = self._places(component, block, self.plan.starts[c], elements)
        inside, handle = made[key]
        found = np.full(len(elements), np.nan)
        if inside.any():
            turns = self.waiting_turns()
            with self._backend.active():
                parts = self._sums.parts_of(f, turns)
            real, imaginary = (self._backend.gather(part, handle).astype(float) for part in parts)
            value = (real + 1j * imaginary) * self._factor(f, component)
            found[inside] = np.angle(value) if phase else np.abs(value)
        return found

    def _places(self, name: str, block: Block, start: int, elements: Array) -> tuple[Array, Any]:
        nx, ny, _ = self._around.yee.counts
        k, rest = np.divmod(np.asarray(elements, np.int64), nx * ny)
        j, i = np.divmod(rest, nx)
        at = np.stack([i, j, k]) - self._first[:, None]
        inside: Array = np.all((at >= 0) & (at < self._count[:, None]), axis=0)
        i, j, k = at[:, inside]
        around = around_center(name)
        places = np.empty((len(i), len(around)), np.int64)
        for n, (dx, dy, dz) in enumerate(around):
            places[:, n] = start + ((k + dz) * block.counts[1] + j + dy) * block.counts[0] + i + dx
        ends = np.arange(len(i) + 1) * len(around)
        return inside, self._backend.select(Selection(places.reshape(-1).astype(np.int32), ends.astype(np.int32)))

    def results(self) -> Mapping[str, Array]:
        """Sums at the places of Yee's grid, (count, nz, ny, nx) complex64 each, and where these are."""
        name, unit, yee = self.plan.name, self._around.unit, self._around.yee
        found: dict[str, Array] = dict(self.frequency_results())
        shapes, names = [], []
        for component, block in zip(self._names, self.plan.blocks, strict=True):
            kept = []
            for d in range(3):
                on_halves = (d == block.component) == block.electric
                points = (yee.halves(d) if on_halves else yee.nodes(d))[self._first[d] :]
                kept.append(points[: self._count[d] + (0 if on_halves else 1)])
                found[f"{name}/{'xyz'[d]} of {component} [{unit}]"] = kept[-1]
            shapes.append(tuple(len(points) for points in kept[::-1]))
            names.append(f"{name}/{component} [{'V/m' if block.electric else 'A/m'} {TIME_UNITS[unit]}]")
            found[names[-1]] = np.empty((len(self.plan.frequencies), *shapes[-1]), np.complex64)
        for f in range(len(self.plan.frequencies)):
            values = self.block_spectrum(f)
            for each, (z, y, x), block, start in zip(names, shapes, self.plan.blocks, self.plan.starts, strict=True):
                part = values[start : start + block.size].reshape(block.counts[::-1])[:z, :y, :x]
                np.multiply(
                    part, 1.0 if block.electric else 1.0 / VACUUM_IMPEDANCE, out=found[each][f], casting="same_kind"
                )
        return found
