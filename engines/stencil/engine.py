"""The stencil engine: diffusion, Gray-Scott, Poisson's equation and typed ones on uniform grids of two and three
dimensions.

Solved for is one of

    diffusion      ∂u/∂t = ∇·(α k ∇u) + s
    Gray-Scott     ∂u/∂t = Du ∇²u − u v² + F (1 − u),    ∂v/∂t = Dv ∇²v + u v² − (F + k) v
    Poisson        −∇·(k ∇u) = s
    own equations  ∂u_i/∂t = f_i(u, derivatives in space, x, y, z, t, parameters), as they are typed

**Space** (``setup``). Values at cell centres, fluxes through faces, second-order central differences: for cell i
``∇·(k ∇u) = Σ_neighbours (k_face / h²) (u_j − u_i)`` with the harmonic mean of both cells as ``k_face``. What holds at
a side (a value, a gradient, periodic) is a ghost cell ``g = scale · u + shift`` beyond it, made where it is needed: the
arrays have none.

**Time** (``diffusion``, ``gray_scott``). Forward Euler, of first order, stable up to ``Δt α Σ (k low + k high)/h² = 1``
in every cell (``setup/limits.py``). A step reads one array and writes the other, which then change places; several
steps are taken at each pass over the grid where that is faster (``step/launch_shapes.py``), with the same bits.

**Typed equations** (``equations``). Each line is read into a graph, its derivatives become differences between cells,
and both twins' kernels are written from that graph: one pass a step by Euler's method or Adams and Bashforth's, four by
Runge and Kutta's. Diffusion may be implicit, solved for by V-cycles. The step follows from the eigenvalues of the
linearised operator.

**Iteration** (``poisson``). A step of Poisson's is a sweep of Jacobi or red-black SOR, or a V-cycle of multigrid:
two Gauss-Seidel sweeps down, a stored inverse on the coarsest level, one sweep up.

**Watching and painting** (``watch``, ``step/painting.py``). Fields are arrays on the device; content and largest value
are summed there. Dabs change the source, or V of Gray-Scott, between two steps.

**Cost**. Steps one by one are bound by memory: u is read and written, 8 bytes a cell in float32, and so is each further
array (a source, faces where k varies, the second substance). ``README.md`` says where figures stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from engines.api import Array, Benchmark, Dab, Engine, Estimate, Finding, Problem, Progress, Simulation, no_progress
from engines.api.abilities import Painted
from engines.api.charts import Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab import Study
from engines.api.simulation.ranks import Part, Ranks, Share
from engines.api.tools import Tool
from engines.api.verification import VerificationCase
from engines.geometry.grid import Grid
from engines.ranks.slabs import Held, Slab
from engines.stencil.diffusion.forward_euler import DIFFUSION
from engines.stencil.diffusion.forward_euler import Diffusion as DiffusionStep
from engines.stencil.diffusion.simulation import HeatSimulation
from engines.stencil.diffusion.traffic import diffusion_traffic
from engines.stencil.equations.explicit import EXPLICIT, traffic
from engines.stencil.equations.simulation import TypedSimulation
from engines.stencil.gray_scott.forward_euler import GRAY_SCOTT, GrayScottStep
from engines.stencil.gray_scott.simulation import GrayScottSimulation
from engines.stencil.lab.benchmarks import benchmarks, warming_problems
from engines.stencil.lab.studies import studies
from engines.stencil.parameters import Diffusion, GrayScott, NamedPattern, OwnEquations, Poisson, StencilParameters
from engines.stencil.parameters.patterns import RATES
from engines.stencil.poisson.balance import balance_findings
from engines.stencil.poisson.iterations import POISSON, Method, PoissonSolver
from engines.stencil.poisson.levels import finest
from engines.stencil.poisson.simulation import PoissonSimulation
from engines.stencil.ranks.steps import OnSlab, SlabDiffusion, SlabGrayScott
from engines.stencil.ranks.typed import typed_part
from engines.stencil.setup.equations import TypedProblem
from engines.stencil.setup.fields import initial_field, source_field, start_fields
from engines.stencil.setup.grid import checked, grid_of
from engines.stencil.setup.limits import stable_step
from engines.stencil.setup.pace import seconds_per_step
from engines.stencil.setup.problem import GridProblem
from engines.stencil.setup.reaction import off_by
from engines.stencil.step.painting import PaintedSource
from engines.stencil.watch.fields import SUBSTANCE_BRUSH, SUBSTANCES, heat_fields, potential_fields
from engines.stencil.watch.inflow import inflow
from engines.stencil.watch.typed import typed_fields


class StencilEngine(Engine):
    """Diffusion, reaction-diffusion and Poisson problems on a grid that the parameters describe."""

    id = "stencil"
    title = "Diffusion on grids"
    summary = "Heat, Gray-Scott patterns, Poisson's and your own equations on grids that are painted on while they run"
    time_unit = "s"
    Parameters = StencilParameters
    geometry_type = None

    def default_parameters(self, geometry: Any) -> StencilParameters:
        return StencilParameters()

    def geometry_of(self, problem: Problem) -> Grid:
        return grid_of(checked(problem))

    def time_unit_of(self, parameters: Any) -> str:
        return "iterations" if isinstance(parameters.equation, Poisson) else self.time_unit

    def title_of(self, parameters: Any) -> str:
        match parameters.equation:
            case OwnEquations() as own:
                return f"Typed equations of {', '.join(field.name for field in own.fields)}"
            case GrayScott():
                return "Gray-Scott on grids"
            case Poisson():
                return "Poisson's equation on grids"
        return self.title

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        """On a GPU seconds are those of single steps at the memory's ceiling; fused steps are several times faster.

        The bytes of typed equations are those that their graphs say.
        """
        posed: GridProblem | TypedProblem
        facts: tuple[Fact, ...] = ()
        if isinstance(checked(problem).equation, OwnEquations):
            posed = TypedProblem(problem, backend)
            moved, findings = traffic(posed.plan, posed.grid.shape, posed.dtype).bytes, posed.findings
        else:
            posed = GridProblem(problem, backend)
            moved, findings = bytes_per_step(posed), (*posed.findings, *balance(posed))
            if isinstance(posed.equation, GrayScott):
                facts = (off_by(posed.equation, posed.step),)
        return Estimate(
            memory_bytes=posed.grid.n_cells * posed.arrays * posed.dtype.itemsize,
            bytes_per_step=moved,
            step=posed.step,
            stable_step=posed.limit,
            seconds_per_simulated_unit=seconds_per_step(problem, moved, backend, self.build) / posed.step,
            findings=findings,
            facts=facts,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        progress("Preparing the grid", 0.0)
        if isinstance(checked(problem).equation, OwnEquations):
            return typed(TypedProblem(problem, backend), backend, progress)
        posed = GridProblem(problem, backend)
        progress(f"Moving {posed.grid.n_cells:,} cells to {backend.info.name}", 0.3)
        simulation: Simulation
        match posed.equation:
            case Diffusion():
                simulation = heat(posed, posed.equation, backend)
            case GrayScott():
                simulation = patterns(posed, posed.equation, backend)
            case Poisson():
                simulation = potential(posed, posed.equation, backend)
        progress("Ready", 1.0)
        return simulation

    def build_part(self, problem: Problem, backend: Backend, ranks: Ranks, progress: Progress = no_progress) -> Part:
        """A slab of the grid, across y or z. Poisson's equation, and diffusion that is implicit, raise ProblemError."""
        if isinstance(checked(problem).equation, Poisson):
            raise ProblemError("Poisson's equation is solved on one rank: run it without --ranks.", ("equation",))
        if isinstance(checked(problem).equation, OwnEquations):
            return typed_part(TypedProblem(problem, backend), backend, ranks, progress)
        progress("Preparing the grid", 0.0)
        posed = GridProblem(problem, backend)
        slab = Slab.of(posed.grid, ranks, wraps=posed.ghosts[-1][0].wraps)
        simulation: Simulation
        if isinstance(posed.equation, GrayScott):
            simulation, split = patterns(posed, posed.equation, backend, slab, ranks), ("u", "v")
        else:
            assert isinstance(posed.equation, Diffusion)
            simulation, split = heat(posed, posed.equation, backend, slab, ranks), ("u", "source")
        progress("Ready", 1.0)
        shares = dict.fromkeys(split, Share(0, posed.grid.shape[0], range(slab.low, slab.high)))
        combined: dict[str, Literal["sum", "largest"]] = {each.name: "sum" for each in simulation.series}
        combined["largest"] = "largest"
        return Part(simulation, posed.grid, (slab.elements,), shares, combined)

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        return benchmarks(elements)

    def studies(self) -> Sequence[Study]:
        return studies()

    def verification(self) -> Sequence[VerificationCase]:
        from engines.stencil.verification.cases import CASES  # they build with this engine

        return CASES

    def tools(self) -> Sequence[Tool]:
        from engines.stencil.tools.settling import Settling  # seldom wanted

        return (Settling(),)

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


def heat(
    posed: GridProblem, equation: Diffusion, backend: Backend, slab: Slab | None = None, ranks: Ranks | None = None
) -> HeatSimulation:
    """Explicit diffusion from the initial state, with a source that is painted and a diffusivity that changes live; of
    the whole grid, or of a slab that is one of ``ranks``."""
    start = initial_field(equation.initial, posed.grid, posed.parameters.sides, posed.dtype)
    infos = heat_fields(equation, start, posed.side_values(), posed.grid)
    grid = posed.grid
    if slab is not None:
        grid, start = slab.own, slab.of_own(start)

    def uniform() -> Array:
        return np.full(grid.shape, equation.source, posed.dtype)

    held: Held = []

    def make_step(scale: float) -> DiffusionStep:
        rates = posed.rates(equation.diffusivity * scale)
        if slab is not None and ranks is not None:
            return SlabDiffusion(
                backend, ranks, slab, rates, posed.ghosts, posed.step, posed.dtype.name, posed.conductivity, held
            )
        return DIFFUSION.open(
            backend, grid.shape, rates, posed.ghosts, posed.step, posed.dtype.name, posed.conductivity,
            sourced=equation.source != 0.0,
        )  # fmt: skip

    step = make_step(equation.diffusivity_scale)
    return HeatSimulation(
        backend,
        grid,
        posed.step,
        two_arrays(backend, step, start),
        PaintedSource(backend, grid, uniform, equation.source),
        make_step,
        step,
        (equation.diffusivity_scale, stable_step(equation.diffusivity, posed.face_sum) / posed.step),
        posed.parameters.numerics.fuse,
        infos,
        inflow(
            backend,
            posed.grid,
            posed.ghosts,
            posed.conductivity,
            posed.dtype,
            equation.diffusivity,
            ("mm²/s", "mm³/s")[grid.dimensions - 2],
            slab,
        ),
    )


def patterns(
    posed: GridProblem, equation: GrayScott, backend: Backend, slab: Slab | None = None, ranks: Ranks | None = None
) -> GrayScottSimulation:
    """Two substances from seeds or a picture, with feed and kill rate of a pattern that has a name, or any; of the
    whole grid, or of a slab that is one of ``ranks``."""
    grid, reaction = posed.grid, equation.reaction
    feed, kill = RATES[reaction.pattern] if isinstance(reaction, NamedPattern) else (reaction.feed, reaction.kill)
    u, v = start_fields(equation.start, grid, posed.dtype)
    rates = posed.rates(equation.diffusion_u), posed.rates(equation.diffusion_v)
    step: GrayScottStep
    if slab is not None and ranks is not None:
        numbers = (posed.ghosts, posed.step, feed, kill, posed.dtype.name)
        step = SlabGrayScott(backend, ranks, slab, rates, *numbers)
        grid, u, v = slab.own, slab.of_own(u), slab.of_own(v)
    else:
        step = GRAY_SCOTT.open(backend, grid.shape, *rates, posed.ghosts, posed.step, feed, kill, posed.dtype.name)
    fuse = posed.parameters.numerics.fuse
    return GrayScottSimulation(
        backend, grid, posed.step, two_arrays(backend, step, u), two_arrays(backend, step, v), step, fuse, SUBSTANCES,
        SUBSTANCE_BRUSH,
    )  # fmt: skip


def two_arrays(backend: Backend, step: Any, start: Array) -> tuple[Any, Any]:
    """(these values on the device, as many others that ``step`` writes to)."""
    if isinstance(step, OnSlab):
        return step.arrays(start)
    return backend.array(start), backend.empty(start.shape, start.dtype)


def potential(posed: GridProblem, equation: Poisson, backend: Backend) -> PoissonSimulation:
    """Iterations from zero, with a source that is painted."""
    grid = posed.grid

    def solver(method: Method, relaxation: float | None) -> PoissonSolver:
        return POISSON.open(
            backend, grid.shape, grid.spacing, posed.ghosts, posed.dtype.name, posed.conductivity, method, relaxation
        )  # fmt: skip

    def given() -> Array:
        return source_field(equation.source, grid, posed.dtype)

    fields, brush = potential_fields(given(), posed.side_values(), grid)
    source = PaintedSource(backend, grid, given, None)
    return PoissonSimulation(
        backend, grid, backend.array(np.zeros(grid.shape, posed.dtype)), source,
        solver(equation.method, equation.relaxation), fields, brush,
        inflow(backend, grid, posed.ghosts, posed.conductivity, posed.dtype, 1.0, ("", "mm")[grid.dimensions - 2]),
        lambda: solver("multigrid", None),
    )  # fmt: skip


def typed(posed: TypedProblem, backend: Backend, progress: Progress) -> TypedSimulation:
    """Fields of typed equations from where they begin; every one is painted, and parameters change live."""
    grid = posed.grid
    progress(f"Moving {grid.n_cells:,} cells to {backend.info.name}", 0.2)
    starts = {name: posed.start(name) for name in posed.system.fields}
    explicit = EXPLICIT.open(
        backend, grid.shape, posed.plan, posed.sides(), posed.given, posed.step, posed.dtype.name
    )  # fmt: skip
    progress("Compiling the equations", 0.4)
    with backend.active():
        explicit.compile()
    explicit.begin(list(starts.values()))
    explicit.seed = posed.equation.seed
    infos = typed_fields(posed.system, starts, posed.settings)
    progress("Ready", 1.0)
    return TypedSimulation(
        backend, grid, posed.step, explicit, infos, posed.system.parameters, posed.limit_with, posed.off_with,
        posed.passed.told,
    )  # fmt: skip


def balance(posed: GridProblem) -> tuple[Finding, ...]:
    """Of Poisson's equation where no side fixes a value: whether the source balances the flow through the sides."""
    equation = posed.equation
    if not isinstance(equation, Poisson) or posed.side_values():
        return ()
    level = finest(posed.grid.shape, posed.grid.spacing, posed.ghosts, posed.conductivity)
    return balance_findings(level, source_field(equation.source, posed.grid, posed.dtype), posed.parameters.sides)


def bytes_per_step(posed: GridProblem) -> int:
    """What single steps move: each array that a step needs once."""
    equation, grid, value_bytes = posed.equation, posed.grid, posed.dtype.itemsize
    if isinstance(equation, GrayScott):
        return 4 * grid.n_cells * value_bytes
    source = isinstance(equation, Poisson) or equation.source != 0.0
    moved = diffusion_traffic(grid.shape, value_bytes, variable=posed.varies, source=source).bytes
    # a V-cycle: five passes (three sweeps, two transfers) on all levels, together 2^d/(2^d - 1) of the first
    multigrid = isinstance(equation, Poisson) and equation.method == "multigrid"
    return round(5 * moved / (1 - 0.5**grid.dimensions)) if multigrid else moved
