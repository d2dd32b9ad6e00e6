"""The stencil engine: diffusion, Gray-Scott and Poisson's equation on uniform grids of two and three dimensions.

Method: values at cell centres, fluxes through faces, sides as ghost cells (``setup/sides.py``); forward Euler in time
for diffusion and Gray-Scott, iteration for Poisson.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from engines.api import (
    Array,
    Benchmark,
    Dab,
    Engine,
    Estimate,
    FieldInfo,
    Finding,
    PaintInfo,
    Problem,
    Progress,
    Simulation,
    no_progress,
)
from engines.api.abilities import Painted
from engines.api.device import Backend
from engines.api.lab import Study
from engines.geometry.grid import Grid
from engines.stencil.diffusion.forward_euler import Diffusion as DiffusionStep
from engines.stencil.diffusion.forward_euler import make_diffusion
from engines.stencil.diffusion.simulation import HeatSimulation
from engines.stencil.diffusion.traffic import diffusion_traffic
from engines.stencil.gray_scott.forward_euler import make_gray_scott
from engines.stencil.gray_scott.simulation import GrayScottSimulation
from engines.stencil.lab.benchmarks import benchmarks, warming_problems
from engines.stencil.lab.studies import studies
from engines.stencil.parameters import (
    Box,
    Diffusion,
    GrayScott,
    GridSetting,
    NamedPattern,
    Poisson,
    SameEverywhere,
    StencilParameters,
)
from engines.stencil.parameters.patterns import RATES
from engines.stencil.poisson import make_poisson
from engines.stencil.poisson.balance import balance_findings
from engines.stencil.poisson.levels import finest
from engines.stencil.poisson.simulation import PoissonSimulation
from engines.stencil.setup.fields import initial_field, source_field, start_fields
from engines.stencil.setup.limits import Material, check_memory, chosen_step, material, stable_step
from engines.stencil.setup.sides import Ghosts, ghosts
from engines.stencil.step.painting import PaintedSource
from engines.stencil.watch.colours import colours, field_range

PRECISIONS: dict[str, np.dtype[Any]] = {"fp32": np.dtype(np.float32), "fp64": np.dtype(np.float64)}
BRUSH = 0.03
"""First radius of the brush as a fraction of the longest side."""
STROKE = 0.2
"""What a dab of heat brings in the time that heat takes through the brush, as a part of what the colours span: sources
add up, and a stroke across a third of a plate with cold rims then ends at about the highest colour."""


class StencilEngine(Engine):
    """Diffusion, reaction-diffusion and Poisson problems on a grid that the parameters describe."""

    id = "stencil"
    title = "Diffusion on grids"
    summary = "Heat, Gray-Scott patterns and Poisson's equation on grids that are painted on while they run"
    time_unit = "s"
    Parameters = StencilParameters
    geometry_type = None

    def default_parameters(self, geometry: Any) -> StencilParameters:
        return StencilParameters()

    def geometry_of(self, problem: Problem) -> Grid:
        return _grid(_checked(problem).grid.model_dump_json())

    def time_unit_of(self, parameters: Any) -> str:
        return "iterations" if isinstance(parameters.equation, Poisson) else self.time_unit

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        """Seconds are those of single steps at the memory's ceiling; fused steps are several times faster."""
        setup = _Setup(problem, backend)
        moved, arrays = setup.bytes_per_step, setup.arrays
        return Estimate(
            memory_bytes=setup.grid.n_cells * arrays * setup.dtype.itemsize,
            bytes_per_step=moved,
            step=setup.step,
            stable_step=setup.limit,
            seconds_per_simulated_unit=moved / backend.ceilings().best / setup.step,
            findings=setup.findings,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        progress("Preparing the grid", 0.0)
        setup = _Setup(problem, backend)
        progress(f"Moving {setup.grid.n_cells:,} cells to {backend.info.name}", 0.3)
        simulation = setup.build()
        progress("Ready", 1.0)
        return simulation

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        return benchmarks(elements)

    def studies(self) -> Sequence[Study]:
        return studies()

    def warm(self, backend: Backend) -> None:
        """A few steps of a small grid of each kind of kernel, and two dabs."""
        for problem in warming_problems():
            simulation = self.build(problem, backend)
            for steps in (1, 2):  # alone and fused, where a kernel can fuse
                simulation.advance(steps)
            simulation.observe()
            assert isinstance(simulation, Painted)
            for brush in simulation.brushes:
                middle = tuple(float(end) / 2 for end in simulation.geometry.bounds[1])
                for erase in (False, True):
                    simulation.paint(Dab(brush.name, middle, 2.0, 1.0, erase))  # type: ignore[arg-type]  # three numbers
            simulation.synchronize()
            simulation.close()


def _checked(problem: Problem) -> StencilParameters:
    if not isinstance(problem.parameters, StencilParameters):
        raise TypeError(f"parameters of the stencil engine, not {type(problem.parameters).__name__}")
    return problem.parameters


@lru_cache(maxsize=16)
def _grid(settings: str) -> Grid:
    """The same object for the same settings: viewers compare grids by identity."""
    from pydantic import TypeAdapter

    grid = TypeAdapter(GridSetting).validate_json(settings)
    counts, sizes = [grid.cells_x, grid.cells_y], [grid.size_x, grid.size_y]
    if isinstance(grid, Box):
        counts, sizes = [*counts, grid.cells_z], [*sizes, grid.size_z]
    return Grid(tuple(counts[::-1]), tuple(size / count for size, count in zip(sizes, counts, strict=True)))


class _Setup:
    """A problem checked and ready to build. Raises ProblemError."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.parameters = parameters = _checked(problem)
        self.backend = backend
        self.equation = parameters.equation
        self.grid = _grid(parameters.grid.model_dump_json())
        self.dtype = PRECISIONS[parameters.numerics.precision]
        self.ghosts: Ghosts = ghosts(parameters.sides.pairs(self.grid.dimensions), self.grid.spacing)
        check_memory(self.grid, self.arrays * self.dtype.itemsize, backend)
        self.limit: float | None = None
        self.step: float = 1.0
        self.findings: tuple[Finding, ...] = ()
        self.material: Material | None = None
        if isinstance(self.equation, GrayScott):
            fastest = max(self.equation.diffusion_u, self.equation.diffusion_v)
            self.limit = stable_step(fastest, 2 * sum(h**-2 for h in self.grid.spacing))
        else:
            self.material = material(self.equation.conductivity, self.grid, self.ghosts)
            if isinstance(self.equation, Poisson):
                self.findings = self._of_balance(self.equation, self.material)
            else:
                self.limit = stable_step(self.equation.diffusivity * self.equation.diffusivity_scale, self.material.sum)
        if self.limit is not None:
            self.step, self.findings = chosen_step(parameters.numerics, self.limit, self.equation)

    @property
    def arrays(self) -> int:
        """Values per cell that the device holds: the solution, a spare, a source that may be painted, faces."""
        if isinstance(self.equation, GrayScott):
            return 4
        faces = 0 if isinstance(self.equation.conductivity, SameEverywhere) else self.grid.dimensions
        return (3 if isinstance(self.equation, Diffusion) else 5) + faces

    @property
    def bytes_per_step(self) -> int:
        if isinstance(self.equation, GrayScott):
            return 4 * self.grid.n_cells * self.dtype.itemsize
        variable = not isinstance(self.equation.conductivity, SameEverywhere)
        source = isinstance(self.equation, Poisson) or self.equation.source != 0.0
        moved = diffusion_traffic(self.grid.shape, self.dtype.itemsize, variable=variable, source=source).bytes
        # a V-cycle: five passes (three sweeps, two transfers) on all levels, together 2^d/(2^d - 1) of the first
        multigrid = isinstance(self.equation, Poisson) and self.equation.method == "multigrid"
        return round(5 * moved / (1 - 0.5**self.grid.dimensions)) if multigrid else moved

    def _of_balance(self, equation: Poisson, material: Material) -> tuple[Finding, ...]:
        """Where no side fixes a value: whether the source balances the flow through the sides."""
        if self.side_values():
            return ()
        problem = finest(self.grid.shape, self.grid.spacing, self.ghosts, material.conductivity)
        return balance_findings(problem, source_field(equation.source, self.grid, self.dtype), self.parameters.sides)

    def rates(self, diffusivity: float) -> tuple[float, ...]:
        """alpha dt/h² along x, y (and z)."""
        return tuple(diffusivity * self.step / h**2 for h in self.grid.spacing)

    def side_values(self) -> list[float]:
        pairs = self.parameters.sides.pairs(self.grid.dimensions)
        return [side.value for pair in pairs for side in pair if side.kind == "value"]

    def build(self) -> Simulation:
        if isinstance(self.equation, GrayScott):
            return self._gray_scott(self.equation)
        if isinstance(self.equation, Poisson):
            return self._poisson(self.equation)
        return self._diffusion(self.equation)

    def _diffusion(self, equation: Diffusion) -> Simulation:
        grid, backend = self.grid, self.backend
        assert self.material is not None
        start = initial_field(equation.initial, grid, self.parameters.sides, self.dtype)
        shown = field_range(start, self.side_values())
        conductivity = self.material.conductivity
        radius = BRUSH * max(grid.lengths)
        amount = rounded((shown[1] - shown[0]) * equation.diffusivity / radius**2 * STROKE, 2)

        def make_step(scale: float) -> DiffusionStep:
            rates = self.rates(equation.diffusivity * scale)
            return make_diffusion(backend, grid.shape, rates, self.ghosts, self.step, self.dtype.name, conductivity)

        return HeatSimulation(
            backend,
            grid,
            self.step,
            backend.array(start),
            PaintedSource(backend, grid, lambda: np.full(grid.shape, equation.source, self.dtype), equation.source),
            make_step,
            equation.diffusivity_scale,
            stable_step(equation.diffusivity, self.material.sum) / self.step,
            self.parameters.numerics.fuse,
            (
                FieldInfo("u", "Temperature", "", "cell", shown, colours(shown, "inferno")),
                _source_info(amount, equation.source, "1/s"),
            ),
            PaintInfo("source", "Heat source", "1/s", amount, BRUSH),
        )

    def _gray_scott(self, equation: GrayScott) -> Simulation:
        reaction = equation.reaction
        feed, kill = RATES[reaction.pattern] if isinstance(reaction, NamedPattern) else (reaction.feed, reaction.kill)
        u, v = start_fields(equation.start, self.grid, self.dtype)
        step = make_gray_scott(
            self.backend,
            self.grid.shape,
            self.rates(equation.diffusion_u),
            self.rates(equation.diffusion_v),
            self.ghosts,
            self.step,
            feed,
            kill,
            self.dtype.name,
        )
        return GrayScottSimulation(
            self.backend,
            self.grid,
            self.step,
            self.backend.array(u),
            self.backend.array(v),
            step,
            self.parameters.numerics.fuse,
            (
                FieldInfo("v", "Substance V", "", "cell", (0.0, 0.4), "viridis"),
                FieldInfo("u", "Substance U", "", "cell", (0.0, 1.0), "viridis"),
            ),
            PaintInfo("v", "Substance V", "", 0.25, BRUSH),
        )

    def _poisson(self, equation: Poisson) -> Simulation:
        grid, backend = self.grid, self.backend
        assert self.material is not None
        solver = make_poisson(
            backend,
            grid.shape,
            grid.spacing,
            self.ghosts,
            self.dtype.name,
            self.material.conductivity,
            equation.method,
            equation.relaxation,
        )

        def make() -> Array:
            return source_field(equation.source, grid, self.dtype)

        first = make()
        source = PaintedSource(backend, grid, make, None)
        shown = field_range(_lifts(first, grid, bool(self.side_values())), self.side_values())
        amount = rounded((shown[1] - shown[0]) / (BRUSH * max(grid.lengths)) ** 2, 2)
        return PoissonSimulation(
            backend,
            grid,
            backend.array(np.zeros(grid.shape, self.dtype)),
            source,
            solver,
            (
                FieldInfo("u", "Potential", "", "cell", shown, colours(shown, "viridis")),
                _source_info(amount, float(first.max()), "1/mm²"),
            ),
            PaintInfo("source", "Source", "1/mm²", amount, BRUSH),
        )


def _lifts(source: Array, grid: Grid, held: bool) -> Array:
    """(lowest, highest) that a source (grid.shape) brings the solution to, about, between earthed sides.

    Its positive and its negative part are taken as spread over balls: as large as the source itself, and at least so
    large that the surroundings of a point charge are shown rather than its peak. The factor of the first is that of a
    uniform source in a cube (largest value 0.056 s L²). In two dimensions that hardly matters.
    """
    lifts = []
    for part in (np.minimum(source, 0), np.maximum(source, 0)):
        total = float(part.sum(dtype=np.float64)) * math.prod(grid.spacing)
        spread = total**2 / max(float((part**2).sum(dtype=np.float64)) * math.prod(grid.spacing), 1e-300)
        reach = max(max(grid.lengths) / 6, 1.42 * spread ** (1 / 3))
        lifts.append(total / (4 * math.pi) / (1.0 if grid.dimensions == 2 else reach))
    if not any(lifts) and not held:
        lifts[1] = 1.0
    return np.array(lifts)


def _source_info(amount: float, given: float, unit: str) -> FieldInfo:
    largest = max(abs(amount), abs(given))
    return FieldInfo("source", "Source", unit, "cell", (-largest, largest), "diverging")


def rounded(value: float, digits: int) -> float:
    """To so many significant digits."""
    return float(f"{value:.{digits}g}")
