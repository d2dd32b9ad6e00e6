"""Typed equations on a slab of a grid, as :mod:`engines.ranks.slabs` says: before each step as many planes arrive as it
reaches across, and all passes of it go over the slab with those. What hangs on the place of a cell, noise too, knows
where that is in the whole grid, so that the bits are the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from engines.api import Array, Progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Part, Ranks, Share
from engines.ranks.slabs import Slab, Widened
from engines.stencil.equations.explicit import EXPLICIT
from engines.stencil.equations.laws import CLOSED, WRAPPED, Laws, Sides
from engines.stencil.equations.simulation import BEFORE, TypedSimulation
from engines.stencil.setup.equations import TypedProblem
from engines.stencil.watch.typed import typed_fields


def typed_part(posed: TypedProblem, backend: Backend, ranks: Ranks, progress: Progress) -> Part:
    """Raises ProblemError for what runs on one rank."""
    if posed.plan.diffusivities:
        raise ProblemError(
            "Diffusion that is taken implicitly is solved for on one rank: choose another method, or run it without "
            "--ranks.",
            ("equation", "method"),
        )
    grid, system = posed.grid, posed.system
    wraps = {axes[-1][0].wraps for axes in posed.laws}
    if len(wraps) > 1:
        raise ProblemError(
            f"Along {'yz'[grid.dimensions - 2]} some fields are periodic and others are not, which runs on one rank: "
            "give them all the same, or run it without --ranks.",
            ("equation", "fields"),
        )
    slab = Slab.of(grid, ranks, wraps=wraps.pop())
    wide = _widened(slab, posed)
    progress(f"Moving {slab.own.n_cells:,} cells to {backend.info.name}", 0.2)
    starts = {name: posed.start(name) for name in system.fields}
    sides = Sides(_cut(posed.laws, slab), wide.shape, grid.spacing, (wide.planes, grid.shape[0]))
    explicit = EXPLICIT.open(
        backend, wide.shape, posed.plan, sides, posed.given, posed.step, posed.dtype.name
    )  # fmt: skip
    first = slab.low - wide.ends[0], grid.shape[0]
    explicit.whole = (*first, 0, 1) if grid.dimensions == 2 else (0, grid.shape[1], *first)
    progress("Compiling the equations", 0.4)
    with backend.active():
        explicit.compile()
    explicit.begin([values[wide.planes] for values in starts.values()])
    explicit.seed = posed.equation.seed
    explicit.arrive = _arrival(ranks, wide)
    simulation = TypedSimulation(
        backend, slab.own, posed.step, explicit, typed_fields(system, starts, posed.settings), system.parameters,
        posed.limit_with, lambda states, given: posed.off_with(_of_all(ranks, states), given),
        lambda looks: posed.passed.told([look._replace(states=_of_all(ranks, look.states)) for look in looks]),
        lambda values: values.reshape(wide.shape)[wide.own],
        lambda limit: float(np.min(ranks.gathered(np.array(limit)))),
    )  # fmt: skip
    progress("Ready", 1.0)
    split = [*system.fields, *(f"{BEFORE}{name}" for name in system.fields if posed.plan.remembers)]
    shares = dict.fromkeys(split, Share(0, grid.shape[0], range(slab.low, slab.high)))
    combined: dict[str, Literal["sum", "largest", "same"]] = {
        info.name: "sum" if info.name.startswith("content") else "largest" for info in simulation.series
    }
    return Part(simulation, grid, (slab.elements,), shares, combined)


def _of_all(ranks: Ranks, states: Mapping[str, Array]) -> dict[str, Array]:
    """The states of the cells that each rank looks at, together, so that all say the same of them."""
    found = np.concatenate(ranks.gathered(np.array(list(states.values()))), axis=1)
    return dict(zip(states, found, strict=True))


def _widened(slab: Slab, posed: TypedProblem) -> Widened:
    axis = slab.grid.dimensions - 1
    depth = max(1, posed.plan.reach(axis))
    if slab.thinnest < depth:
        parts, noun = len(slab.rows) - 1, "planes" if axis == 2 else "rows"
        raise ProblemError(
            f"A step of these equations reaches across {depth} {noun}, and of {slab.grid.shape[0]} {noun} the thinnest "
            f"of {parts} ranks has {slab.thinnest}: use at most {slab.grid.shape[0] // depth} ranks."
        )
    return Widened(slab, depth)


def _cut(laws: Laws, slab: Slab) -> Laws:
    """Laws of the slab's ends where others lie beyond them, which matter to no cell that is kept."""
    below, above = slab.below is not None, slab.above is not None
    found = []
    for *others, (low, high) in laws:
        ends = (WRAPPED, WRAPPED) if below and above else (CLOSED if below else low, CLOSED if above else high)
        found.append((*others, ends))
    return tuple(found)


def _arrival(ranks: Ranks, wide: Widened) -> Any:
    """What puts the neighbours' planes beside those of fields: (fields, nz, ny, nx)."""

    def arrive(fields: Any) -> None:
        both = [wide.messages(fields[row].reshape(wide.shape), wide.depth, 2 * row) for row in range(len(fields))]
        ranks.exchange(*([one for each in both for one in each[way]] for way in (0, 1))).wait()

    return arrive
