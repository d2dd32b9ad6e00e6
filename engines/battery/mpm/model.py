"""The many-particle model: checked, estimated and built."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from engines.api import Estimate, Finding, Problem, Progress, Remedy, no_progress
from engines.api.device import Backend
from engines.backend.precision import FLOAT_TYPES
from engines.backend.timing import best_seconds, measured_once
from engines.backend.twins import pick
from engines.battery.cells.model import ELECTRODE_TITLES
from engines.battery.mpm.many_particles import MANY_PARTICLES, inside_rows
from engines.battery.mpm.simulation import ManyParticleSimulation
from engines.battery.parameter_sets import PARAMETER_SETS, ParameterSet
from engines.battery.parameters import BatteryParameters, parameters_of
from engines.battery.parameters.sizes import ParticleSizes
from engines.battery.protocol.durations import drives_of, sample_steps
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.protocol.plan import Plan, cycle_findings, duration_findings, plan_of, start_findings, step_of
from engines.battery.setup.cell import parameter_set_findings, parameter_set_of
from engines.battery.setup.model import Model
from engines.battery.setup.sizes import MICROMETRE, Sizes, drawn_sizes
from engines.battery.step.many_particle_rows import ELECTRODES, Coefficient, Row, Scratch
from engines.battery.step.particle_rows import MODES
from engines.battery.watch.cell_record import cells_on_disk
from engines.geometry.heaps import facing_heaps
from engines.geometry.particles import Particles, named_parts
from engines.named_files import named_versions
from engines.reading import Version

PARTICLES = ("sizes", "particles")
SAMPLE_PARTICLES = 10_000
"""Particles per electrode that are timed for an estimate at most; more are taken to be as fast each."""
BESIDE = 200
"""Bytes of a particle that a computer's own memory takes beside two copies of its arrays, as measured: sizes, places,
and what is looked at."""
SAMPLE_STEPS = 20
VARYING = replace(PARAMETER_SETS["Chen2020"], negative_diffusivity_law=np.ones_like)
"""A cell whose particles are solved as ones whose diffusivity varies."""


class ManyParticleModel(Model):
    """One cell with particles of different sizes in each electrode, all of an electrode at one potential."""

    alone = "The particles of the MPM share one potential, and run on one rank"

    def geometry(self, problem: Problem) -> Particles:
        """Two heaps that face each other, in µm: the negative electrode's particles, then the positive one's."""
        parameters = parameters_of(problem)
        radii = _radii(parameter_set_of(parameters))
        return _geometry(radii, parameters.sizes.model_dump_json(), named_versions(parameters.sizes))

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters, cell, _, plan = _checked(problem)
        n, step = parameters.sizes.particles, step_of(parameters)
        size = np.dtype(FLOAT_TYPES[parameters.numerics.precision]).itemsize
        inside, varying = inside_rows(cell), bool(cell.laws)
        rows, shares, again = Row.MODES + inside, 0 if varying else MODES, (6 if varying else 5) * inside
        memory = 2 * n * size * (rows + len(Coefficient) + shares + len(Scratch))
        return Estimate(
            memory_bytes=pick(backend, cpu=2 * memory + 2 * n * BESIDE, cuda=memory),
            bytes_per_step=2 * n * size * (again + 30),
            step=step,
            stable_step=None,
            seconds_per_simulated_unit=_step_seconds(backend, n, parameters.numerics.precision, varying) / step,
            findings=_findings(parameters, cell, plan),
            facts=cells_on_disk(parameters, step, 1, False),
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress) -> ManyParticleSimulation:
        progress("Drawing the particles", 0.0)
        parameters, cell, sizes, plan = _checked(problem)
        geometry = self.geometry(problem)
        progress(f"Moving {2 * parameters.sizes.particles:,} particles to {backend.info.name}", 0.7)
        particles = MANY_PARTICLES.open(
            backend,
            cell,
            sizes,
            plan.instructions,
            step_of(parameters),
            precision=FLOAT_TYPES[parameters.numerics.precision],
            drive=plan.drive,
        )
        particles.factor = parameters.current_factor
        simulation = ManyParticleSimulation(
            backend, particles, geometry, parameters.numerics.radial_points, parameters.recording
        )
        simulation.sample_steps = sample_steps(plan.instructions, cell, step_of(parameters), parameters.current_factor)
        simulation.drives = drives_of(plan.instructions, particles.dt, cell)
        progress("Ready", 1.0)
        return simulation

    def ends(self, problem: Problem) -> bool:
        """Every step of a protocol has an end."""
        return True

    def few(self, problem: Problem) -> Problem:
        """One particle in each electrode."""
        parameters = parameters_of(problem)
        return Problem(parameters.model_copy(update={"sizes": parameters.sizes.model_copy(update={"particles": 1})}))

    def warm(self, backend: Backend) -> None:
        """A step, and what is looked at; one of a cell whose diffusivity varies."""
        sizes = _sizes(ParticleSizes(particles=1), _radii(VARYING))
        particles = MANY_PARTICLES.open(backend, VARYING, sizes, [Instruction(Kind.CURRENT, 0.0)], 1.0)
        with backend.active():
            particles.advance(0, 1)
        for precision in FLOAT_TYPES:
            given = {"model": "MPM", "numerics": {"precision": precision}, "sizes": {"particles": 100}}
            simulation = self.build(Problem(BatteryParameters.model_validate(given)), backend, no_progress)
            simulation.advance(1)
            simulation.observe()
            simulation.close()


Checked = tuple[BatteryParameters, ParameterSet, tuple[Sizes, Sizes], Plan]


def _checked(problem: Problem) -> Checked:
    """Parameters, cell, particles and protocol. Raises ProblemError."""
    parameters = parameters_of(problem)
    cell = parameter_set_of(parameters)
    return parameters, cell, _sizes(parameters.sizes, _radii(cell)), plan_of(parameters, cell)


def _radii(cell: ParameterSet) -> tuple[float, ...]:
    """Of the two electrodes [m]."""
    return tuple(cell.scalars[f"{name}_particle_radius"].value for name in ELECTRODES)


def _sizes(sizes: ParticleSizes, radii: tuple[float, ...]) -> tuple[Sizes, Sizes]:
    """Around the set's ``radii`` [m] of the two electrodes."""
    negative, positive = (
        drawn_sizes(sizes, name, radius)  # type: ignore[arg-type]  # one of both
        for name, radius in zip(ELECTRODES, radii, strict=True)
    )
    return negative, positive


@lru_cache(maxsize=4)
def _geometry(radii: tuple[float, ...], sizes: str, files: tuple[Version, ...]) -> Particles:
    negative, positive = _sizes(ParticleSizes.model_validate_json(sizes), radii)
    heaps = facing_heaps(negative.radii / MICROMETRE, positive.radii / MICROMETRE)
    return named_parts(heaps, ELECTRODE_TITLES, (len(negative.radii), len(positive.radii)))


def _findings(parameters: BatteryParameters, cell: ParameterSet, plan: Plan) -> tuple[Finding, ...]:
    found = [*parameter_set_findings(parameters, cell), *start_findings(cell, plan.instructions[0])]
    found += [*cycle_findings(parameters), *duration_findings(parameters)]
    if parameters.ensemble.cells > 1 or parameters.ensemble.distributions:
        found.append(Finding("The many-particle model is of one cell: the ensemble is left aside.", "info", ("model",)))
    if parameters.thermal != "isothermal":
        found.append(
            Finding(
                "The many-particle model is held at one temperature: lumped heat is left aside.", "info", ("model",)
            )
        )
    if parameters.sizes.particles < 20 and any(
        getattr(each, "spread", 1.0) > 0 for each in (parameters.sizes.negative, parameters.sizes.positive)
    ):
        found.append(
            Finding(
                "Fewer than 20 particles say little of a distribution: use some hundred.",
                "info",
                PARTICLES,
                Remedy("Take 200 particles", {PARTICLES: 200}),
            )
        )
    return tuple(found)


def _step_seconds(backend: Backend, n: int, precision: str, varying: bool) -> float:
    """Seconds of a step with ``n`` particles per electrode, measured at the first call of a backend and precision;
    ``varying``: with a diffusivity that does."""
    count = min(n, SAMPLE_PARTICLES // (40 if varying else 1))

    def measure() -> float:
        cell, plan = VARYING if varying else PARAMETER_SETS["Chen2020"], [Instruction(Kind.CURRENT, 5.0)]
        sizes = _sizes(ParticleSizes(particles=count), _radii(cell))
        particles = MANY_PARTICLES.open(backend, cell, sizes, plan, 1.0, precision=FLOAT_TYPES[precision])
        return best_seconds(backend, lambda: particles.advance(0, SAMPLE_STEPS)) / SAMPLE_STEPS

    return measured_once(backend, (__name__, count, precision, varying), measure) * n / count
