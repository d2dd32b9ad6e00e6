"""What a rank has of a body, and how parts make the whole."""

from __future__ import annotations

from engines.api import Progress
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Part, Ranks
from engines.peridynamics.loading.relaxation import SEEN
from engines.peridynamics.parameters.contact import Free
from engines.peridynamics.ranks.slab import BodySlab
from engines.peridynamics.setup.base import Setup
from engines.peridynamics.setup.lattice import LatticeSetup
from engines.peridynamics.state.body import StateBody


def part_of(setup: Setup, ranks: Ranks, progress: Progress) -> Part:
    """Raises ProblemError for what runs on one rank."""
    check(setup)
    assert isinstance(setup, LatticeSetup)
    slab = BodySlab.of(setup.body.cells, setup.body.geometry.positions, setup.layout, ranks)
    body = slab.cut(setup.discretised())
    progress(f"Moving {len(body.places):,} particles to {setup.backend.info.name}", 0.5)
    solver = setup.solver_of(body, slab)
    solver.own = slab
    simulation = setup.simulation_of(solver, slab.geometry(setup.body.geometry))
    arrays = [*solver.arrays, *(["pushes"] if solver.followers else [])]
    if setup.parameters.numerics.quasi_static:
        arrays += SEEN
    progress("Ready", 1.0)
    return Part(
        simulation,
        setup.body.geometry,
        ((slab.first, slab.last),),
        slab.shares(arrays, ("u", "v") if isinstance(body, StateBody) else ("u",)),
        dict.fromkeys((info.name for info in simulation.series), "same"),
        answered=("inspect",),
        asked={
            "shifts": lambda body: simulation.shifts(),
            "lines": simulation.lines_of,
            "results": simulation.results_of,
            "result_axes": lambda body: simulation.result_axes(),
            "chart": lambda body, name: simulation.chart(name),
        },
    )


def check(setup: Setup) -> None:
    """Raises ProblemError."""
    parameters = setup.parameters
    one_rank = "run it without --ranks."
    if not isinstance(setup, LatticeSetup):
        raise ProblemError(f"A body of irregular points runs on one rank: {one_rank}", ("body",))
    if parameters.contact.kind != "none":  # fragments meet anywhere
        raise ProblemError(f"Contact of particles runs on one rank: take it away, or {one_rank}", ("contact",))
    if any(isinstance(each.motion, Free) for each in parameters.penetrators):  # each step hangs on all that it touches
        raise ProblemError(
            f"A penetrator that flies freely runs on one rank: drive it, or {one_rank}", ("penetrators",)
        )
