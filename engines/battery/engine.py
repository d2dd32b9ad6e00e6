"""The battery engine: lithium-ion cells and what is in them, one or a million, under a protocol.

The models are told in folders of their own (``step/models.py`` lists them): ``particles/`` bare diffusion in spheres;
``cells/`` the single-particle models, whose diffusion is exact while the current is constant (``particles/series.py``),
with Butler-Volmer kinetics, an electrolyte in the SPMe, a lumped temperature and ageing; ``mpm/`` one cell whose
particles differ in size; ``pack/`` many cells wired to each other, and the heat between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engines.api import (
    Benchmark,
    Engine,
    Estimate,
    Imported,
    ParameterFile,
    Problem,
    Progress,
    Simulation,
    no_progress,
)
from engines.api.charts import Forecast
from engines.api.device import Backend
from engines.api.lab import Study
from engines.battery.bpx import bpx_text, is_bpx, read_bpx
from engines.battery.lab.benchmarks import benchmarks
from engines.battery.lab.studies import studies
from engines.battery.parameters import BatteryParameters, parameters_of
from engines.battery.setup.cell import parameter_set_of
from engines.battery.step.model import Model
from engines.battery.step.models import MODELS
from engines.geometry.file_kinds import refused


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
        return _model(problem).estimate(problem, backend)

    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        return _model(problem).build(problem, backend, progress)

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


def _model(problem: Problem) -> Model:
    return MODELS[parameters_of(problem).model]
