"""Particles on a device, stepped and looked at: bare diffusion under a flux that comes, goes and is changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, KernelTiming, NonFinite, Selection, SeriesInfo, Simulation
from engines.api.charts import ChartData, Inspection
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup
from engines.backend.fields.beyond import wrong_in
from engines.battery.particles.diffusivity import Law
from engines.battery.particles.exact import ExactParticle
from engines.battery.particles.pulses import History, Timetable
from engines.battery.particles.step.schemes import Solver
from engines.battery.watch import particle_charts as charts
from engines.battery.watch.bands import bands
from engines.geometry.particles import Particles

SERIES = (
    SeriesInfo("surface", "Stoichiometry at the surface", "1"),
    SeriesInfo("surface_p05", "At the surface, 5th percentile", "1"),
    SeriesInfo("surface_p95", "At the surface, 95th percentile", "1"),
    SeriesInfo("mean", "Stoichiometry, mean", "1"),
    SeriesInfo("mean_p05", "Mean of a particle, 5th percentile", "1"),
    SeriesInfo("mean_p95", "Mean of a particle, 95th percentile", "1"),
    SeriesInfo("flux", "Flux into the particles, mean", "µmol/m²/s"),
    SeriesInfo("balance", "Lithium balance error", "1"),
)
ERROR = SeriesInfo("error", "Error of the first particle against the series", "1")
"""The largest over its shells and its surface."""
MICRO = 1e6
"""Per unit."""
MOST_STEPS = 512
"""In one launch; after each it is looked at whether a surface is full or empty."""
SAMPLES = 100
"""Samples in the time R²/D of the set's particle, and at least 20 in the shorter part of a pulse."""


@dataclass(frozen=True, eq=False)
class Spheres:
    """The particles, and what they have in common.

    radius: (n,) [m]; flux: (n,) inward [mol/m²/s] at factor 1; start: stoichiometry; maximum: concentration [mol/m³]
    """

    radius: Array
    flux: Array
    start: float
    maximum: float
    law: Law
    shells: int


def steps_of_a_sample(diffusion_time: float, timetable: Timetable, dt: float) -> int:
    """Steps of ``dt`` [s] from one sample to the next, which one launch takes."""
    resolved = diffusion_time / SAMPLES
    if timetable.off:
        resolved = min(resolved, min(timetable.on, timetable.off) / 20)
    return min(max(1, round(resolved / dt)), MOST_STEPS)


class ParticleSimulation(Simulation):
    """N spheres; element i is particle i. The run ends with the step before one in which a surface is full or empty."""

    def __init__(
        self,
        backend: Backend,
        solver: Solver,
        geometry: Particles,
        spheres: Spheres,
        timetable: Timetable,
        dt: float,
        factor: float,
        diffusion_time: float,
    ) -> None:
        """``diffusion_time`` is R²/D of the set's particle [s]."""
        self.geometry, self.dt, self.step = geometry, dt, 0
        self.spheres, radius = spheres, spheres.radius
        self.history = History()
        self._backend, self._solver, self._timetable, self._factor = backend, solver, timetable, factor
        self._ending = ""
        self._diffusion = solver.diffusion
        self._unit_flux = self._diffusion.per_particle(spheres.flux)
        shares = radius**3 / (radius**3).sum()
        self._shares = self._diffusion.per_particle(shares)
        with backend.active():
            self._shares[len(radius) :] = 0
        self._filling = 3 * float((shares * spheres.flux / radius).sum())  # of the mean concentration [mol/m³/s]
        self._mean_flux = float(spheres.flux.mean())
        self._peak = self._lowest = spheres.start
        self._fastest = float(np.abs(spheres.flux / radius).max()), float(np.abs(spheres.flux * radius).max())
        self.fields = (
            FieldInfo("stoichiometry", "Stoichiometry", "1", "point", (0.0, 1.0), components=spheres.shells),
            FieldInfo("surface_stoichiometry", "Stoichiometry at the surface", "1", "point", (0.0, 1.0)),
            FieldInfo("flux", "Flux inwards", "mol/m²/s", "point", _around(spheres.flux * factor), "diverging"),
        )
        has_series = spheres.law.relative is None
        self.series = (*SERIES, ERROR) if has_series else SERIES
        self.charts = charts.infos(has_series, bool(np.ptp(radius) > 0))
        self.sample_steps = self.whole_batch = steps_of_a_sample(diffusion_time, timetable, dt)
        self.traffic = (solver.traffic(self.sample_steps),)
        self._exact = self._new_exact() if has_series else None
        self._chosen = np.unique(np.linspace(0, len(radius) - 1, charts.MOST_PROFILES).astype(np.int32))
        self._sample = self.select(Selection(self._chosen))
        self._everything: Any = None
        self._first = self.select(Selection(np.zeros(1, np.int32)))

    # Steps.

    def advance(self, steps: int) -> None:
        for count, share in self._timetable.runs(self.step, steps, self.dt):
            done = 0
            while done < count and not self._ending:
                batch = min(count - done, MOST_STEPS)
                self._take(batch, share * self._factor)
                done += batch

    def _take(self, steps: int, factor: float) -> None:
        """Steps under one flux; if a surface is full or empty after them, back to the last step before that."""
        flux = self._flux_at(factor)
        kept = self._solver.copy() if self._may_end(steps, factor) else None
        self._launch(flux, steps)
        outside = self._is_outside(flux)
        reached = self._find_end(flux, steps, kept) if outside and kept is not None else steps
        if reached:
            self.step += reached
            self.history.add(reached * self.dt, factor)
            if self._exact is not None:
                self._exact.advance(float(self.spheres.flux[0]) * factor, reached * self.dt)

    def _launch(self, flux: Any, steps: int) -> None:
        with self._backend.timed("particles", launches=steps):
            self._solver.advance(flux, self.dt, steps)

    def _find_end(self, flux: Any, steps: int, kept: dict[str, Any]) -> int:
        """How many of ``steps`` from ``kept`` can be taken with all surfaces between empty and full; takes them."""
        good, bad = 0, steps
        self._solver.restore(kept)
        while bad - good > 1:
            middle = (good + bad) // 2
            self._launch(flux, middle - good)
            if self._is_outside(flux):
                bad = middle
                self._solver.restore(kept)
            else:
                good, kept = middle, self._solver.copy()
        return good

    def _may_end(self, steps: int, factor: float) -> bool:
        """Whether a surface may become full or empty. What is inside a particle is between the start and what its
        surface has had, and a flux adds at most what it adds to a particle at rest: 3τ + 1/5 of NR/D."""
        if self.spheres.law.relative is not None:
            return True
        filling, gradient = self._fastest
        reach = 3 * filling * steps * self.dt + gradient / (5 * self.spheres.law.value)
        reach *= abs(factor) / self.spheres.maximum
        return self._peak + reach > 1 or self._lowest - reach < 0

    def _is_outside(self, flux: Any) -> bool:
        """Whether a surface is full or empty; if so, it is also said."""
        surface, n = self._surfaces(flux), len(self.spheres.radius)
        with self._backend.active():
            lowest, highest = float(surface.min()), float(surface.max())
        self._peak, self._lowest = max(self._peak, highest), min(self._lowest, lowest)
        if lowest >= 0 and highest <= 1:
            return False
        with self._backend.active():
            outside = int((surface[:n] > 1).sum() if highest > 1 else (surface[:n] < 0).sum())
        of = f"the surface of {outside:,} of {n:,} particles" if n > 1 else "the particle's surface"
        what = "full" if highest > 1 else "empty"
        self._ending = f"The run ends here: with the next step {of} would be {what}."
        return True

    def _flux_at(self, factor: float) -> Any:
        with self._backend.active():
            return self._unit_flux * self._diffusion.dtype.type(factor)

    @property
    def _flux(self) -> Any:
        """The flux of the step before: the surface has its slope."""
        return self._flux_at(self._latest_factor)

    @property
    def _latest_factor(self) -> float:
        return self.history.runs[-1][1] if self.history.runs else 0.0

    def _surfaces(self, flux: Any) -> Any:
        """(n_padded,) stoichiometries on the device."""
        surface = self._diffusion.surface(flux)
        with self._backend.active():
            return surface * self._diffusion.dtype.type(1 / self.spheres.maximum) + self._diffusion.dtype.type(
                self.spheres.start
            )

    @property
    def finished(self) -> bool:
        return bool(self._ending)

    @property
    def ending(self) -> str:
        return self._ending

    def synchronize(self) -> None:
        self._backend.synchronize()

    # What viewers ask.

    def select(self, selection: Selection) -> Any:
        return self._backend.select(selection)

    def gather(self, name: str, handle: Any) -> Array:
        if name == "stoichiometry":
            return self.profiles(handle)
        if name == "flux":
            return self._backend.gather(self._flux, handle)
        return self._backend.gather(self._surfaces(self._flux), handle)

    def profiles(self, handle: Any) -> Array:
        """(m, shells) float32 stoichiometries of what was selected."""
        deviations = self._solver.profiles(self._flux, handle)
        return deviations * np.float32(1 / self.spheres.maximum) + np.float32(self.spheres.start)

    def field(self, name: str) -> Array:
        if self._everything is None:
            self._everything = self.select(Selection(np.arange(len(self.spheres.radius), dtype=np.int32)))
        return self.gather(name, self._everything)

    def observe(self) -> Mapping[str, float]:
        n, spheres = len(self.spheres.radius), self.spheres
        means = self._diffusion.means()
        rows = self._backend.empty((2, self._diffusion.n_padded), self._diffusion.dtype)
        with self._backend.active():
            rows[0] = self._surfaces(self._flux)
            rows[1] = means * self._diffusion.dtype.type(1 / spheres.maximum)
            gained = float((means * self._shares).sum(dtype=np.float64))
        found = bands(self._backend, rows, n)
        total = abs(self._filling) * self.history.total
        seen = {
            "surface": float(found.mean[0]),
            "surface_p05": float(found.low[0]),
            "surface_p95": float(found.high[0]),
            "mean": spheres.start + gained / spheres.maximum,
            "mean_p05": spheres.start + float(found.low[1]),
            "mean_p95": spheres.start + float(found.high[1]),
            "flux": MICRO * self._mean_flux * self._latest_factor,
            "balance": abs(gained - self._filling * self.history.net) / total if total else 0.0,
        }
        if self._exact is not None:
            seen["error"] = self._error(self._exact)
        return seen

    def _error(self, exact: ExactParticle) -> float:
        shells = self._solver.profiles(self._flux, self._first)[0]
        surface = self._backend.gather(self._diffusion.surface(self._flux), self._first)[0]
        worst = max(float(np.abs(shells - exact.shell_means(len(shells))).max()), abs(float(surface) - exact.surface))
        return worst / self.spheres.maximum

    def chart(self, name: str) -> ChartData:
        if name == "profile":
            profiles, surfaces = self.profiles(self._sample), self.gather("surface_stoichiometry", self._sample)
            return charts.profile(profiles, surfaces, self._exact_curve(0), len(self.spheres.radius))
        if name == "radii":
            return charts.radii(self.spheres.radius, self._chosen, self.profiles(self._sample))
        return super().chart(name)

    def inspect(self, element: int) -> Inspection | None:
        handle = self.select(Selection(np.array([element], np.int32)))
        exact = self._exact_curve(element)
        surface = float(self.gather("surface_stoichiometry", handle)[0])
        radius, flux = (float(values[element]) for values in (self.spheres.radius, self.spheres.flux))
        profile = self.profiles(handle)[0]
        return charts.inspection(element, radius, profile, surface, flux * self._latest_factor, exact)

    def _exact_curve(self, element: int) -> Array | None:
        """(len(charts.FINE),) stoichiometries of a particle by the series; None where D varies."""
        if self._exact is None:
            return None
        exact = self._exact if element == 0 else self._new_exact(element)
        return self.spheres.start + exact.profile(charts.FINE) / self.spheres.maximum

    def _new_exact(self, element: int = 0) -> ExactParticle:
        exact = ExactParticle(float(self.spheres.radius[element]), self.spheres.law.value)
        return exact.follow(float(self.spheres.flux[element]), self.history.runs)

    # Changes and checkpoints.

    def set_control(self, name: str, value: Any) -> None:
        """A flux that is turned round frees a run that had ended."""
        if isinstance(value, ParameterGroup):
            value = getattr(value, "flux_factor", None)
        if name not in ("particles.flux_factor", "particles") or value is None:
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
        self._factor = float(value)
        self._ending = ""

    def state(self) -> dict[str, Array]:
        arrays = {name: self._backend.to_host(values) for name, values in self._solver.arrays.items()}
        rest = {"factor": self._factor, "peak": self._peak, "lowest": self._lowest}
        return {
            "step": np.array(self.step),
            "history": self.history.as_array(),
            **{name: np.array(value) for name, value in rest.items()},
            **arrays,
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        for name, values in self._solver.arrays.items():
            if state[name].shape != values.shape:
                raise ValueError(f"particles of {state[name].shape}, not {values.shape}")
        self._solver.restore({name: self._backend.array(state[name]) for name in self._solver.arrays})
        self.step, self._factor = int(state["step"]), float(state["factor"])
        self._peak, self._lowest = float(state["peak"]), float(state["lowest"])
        self.history = History.of(state["history"])
        self._ending, self.beyond = "", None
        if self._exact is not None:
            self._exact = self._new_exact()

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        n = len(self.spheres.radius)
        for values, unit in ((self._surfaces(self._flux), 1.0), (self._diffusion.means(), 1 / self.spheres.maximum)):
            advice = "use a smaller time step."
            found = wrong_in(self, self._backend, "The stoichiometry", values[:n], advice, unit=unit)
            if found is not None:
                return found
        return None

    def close(self) -> None:
        self._everything = None
        del self._solver, self._diffusion


def _around(flux: Array) -> tuple[float, float]:
    largest = float(np.abs(flux).max()) or 1e-6
    return -largest, largest
