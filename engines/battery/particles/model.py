"""The model "particles": bare diffusion of lithium in many spheres, checked, estimated and built."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from engines.api import Array, Estimate, Finding, Problem, Progress, Remedy
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.precision import FLOAT_TYPES
from engines.backend.timing import best_seconds, measured_once
from engines.backend.twins import pick
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import FARADAY
from engines.battery.parameters import BatteryParameters, parameters_of
from engines.battery.parameters.particles import ParticleSettings, Rate, SetDiffusivity
from engines.battery.particles.diffusivity import law
from engines.battery.particles.pulses import Timetable
from engines.battery.particles.shells import shells
from engines.battery.particles.simulation import ParticleSimulation, Spheres, steps_of_a_sample
from engines.battery.particles.step.schemes import Solver, make_solver
from engines.battery.protocol.plan import shorter_step
from engines.battery.setup.cell import arrhenius, held_temperature, parameter_set_of
from engines.battery.setup.curves import Curve
from engines.battery.setup.model import Model
from engines.battery.step.particle_rows import MODES, BaseRow, ModeRow
from engines.geometry.packing import packed
from engines.geometry.particles import Particles
from engines.quantities import rounded_down

MICROMETRE = 1e-6
STEP, SCHEME = ("particles", "step"), ("particles", "scheme")
FEW = 100
"""Steps until a particle is full or empty: fewer are told."""
STEP_SHARE = 0.9
"""The part of the stable step that is taken where none is set."""
STEPS_PER_DIFFUSION = {"implicit": 1000, "eigenmodes": 200}
"""Steps in R²/D of the set's particle where none is set; eigenmodes are exact at any."""
MEMORY_SHARE = 0.9
SAMPLE_PARTICLES = {"cpu": 1024, "cuda": 100_000}
"""Particles that are timed for an estimate."""
SAMPLE_STEPS = 32


class BareParticles(Model):
    """Particles of one electrode under a flux that is the same everywhere on their surfaces."""

    alone = "Bare particles run on one rank"

    def geometry(self, problem: Problem) -> Particles:
        return _geometry(*_shape(parameters_of(problem)))

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        setup = _Setup(problem)
        n, points = setup.settings.number, setup.settings.shells
        memory = n * setup.bytes_per_particle
        available = backend.info.memory_bytes
        if available and memory > MEMORY_SHARE * available:
            most = int(MEMORY_SHARE * available / setup.bytes_per_particle)
            raise ProblemError(
                f"These particles need {memory / 2**30:,.1f} GB, and {backend.info.name} has "
                f"{available / 2**30:,.1f} GB: use at most {most:,} of them, or fewer shells."
            )
        seconds = n * points * _seconds(backend, setup)
        return Estimate(
            memory_bytes=memory,
            bytes_per_step=n * setup.bytes_of_a_launch // setup.sample_steps,
            step=setup.step,
            stable_step=setup.limit,
            seconds_per_simulated_unit=seconds / setup.step,
            findings=setup.findings,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress) -> ParticleSimulation:
        progress("Drawing the radii", 0.0)
        setup = _Setup(problem)
        settings = setup.settings
        geometry = self.geometry(problem)
        progress(f"Moving {settings.number:,} particles to {backend.info.name}", 0.5)
        simulation = ParticleSimulation(
            backend,
            setup.solver(backend, setup.spheres.radius),
            geometry,
            setup.spheres,
            setup.timetable,
            setup.step,
            settings.flux_factor,
            setup.diffusion_time,
        )
        progress("Ready", 1.0)
        return simulation

    def ends(self, problem: Problem) -> bool:
        """A flux fills or empties the particles sooner or later."""
        setup = _Setup(problem)
        return bool(setup.spheres.flux.any()) and setup.settings.flux_factor != 0

    def few(self, problem: Problem) -> Problem:
        """One particle."""
        parameters = parameters_of(problem)
        one = parameters.particles.model_copy(update={"number": 1})
        return Problem(parameters.model_copy(update={"particles": one}))

    def warm(self, backend: Backend) -> None:
        """A few steps of each kernel."""
        curve = {"kind": "linear"}
        for scheme, diffusivity in (("explicit", {}), ("explicit", curve), ("implicit", {}), ("eigenmodes", {})):
            settings = {"scheme": scheme, "number": 2, **({"diffusivity": diffusivity} if diffusivity else {})}
            problem = Problem(BatteryParameters.model_validate({"model": "particles", "particles": settings}))
            simulation = self.build(problem, backend, lambda *_: None)
            simulation.advance(2)
            simulation.observe()
            simulation.close()


@dataclass(frozen=True)
class _Sample:
    """What an estimate's timing depends on."""

    scheme: str
    points: int
    varies: bool
    precision: str


class _Setup:
    """A problem checked and ready to build. Raises ProblemError."""

    def __init__(self, problem: Problem) -> None:
        self.parameters = parameters_of(problem)
        self.settings = settings = self.parameters.particles
        self.precision = FLOAT_TYPES[self.parameters.numerics.precision]
        self.size = np.dtype(self.precision).itemsize
        cell = parameter_set_of(self.parameters)
        values, electrode = cell.values(), settings.electrode
        radius = _radii(*_shape(self.parameters))
        warmer = arrhenius(values[f"{electrode}_diffusivity_activation"], held_temperature(values))
        explicit = settings.scheme == "explicit"
        of_the_set = values[f"{electrode}_diffusivity"] * float(warmer)
        self.law = law(settings.diffusivity, of_the_set, cell.laws.get(electrode) if explicit else None)
        if self.law.relative is not None and settings.scheme != "explicit":
            raise ProblemError(
                f"The scheme '{settings.scheme}' takes a constant diffusivity: use the explicit one for a diffusivity "
                "that depends on the stoichiometry."
            )
        maximum = values[f"{electrode}_maximum_concentration"]
        start = settings.start
        if start is None:
            start = values[f"{electrode}_initial_concentration"] / maximum
        self.spheres = Spheres(radius, _flux(settings, cell, radius), start, maximum, self.law, settings.shells)
        self.timetable = Timetable(settings.pulses.on, settings.pulses.off)
        self.diffusion_time = values[f"{electrode}_particle_radius"] ** 2 / float(self.law(np.array(0.5)))
        self.limit: float | None = None
        self.findings: tuple[Finding, ...] = tuple(replace(finding, place=("bpx_file",)) for finding in cell.findings)
        if not explicit and isinstance(settings.diffusivity, SetDiffusivity) and electrode in cell.mean_findings:
            solve_it = Remedy("Take the explicit scheme, which solves it", {SCHEME: "explicit"})
            self.findings += (replace(cell.mean_findings[electrode](), place=SCHEME, remedy=solve_it),)
        if explicit:
            smallest = float(radius.min())
            self.limit = shells(settings.shells).stable_rate * smallest**2 / self.law.largest
        self.step = self._chosen_step()
        self._look_ahead()

    def _chosen_step(self) -> float:
        settings = self.settings
        if settings.step is None:
            if self.limit is not None:
                return self.timetable.fitting_step(STEP_SHARE * self.limit)
            wanted = self.diffusion_time / STEPS_PER_DIFFUSION[settings.scheme]
            return self.timetable.fitting_step(float(f"{wanted:.1g}"))
        if self.limit is None or settings.step <= self.limit:
            return settings.step
        if settings.lower_step:
            lowered = STEP_SHARE * self.limit
            taken = f"The time step of {settings.step:g} s is not stable: {lowered:.4g} s is taken instead."
            let_follow = Remedy("Let the step follow from the particles", {STEP: None})
            self.findings = (*self.findings, Finding(taken, place=STEP, remedy=let_follow))
            return lowered
        raise ProblemError(
            f"The time step of {settings.step:g} s is above the stable limit of the smallest of these particles: "
            f"use at most {rounded_down(self.limit, 4):g} s, let the step be lowered, or take another scheme."
        )

    def _look_ahead(self) -> None:
        """Say when the particles will be full or empty."""
        spheres = self.spheres
        flux = spheres.flux * self.settings.flux_factor
        if not flux.any():
            self.findings = (
                *self.findings,
                Finding("No lithium flows: the particles stay as they are.", place=("particles",)),
            )
            return
        filling = flux[0] > 0
        room = (1 - spheres.start if filling else spheres.start) * spheres.maximum
        seconds = room / (3 * float(np.abs(flux / spheres.radius).max()))
        if seconds < FEW * self.step:
            few = (
                f"A particle is {'full' if filling else 'empty'} after {seconds:.3g} s, {seconds / self.step:.0f} steps"
            )
            self.findings = (
                *self.findings,
                Finding(
                    f"{few}: use a smaller flux or a shorter step.", place=STEP, remedy=shorter_step(seconds, FEW, STEP)
                ),
            )

    @property
    def _rows(self) -> int:
        """Numbers of a particle's state that a step changes: its shells, or its modes, mean and error."""
        return ModeRow.MODES + MODES if self.settings.scheme == "eigenmodes" else self.settings.shells

    @property
    def bytes_per_particle(self) -> int:
        """On the device: the state, a copy of it towards the end of a run, and some numbers."""
        state = self._rows + (0 if self.settings.scheme == "eigenmodes" else len(BaseRow))
        factors = 3 * self.settings.shells if self.settings.scheme == "implicit" else 0
        return (2 * state + factors + 12) * self.size

    @property
    def sample_steps(self) -> int:
        return steps_of_a_sample(self.diffusion_time, self.timetable, self.step)

    @property
    def bytes_of_a_launch(self) -> int:
        """Of a particle, whatever its steps: the state in and out, and three numbers in."""
        return (2 * self._rows + 3) * self.size

    @property
    def sample(self) -> _Sample:
        return _Sample(self.settings.scheme, self.settings.shells, self.law.relative is not None, self.precision)

    def solver(self, backend: Backend, radius: Array) -> Solver:
        relative = self.law.relative
        if relative is not None:  # of the deviation from the start instead of the stoichiometry
            low, high = ((end - self.spheres.start) * self.spheres.maximum for end in (relative.low, relative.high))
            relative = Curve(low, high, relative.coefficients)
        settings = self.settings
        return make_solver(backend, settings.scheme, radius, self.law.value, settings.shells, self.precision, relative)


Shape = tuple[float, int, float, int]


def _shape(parameters: BatteryParameters) -> Shape:
    """All that the radii depend on: the set's radius [m], their number, spread and seed."""
    settings = parameters.particles
    radius = parameter_set_of(parameters).scalars[f"{settings.electrode}_particle_radius"].value
    return radius, settings.number, settings.radius_spread, settings.seed


@lru_cache(maxsize=4)
def _radii(radius: float, number: int, spread: float, seed: int) -> Array:
    """(number,) [m]."""
    return radius * np.exp(spread * np.random.default_rng(seed).standard_normal(number))


@lru_cache(maxsize=4)
def _geometry(radius: float, number: int, spread: float, seed: int) -> Particles:
    """The same object for the same shape: viewers compare geometries by identity."""
    return packed(_radii(radius, number, spread, seed) / MICROMETRE)


def _flux(settings: ParticleSettings, cell: ParameterSet, radius: Array) -> Array:
    """(n,) inwards [mol/m²/s]. At a C-rate, all particles together take what the electrode's active material does."""
    drive = settings.drive
    if not isinstance(drive, Rate):
        return np.full(len(radius), drive.value)
    values, electrode = cell.values(), settings.electrode
    active = values["electrode_area"] * values[f"{electrode}_thickness"] * values[f"{electrode}_active_fraction"]
    per_volume = drive.c_rate * values["nominal_capacity"] / (FARADAY * active)  # [mol/m³/s]
    per_volume = -per_volume if electrode == "negative" else per_volume
    if drive.shared == "by volume":
        return per_volume * radius / 3
    return np.full(len(radius), per_volume * float((radius**3).sum() / (radius**2).sum()) / 3)


def _seconds(backend: Backend, setup: _Setup) -> float:
    """Seconds per particle, shell and step, measured at the first call for this backend, scheme and precision."""

    def measure() -> float:
        count = pick(backend, **SAMPLE_PARTICLES)
        solver = setup.solver(backend, np.full(count, 5e-6))
        still = solver.diffusion.per_particle(0.0)
        # Eigenmodes take all steps of a launch at once; launches are as long as samples are apart, some 10 steps.
        steps = 10 if setup.settings.scheme == "eigenmodes" else SAMPLE_STEPS
        best = best_seconds(backend, lambda: solver.advance(still, 0.0, SAMPLE_STEPS))
        return best / (count * setup.settings.shells * steps)

    return measured_once(backend, (__name__, setup.sample), measure)
