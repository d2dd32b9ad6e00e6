"""The battery engine: lithium-ion cells and what is in them, one or a million, under a protocol.

Lithium diffuses in the spheres of two porous electrodes and passes their surfaces at a flux N:

    ∂c/∂t = (1/r²) ∂/∂r (r² D ∂c/∂r),   D ∂c/∂r = N at r = R,   N = ∓I R/(3 F A L ε)

and the terminals have what the surfaces say, less what it costs to cross them (Butler-Volmer, α = ½):

    V = U_p(x_p) − U_n(x_n) − (2RT/F) [asinh(j_p/2j0_p) + asinh(j_n/2j0_n)] − I R

**The cell** (``parameter_sets``, ``bpx``, ``setup``). The numbers and functions of a published set or of a file, with
changes by hand, at a state of charge; potentials and diffusivities become tables of cubics. Numbers may differ from
cell to cell, and particles in size.

**The protocol** (``protocol``). Sentences become instructions: a current, a voltage or a power held for some steps or
until a limit. Each cell has its own place in them.

**Models**, each in a room of its own:

- ``particles``: bare spheres. Finite volumes in shells, explicit (stable up to a step that the smallest sphere sets) or
  implicit (θ scheme); or eigenmodes, each of which relaxes at its own rate λ² D/R².
- ``cells``: one sphere per electrode (SPM), as shells where D depends on the stoichiometry; salt in the electrolyte
  (SPMe: implicit finite volumes); a lumped
  temperature; charge transfer coefficients other than ½; ageing by growth of the SEI and lithium plating.
- ``mpm``: one cell whose electrodes have many particles that differ in size and share a potential.
- ``pack``: cells in a box of voxels, wired in series and parallel, and the heat between them (RKL2).

**A step of a cell**, for whose time Δt the current is constant, which is what makes the particles exact:

1. the current is the instruction's, or for a held voltage or power the root of one equation, found by secants: the
   surfaces at the end of the step are linear in it;
2. the salt, implicitly, with D_e of the step before;
3. the voltage at the end of the step, and whether it or the time ends the instruction;
4. the particles, ``b_k ← b_k + (1 − e^{−λ_k² D Δt/R²}) (2 G I/λ_k² − b_k)`` for 16 modes with G I = N R/D, their means,
   and the charge;
5. side reactions, which count in the next step, and the temperature: first order in Δt, as the salt.

In the MPM each particle takes its share of the current at the electrodes' common potentials; a pack repeats the cells'
step until its currents satisfy the wiring, and then spreads the heat of it (``pack/coupled.py``).

**Watching** (``watch``). Percentiles of many cells, where the voltage goes, what each cycle has taken.

**Cost**. All steps of a launch are taken with a cell's state on the chip, so arithmetic counts and not memory: for the
SPM 128 operations for the modes and some 100 for the voltage, in the SPMe also 24 volumes of salt. ``README.md`` has
what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.api import Benchmark, Engine, Estimate, Imported, ParameterFile, Problem, Progress, Simulation, no_progress
from engines.api.charts import Forecast
from engines.api.device import Backend
from engines.api.lab import Study
from engines.api.simulation.ranks import Part, Ranks
from engines.api.tools import Tool
from engines.api.verification import VerificationCase
from engines.backend.pace import small_pace, structure_of
from engines.battery.bpx import bpx_text, is_bpx, read_bpx
from engines.battery.cells.model import SingleParticle
from engines.battery.lab.benchmarks import benchmarks
from engines.battery.lab.studies import studies
from engines.battery.mpm.model import ManyParticleModel
from engines.battery.pack.model import PackHeat
from engines.battery.parameters import BatteryParameters, parameters_of
from engines.battery.particles.model import BareParticles
from engines.battery.setup.cell import parameter_set_of
from engines.battery.setup.looking import seconds_beside
from engines.battery.setup.model import Model
from engines.battery.verification import cells as cell_cases
from engines.battery.verification import particles as particle_cases
from engines.battery.verification import varying as varying_cases
from engines.geometry.file_kinds import refused

MODELS: Mapping[str, Model] = {
    "SPM": SingleParticle(),
    "SPMe": SingleParticle(),
    "particles": BareParticles(),
    "MPM": ManyParticleModel(),
    "pack": PackHeat(),
}
"""By the name that they have in the parameters."""


def _bpx_of(problem: Problem) -> str:
    """The cell of a problem, with its changes, in the BPX format."""
    return bpx_text(parameter_set_of(parameters_of(problem)))


class BatteryEngine(Engine):
    """Lithium-ion cells: voltage, heat and where the lithium is in the particles."""

    id = "battery"
    title = "Lithium-ion battery"
    summary = "Particles, cells by the million and packs with their heat, under a protocol"
    time_unit = "s"
    Parameters = BatteryParameters
    geometry_type = None
    parameter_file = ParameterFile("BPX file", ".json", _bpx_of)
    imports = (".json",)

    def default_parameters(self, geometry: Any) -> BatteryParameters:
        return BatteryParameters()

    def geometry_of(self, problem: Problem) -> Any:
        return _model(problem).geometry(problem)

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        model = _model(problem)
        estimate = model.estimate(problem, backend)
        pace = estimate.seconds_per_simulated_unit
        assert pace is not None, "every model measures it"
        step, parameters = estimate.step, parameters_of(problem)
        seconds = pace * step + seconds_beside(model, problem, backend)
        key = __name__, structure_of(parameters), step
        seconds = small_pace(backend, key, lambda: self.build(problem, backend), estimate.memory_bytes, seconds)
        return replace(estimate, seconds_per_simulated_unit=seconds / step, milestone=("hour", 3600.0))

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        return _model(problem).build(problem, backend, progress)

    def build_part(self, problem: Problem, backend: Backend, ranks: Ranks, progress: Progress = no_progress) -> Part:
        return _model(problem).part(problem, backend, ranks, progress)

    def ends(self, problem: Problem) -> bool:
        return _model(problem).ends(problem)

    def forecast(self, problem: Problem, backend: Backend) -> Forecast | None:
        return _model(problem).forecast(problem, backend)

    def imported(self, path: Path) -> Imported | None:
        """A BPX file: a discharge of its cell at 1C."""
        if not is_bpx(path):
            return None
        lowest = read_bpx(path).values()["lower_cutoff"]
        protocol = [f"Discharge at 1C until {lowest:g} V"]
        settings = {"parameter_set": "BPX file", "bpx_file": str(path), "protocol": protocol}
        return Imported(BatteryParameters.model_validate(settings))

    def tools(self) -> Sequence[Tool]:
        from engines.battery.tools.fitting import FitToDischarge  # seldom wanted
        from engines.battery.tools.formulas import TypeFunctions

        return (FitToDischarge(), TypeFunctions())

    def check_file(self, path: Path, kind: str) -> bool:
        if kind == "BPX file" and not is_bpx(path):
            raise refused(path, kind)
        return kind == "BPX file"

    def warm(self, backend: Backend) -> None:
        for model in dict.fromkeys(map(type, MODELS.values())):
            model().warm(backend)

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Cells that differ in three numbers, in both single-particle models; bare particles; particles of one cell."""
        return benchmarks(elements)

    def studies(self) -> Sequence[Study]:
        """Diffusion in spheres, Butler-Volmer kinetics and whole discharges in the ways that people write them."""
        return studies()

    def verification(self) -> Sequence[VerificationCase]:
        """Spheres and whole cells against the series, a discharge against PyBaMM, D(c) against collocation."""
        return (*particle_cases.CASES, *cell_cases.CASES, *varying_cases.CASES)


def _model(problem: Problem) -> Model:
    return MODELS[parameters_of(problem).model]
