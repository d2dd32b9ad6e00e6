"""The cardiac engine: the monodomain equation on a tetrahedral mesh.

Solved for are the transmembrane voltage v and the states w of each cell (gates, concentrations):

    χ Cm ∂v/∂t = ∇·(σ∇v) − χ I_ion(v, w) + χ I_stim,    dw/dt = f(v, w),    σ = σ_i σ_e / (σ_i + σ_e)

with zero flux through the surface of the mesh and of scars that do not conduct.

**Space** (``tissue``). One voltage per tetrahedron: cell-centred finite volumes with fluxes between 16 neighbours
(``diffusion``); or one per vertex: linear elements with lumped mass (``p1``). Both end as one sparse matrix L of rates,
``dv/dt = L v``, assembled on the host in float64, whose rows stand along a Hilbert curve.

**Cells** (``cells``, ``compiler``). Ten Tusscher-Panfilov 2006 has kernels written by hand; those of any other model
are compiled from its equations. Cells differ by region: type, condition, changed and spread parameters.

**Time** (``step``). Godunov's splitting, of first order. A step of Δt

1. diffuses, ``v ← v + Δt L v``: forward Euler, stable up to a step that the worst-shaped cell sets;
2. reacts, in each cell alone: stimuli that are on (``stimulus``), then v and w by lightweight Rush-Larsen for TT06, by
   the scheme that suits a compiled model.

Either half may be taken in several parts, and quiet cells may react more seldom (``multirate``).

**Ranks** (``ranks``). Each of several processes has a part of the rows; what it reads of others' travels while rows
that read none are diffused.

**Watching** (``watch``). Maps of each beat, a pseudo-ECG, phase: read on the device every few steps.

**Cost**. On a GPU a step is bound by memory: in float32 TT06 moves 157 bytes a cell, its 18 states read and written,
diffusion those of about 14 entries a row. ``README.md`` has what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Benchmark, Engine, Estimate, Imported, Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import LabTable
from engines.api.simulation.ranks import Part, Ranks
from engines.api.tools import Tool
from engines.api.verification import VerificationCase
from engines.backend.pace import small_pace, structure_of
from engines.cardiac.carp.reader import SUFFIX, read_par
from engines.cardiac.diffusion.forward_euler import DIFFUSION, DIFFUSION_TYPES, VALUE_TYPES, Diffusion
from engines.cardiac.lab.benchmarks import box_benchmarks, small_boxes
from engines.cardiac.multirate.groups import GROUP, GROUPS
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.ranks.cut import IMBALANCE, OwnRows, own_rows
from engines.cardiac.ranks.diffusion import DividedDiffusion
from engines.cardiac.ranks.ecg import DividedEcg
from engines.cardiac.ranks.part import as_part, check_ranks
from engines.cardiac.ranks.phase import DividedPhase
from engines.cardiac.setup.cells import check_quiet_step, make_cells, parameter_book, step_limit, working_step
from engines.cardiac.setup.checks import checked, worst_cell
from engines.cardiac.setup.cost import step_cost
from engines.cardiac.setup.defaults import default_parameters, regions_become
from engines.cardiac.setup.findings import problem_findings
from engines.cardiac.step.brushes import Brushes
from engines.cardiac.step.limits import check_reaction_step, check_step
from engines.cardiac.step.simulation import CardiacSimulation
from engines.cardiac.step.stepping import Stepper
from engines.cardiac.stimulus.protocol import protocol
from engines.cardiac.stimulus.touch import TouchProtocol
from engines.cardiac.tissue.operator import tissue_operator
from engines.cardiac.tissue.places import CellPlaces, make_places
from engines.cardiac.tissue.rows import ALL_ROWS
from engines.cardiac.watch.watchers import open_watchers
from engines.geometry.meshes.mesh import TetMesh
from engines.ranks.facts import memory_facts


class CardiacEngine(Engine):
    """Electrical activity of heart tissue: depolarisation fronts on a tetrahedral mesh."""

    id = "cardiac"
    title = "Cardiac monodomain"
    summary = "Action potentials that travel through heart tissue with fibres"
    time_unit = "ms"
    Parameters = CardiacParameters
    geometry_type = TetMesh
    imports = (SUFFIX,)

    def default_parameters(self, geometry: TetMesh) -> CardiacParameters:
        return default_parameters(geometry)

    def regions_become(self, problem: Problem) -> Mapping[str, str]:
        return regions_become(checked(problem)[0])

    def suggestions(self, problem: Problem) -> Mapping[str, Sequence[str]]:
        return {"cell_parameter": sorted(parameter_book(checked(problem)[0]).values("epi"), key=str.lower)}

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        parameters, mesh = checked(problem)
        numerics = parameters.numerics
        operator = tissue_operator(mesh, parameters)
        protocol(parameters.stimuli, parameters.tissue, operator.sites, numerics.step)
        cost = step_cost(parameters, operator, backend, IMBALANCE if backend.parts > 1 else 1.0)
        diffusion_limit = operator.stable_step * numerics.diffusion_substeps / parameters.conductivity_scale
        reaction_limit = step_limit(parameters) * numerics.reaction_substeps
        seconds = cost.seconds
        if not numerics.multirate.on:  # how many cells rest in its first steps says little
            key = (
                __name__,
                id(mesh),
                mesh.n_cells,
                structure_of(parameters),
                numerics.step,
                parameters.recording.interval,
            )
            seconds = small_pace(backend, key, lambda: self.build(problem, backend), cost.memory, seconds)
        return Estimate(
            memory_bytes=cost.memory,
            bytes_per_step=cost.moved,
            step=numerics.step,
            stable_step=min(diffusion_limit, reaction_limit),
            seconds_per_simulated_unit=seconds / numerics.step,
            milestone=("beat", 1000.0),
            findings=problem_findings(mesh, parameters, operator),
            facts=memory_facts(cost.memory, backend.parts),
            field_bytes=np.dtype(VALUE_TYPES[DIFFUSION_TYPES[numerics.precision]]).itemsize,
        )

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> CardiacSimulation:
        return self._build(problem, backend, progress)

    def build_part(self, problem: Problem, backend: Backend, ranks: Ranks, progress: Progress = no_progress) -> Part:
        parameters, mesh = checked(problem)
        check_ranks(parameters)
        operator = tissue_operator(mesh, parameters, progress)
        own = own_rows(operator.matrix, ranks, operator.noun, progress)
        return as_part(self._build(problem, backend, progress, ranks, own), parameters, operator, own)

    def _build(
        self,
        problem: Problem,
        backend: Backend,
        progress: Progress,
        ranks: Ranks | None = None,
        own: OwnRows | None = None,
    ) -> CardiacSimulation:
        """All of it, or the ``own`` rows of one of some ranks."""
        parameters, mesh = checked(problem)
        numerics, step = parameters.numerics, parameters.numerics.step

        # Space: the matrix L, and the sites that its rows belong to.
        operator = tissue_operator(mesh, parameters, progress)

        # Time: both halves of a step must be stable in the parts that they are taken in.
        diffusion_limit = operator.stable_step * numerics.diffusion_substeps / parameters.conductivity_scale
        check_reaction_step(step, step_limit(parameters) * numerics.reaction_substeps)
        check_quiet_step(parameters)
        check_step(step, diffusion_limit, worst_cell(mesh, operator))

        # Stimuli: which sites each reaches and in which steps; pulses by hand are added to them in a run.
        progress("Placing stimuli", 0.8)
        plan = TouchProtocol(protocol(parameters.stimuli, parameters.tissue, operator.sites, step))

        # The two halves on the device: cells with their states, and the matrix; groups of cells if quiet ones may wait.
        rows = ALL_ROWS if own is None else own
        order, precision = rows.own(operator.order), DIFFUSION_TYPES[numerics.precision]
        progress(f"Moving {len(order):,} {operator.noun} to {backend.info.name}", 0.9)
        tissue = make_cells(backend, operator.sites, parameters, plan, order, progress)
        diffusion: Diffusion
        of_all: dict[str, Any] = {}
        places = make_places(backend, operator) if own is None else CellPlaces(backend, np.arange(len(order)))
        if ranks is None or own is None:
            diffusion = DIFFUSION.open(backend, operator.matrix, step, precision)
        else:
            diffusion = DividedDiffusion(backend, ranks, own, step, precision)
            of_all = {
                "ecg": partial(DividedEcg, ranks, own),
                "phase": partial(DividedPhase, ranks, own),
                "gathered": ranks.gathered,
            }
        groups = None
        if numerics.multirate.on:
            of_whole = () if own is None else (own.groups, -(-own.whole // GROUP))
            groups = GROUPS.open(backend, tissue, step, numerics.multirate, *of_whole)
        substeps = numerics.diffusion_substeps, numerics.reaction_substeps
        stepper = Stepper(backend, diffusion, tissue, plan, step, *substeps, groups)

        # What looks at the tissue, and what a person may do to it, while it runs.
        watchers = open_watchers(backend, mesh, operator, tissue, parameters, plan, rows, **of_all)
        brushes = Brushes(backend, mesh, parameters, operator, plan, tissue, diffusion, groups, watchers, rows)
        otherwise = working_step(parameters, diffusion_limit)
        simulation = CardiacSimulation(
            backend, mesh, places, stepper, tissue, substeps[0], brushes, watchers, otherwise
        )
        simulation.set_control("conductivity_scale", parameters.conductivity_scale)
        progress("Ready", 1.0)
        return simulation

    def imported(self, path: Path) -> Imported | None:
        """An openCARP parameter file."""
        return read_par(path)

    def tools(self) -> Sequence[Tool]:
        from engines.cardiac.tools.tools import TOOLS  # they build simulations with this engine

        return TOOLS

    def tables(self) -> Sequence[LabTable]:
        from engines.cardiac.lab.tables import TABLES  # measured seldom

        return TABLES

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Jittered boxes of tetrahedra at 0.5 mm with fibres, in every precision; the first once more on vertices."""
        return box_benchmarks(elements)

    def verification(self) -> Sequence[VerificationCase]:
        from engines.cardiac.verification import cells, tissue  # they build simulations with this engine

        return (*cells.CASES, *tissue.CASES)

    def check_file(self, path: Path, kind: str) -> bool:
        if kind == "cell model":
            from engines.cardiac.compiler.importing import check_model

            check_model(path)
        return kind == "cell model"

    def warm(self, backend: Backend) -> None:
        """One step of a small box in each precision, with all that is recorded, and on vertices; and what tools run."""
        for box in small_boxes():
            problem = Problem(box.parameters().model_copy(update={"recording": Recording(phase=True)}), box().geometry)
            self.estimate(problem, backend)
            simulation = self.build(problem, backend)
            simulation.advance(1)
            simulation.field("phase")
            simulation.close()
        if backend.info.kind == "cpu":
            from engines.cardiac.tools.tools import warm_tools

            warm_tools(problem, backend)
