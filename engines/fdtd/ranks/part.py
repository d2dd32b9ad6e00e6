"""A Maxwell problem on several ranks: what each builds of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from engines.api import Problem, Progress, Simulation
from engines.api.charts import ChartData
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Part, Ranks
from engines.backend.cpu import CpuBackend
from engines.fdtd.media.materials import Media
from engines.fdtd.monitors.incident import incident_of
from engines.fdtd.monitors.plans import Incident, make_watchers
from engines.fdtd.monitors.settling import noted
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.ports.touchstone import commented
from engines.fdtd.ports.watcher import PortsWatcher
from engines.fdtd.ranks.cut import CutYee, slab_of
from engines.fdtd.ranks.simulation import SlabSimulation
from engines.fdtd.ranks.steps import SlabSteps
from engines.fdtd.ranks.watching import SeenFromAll, cut_plans, of_rank
from engines.fdtd.setup.grid import grid_of
from engines.fdtd.setup.on_grid import OnGrid, on_grid
from engines.fdtd.setup.problem import Setup
from engines.fdtd.setup.sources import expected_field
from engines.fdtd.step.steps import YeeSteps
from engines.fdtd.watch.fields import fields_of, frequency_of
from engines.fdtd.watch.permittivity import Permittivity
from engines.fdtd.watch.source_charts import SourceCharts
from engines.fdtd.watch.watcher import FieldWatcher


def part_of(
    problem: Problem, backend: Backend, ranks: Ranks, progress: Progress, seen_by_all: bool = False
) -> Part:  # fmt: skip
    """A slab of the grid; ``seen_by_all``: not rank 0 alone asks what monitors have found. Raises ProblemError for what
    runs on one rank."""
    progress("Placing objects on the grid", 0.0)
    setup = Setup(problem, backend)
    check(setup)
    slab = slab_of(grid_of(setup.parameters.grid), setup.axes, ranks)
    incident = None
    if setup.monitors.normalised:

        def without_objects(empty: FdtdParameters) -> SlabSimulation:
            found = part_of(Problem(empty), backend, ranks, progress, True).simulation
            assert isinstance(found, SlabSimulation)
            return found

        incident = incident_of(setup.parameters, setup.monitors, backend, progress, without_objects, ranks.rank)
    cut = CutYee(slab, setup.yee, setup.axes)
    part = _assembled(on_grid(setup, backend, progress), cut, backend, ranks, incident, seen_by_all)
    progress("Ready", 1.0)
    return part


def check(setup: Setup) -> None:
    """Raises ProblemError."""
    if any(setup.yee.flat):
        raise ProblemError("A plane or a line of the FDTD engine runs on one rank: run it without --ranks.", ("grid",))
    if any(axis.phase for axis in setup.axes):
        raise ProblemError("Bloch faces run on one rank: run it without --ranks.", ("faces",))


def _assembled(
    placed: OnGrid, cut: CutYee, backend: Backend, ranks: Ranks, incident: Incident | None, seen_by_all: bool
) -> Part:
    setup, slab = placed.setup, cut.slab
    parameters = setup.parameters
    steps = SlabSteps(backend, ranks, cut, placed.media, placed.sources, setup.precision, setup.parts)
    plans = cut_plans(setup.monitors, cut)
    watchers = make_watchers(
        parameters, plans.plans, backend, steps, expected_field(parameters), plans.incident(incident), setup.keeps_all
    )
    if placed.gaps:
        watchers.append(_ports(placed, backend, steps))
    shares = cut.shares(placed.media)
    for number, each in enumerate(watchers):
        of_plan = getattr(getattr(each, "plan", getattr(each, "monitor", None)), "name", "")
        shares |= {
            f"monitor {number} {name}": plans.shares[of_plan, name]
            for name in each.parts()
            if (of_plan, name) in plans.shares
        }
    still = SourceCharts(parameters)
    seen = None
    if ranks.rank == 0 or seen_by_all:
        host = CpuBackend()
        all_watchers = make_watchers(
            parameters, setup.monitors, host, steps, expected_field(parameters), incident, setup.keeps_all
        )
        if placed.gaps:
            all_watchers.append(_ports(placed, host, steps))
        seen = SeenFromAll(host, setup.yee, all_watchers, still)
    painter = placed.painter()
    planes = slice(slab.low, slab.high)

    def own_media() -> Media:
        media, nodes = painter.media, slice(slab.low, slab.high + 1)
        ids_h = None if media.ids_h is None else media.ids_h[:, nodes]
        return replace(media, ids_e=media.ids_e[:, nodes], ids_h=ids_h)

    simulation = SlabSimulation(
        cut, ranks, steps, shares, seen, setup.parts, backend=backend, grid=grid_of(parameters.grid), dt=setup.dt,
        sources=placed.sources, scale=parameters.source_scale, cells=np.ascontiguousarray(placed.cells[planes]),
        fields=fields_of(parameters, setup.parts, setup.media),
        traffic=setup.traffic_of(placed.media, steps.passes), period=setup.period, watchers=of_rank(watchers),
        still=still, painter=painter,
        permittivity=Permittivity(cut.own, own_media, setup.parts, frequency_of(parameters)),
    )  # fmt: skip
    fields = frozenset(info.name for info in seen.fields) if seen is not None else frozenset()
    return Part(
        simulation, slab.grid, (slab.elements,), shares, dict.fromkeys(("energy", "electric", "magnetic"), "same"),
        simulation.given, seen, seen.names if seen is not None else (), fields,
        answered=("note",), asked={} if seen is None else {"files": partial(_files, seen), "chart": _chart},
    )  # fmt: skip


def _chart(ranks: Any, name: str) -> ChartData:
    """As seen of the whole; the energy that is left is found by all ranks together."""
    data: ChartData = type(ranks).chart(ranks, name)
    return noted(data, partial(ranks.note, name))


def _files(seen: SeenFromAll, ranks: Simulation) -> dict[str, str]:
    noticed = ranks.noticed()  # which brings what is seen up to date
    return commented(seen.files(), noticed)


def _ports(placed: OnGrid, backend: Backend, steps: YeeSteps) -> FieldWatcher:
    setup = placed.setup
    return PortsWatcher(backend, steps, placed.gaps, setup.ports, setup.dt, setup.parameters.grid.length_unit)
