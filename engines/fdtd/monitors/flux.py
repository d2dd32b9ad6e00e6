"""Power through a plane or out of a box over frequency.

The chart is the energy per frequency, ``2 Re ∫ E(f) × H*(f) · dA`` [J/Hz]: its integral over the positive frequencies
is the energy that has passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engines.api import Array
from engines.api.abilities import Axes
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.device import Backend
from engines.fdtd.far.spectra import SurfaceSpectra
from engines.fdtd.grid.dimensions import per_length
from engines.fdtd.grid.yee import METRES, SECONDS, TIME_UNITS, VACUUM_IMPEDANCE
from engines.fdtd.monitors.fourier import FourierPlan, FourierWatcher, Surroundings
from engines.fdtd.monitors.sums.blocks import Rectangle
from engines.fdtd.monitors.surface import surface_of
from engines.fdtd.step.steps import YeeSteps


class FluxWatcher(FourierWatcher):
    """Fields on rectangles; blocks 4 n … 4 n + 3 of the plan are those of rectangle n.

    unit: of the energies; in two dimensions they are those of a unit of length across
    incident: (frequencies, 2, n), the sums of a run without objects, to be taken from those of this run
    """

    def __init__(
        self, number: int, plan: FourierPlan, rectangles: Sequence[Rectangle], around: Surroundings, backend: Backend,
        steps: YeeSteps, incident: Array | None = None,
    ) -> None:  # fmt: skip
        super().__init__(plan, around, backend, steps)
        self._rectangles = tuple(rectangles)
        if incident is not None:
            with backend.active():
                self._sums.sums[...] = backend.array(-incident)
        title, unit, _ = self.abscissa()
        self.unit = f"J/Hz{per_length(around.yee, around.unit)}"
        self._chart = f"monitor_{number}_energy"
        self.charts = (
            ChartInfo(
                self._chart, f"Energy through '{plan.name}'", self.unit, x_title=title,
                x_unit=unit,
            ),
        )  # fmt: skip

    def energy(self) -> Array:
        """(frequencies,) float64 [J/Hz], along the positive axis of a plane, out of a box; see ``unit``."""
        turns = self.waiting_turns()
        total = np.zeros(len(self.plan.frequencies))
        # H* is turned back by half a step
        back = self.half_step().conj()
        with self._backend.active():
            for number, rectangle in enumerate(self._rectangles):
                found = self._sums.flux(rectangle, self.plan.starts[4 * number], turns, self.waiting)
                total += rectangle.sign * rectangle.orientation * (back * found).real
        unit = self._around.unit
        scale = (METRES[unit] * SECONDS[unit] * self.sample_time) ** 2
        return np.asarray(2 * scale / VACUUM_IMPEDANCE * total)

    def chart(self, name: str) -> ChartData:
        _, _, x = self.abscissa()
        return ChartData((Curve(self.plan.name, x, self.energy()),))

    def raw_sums(self) -> Array:
        """(frequencies, 2, n): for another run to take from its own; with what waits in the buffer."""
        turns = self.waiting_turns()
        with self._backend.active():
            each = [self._sums.spectrum(f, turns) for f in range(len(self.plan.frequencies))]
        return np.stack([np.stack([values.real, values.imag]) for values in each])

    def surface(self, chosen: Sequence[int] | None = None) -> SurfaceSpectra:
        """The fields on all rectangles (see surface.py), at all frequencies or those ``chosen``."""
        taken = list(range(len(self.plan.frequencies)) if chosen is None else chosen)
        values = self.block_spectra(taken)
        spectra = []
        for number, rectangle in enumerate(self._rectangles):
            start = self.plan.starts[4 * number]
            part = values[:, start : start + 4 * rectangle.size]
            spectra.append(part.reshape(len(values), 4, *rectangle.counts[::-1]))
        frequencies = self.plan.frequencies[taken]
        return surface_of(self._around.yee, self._around.unit, frequencies, self._rectangles, spectra)

    def results(self) -> Mapping[str, Array]:
        """E and H are sums with ``e^{+iωt}``, as all spectra of monitors; on a plane component by component, on a box
        point by point."""
        name = self.plan.name
        found = {**self.frequency_results(), f"{name}/energy [{self.unit}]": self.energy()}
        return {**found, **(self._on_a_plane() if len(self._rectangles) == 1 else self._on_a_box())}

    def axes(self) -> Mapping[str, Axes]:
        """Of a box; planes say where each component is."""
        if len(self._rectangles) == 1:
            return {}
        name = self.plan.name
        frequency: Axes = {"frequency": f"{name}/frequency"}
        face: Axes = {"face": ""}
        component: Axes = {"component": np.array(list("xyz"))}
        points = {f"{name}/{each}": {**face, **component} for each in ("positions", "normals")}
        whole = {f"{name}/{each}": {**frequency, **face, **component} for each in "EH"}
        return {**points, **whole, f"{name}/areas": face, f"{name}/energy": frequency}

    def _on_a_plane(self) -> dict[str, Array]:
        """(frequencies, q, p) complex64 of each tangential component, and where its p and q are."""
        yee, unit, rectangle = self._around.yee, self._around.unit, self._rectangles[0]
        p, q = rectangle.across
        nodes, halves = (
            [place(d)[low:high] for d, low, high in zip((p, q), rectangle.low, ends, strict=True)]
            for place, ends in ((yee.nodes, [high + 1 for high in rectangle.high]), (yee.halves, rectangle.high))
        )
        found: dict[str, Array] = {}
        arrays = []
        for number, field, component, at in (
            (0, "E", p, (halves[0], nodes[1])), (1, "H", q, (halves[0], nodes[1])),
            (2, "E", q, (nodes[0], halves[1])), (3, "H", p, (nodes[0], halves[1])),
        ):  # fmt: skip
            title = f"{field}{'xyz'[component]}"
            for d, points in zip((p, q), at, strict=True):
                found[f"{self.plan.name}/{'xyz'[d]} of {title} [{unit}]"] = points
            held = np.empty((len(self.plan.frequencies), len(at[1]), len(at[0])), np.complex64)
            found[f"{self.plan.name}/{title} [{'V' if field == 'E' else 'A'}/m {TIME_UNITS[unit]}]"] = held
            arrays.append((held, number, 1.0 if field == "E" else 1.0 / VACUUM_IMPEDANCE))
        for f in range(len(self.plan.frequencies)):
            values = self.block_spectrum(f)[: 4 * rectangle.size].reshape(4, *rectangle.counts[::-1])
            for held, number, scale in arrays:
                part = values[number, : held.shape[1], : held.shape[2]]
                np.multiply(part, scale, out=held[f], casting="same_kind")
        return found

    def _on_a_box(self) -> dict[str, Array]:
        name, unit, surface = self.plan.name, self._around.unit, self.surface()
        time, metre, second = TIME_UNITS[unit], METRES[unit], SECONDS[unit]
        return {
            f"{name}/positions [{unit}]": surface.positions / metre,
            f"{name}/areas [{unit.replace('um', 'µm')}²]": surface.areas / metre**2,
            f"{name}/normals": surface.normals,
            f"{name}/E [V/m {time}]": (surface.electric.conj() / second).astype(np.complex64),
            f"{name}/H [A/m {time}]": (surface.magnetic.conj() / second).astype(np.complex64),
        }
