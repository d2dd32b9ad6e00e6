"""A material from measured n and k."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import BaseModel

from engines.api import Problem, Progress, no_progress
from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.fdtd.media.fitting import fit_poles
from engines.fdtd.media.index_tables import read_index_table
from engines.fdtd.media.materials import MOST
from engines.fdtd.parameters import FdtdParameters, Material
from engines.reading import expanded

MICROMETRES = {"um": 1.0, "nm": 1e-3, "mm": 1e3}


class FitParameters(ParameterGroup):
    """Which data, and how many poles."""

    file: str = quantity(
        "", "", "Text with the columns wavelength, n and k", title="Table of n and k", file="table"
    )  # fmt: skip
    unit: Literal["um", "nm", "mm"] = quantity("um", "", "Unit of its wavelengths", labels={"um": "µm"})
    shortest: float = quantity(0.0, "µm", "Shorter wavelengths are left out", ge=0)
    longest: float = quantity(1e6, "µm", "Longer wavelengths are left out", gt=0)
    name: str = quantity("fitted", "", "Name of the material", min_length=1, max_length=40)
    drude: bool = quantity(True, "", "Free electrons: for metals", title="Drude pole")
    lorentz: int = quantity(2, "1", "How many resonances", title="Lorentz poles", ge=0, le=8)
    debye: bool = quantity(False, "", "Relaxation: for polar liquids", title="Debye pole")


class FitDispersion(Tool):
    """Adds a material whose poles follow measured n and k."""

    id = "fit-dispersion"
    title = "Fit a material to n and k"
    summary = "Reads measured n and k over wavelength and adds a passive material of poles that follow them."
    Parameters = FitParameters

    def outlook(self, problem: Problem, parameters: BaseModel) -> str:
        assert isinstance(parameters, FitParameters)
        return f"{_unknowns(parameters)} numbers will be fitted."

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        assert isinstance(parameters, FitParameters)
        present = problem.parameters
        assert isinstance(present, FdtdParameters)
        if not parameters.file.strip():
            raise ProblemError("Choose the file with n and k.", ("file",))
        if parameters.name in {material.name for material in present.materials}:
            raise ProblemError(f"There is a material called '{parameters.name}': choose another name.", ("name",))
        if len(present.materials) >= MOST - 1:
            raise ProblemError(f"There are {MOST - 1} materials already: remove one.")
        path = expanded(parameters.file)
        table = read_index_table(path, MICROMETRES[parameters.unit])
        kept = (table.wavelengths >= parameters.shortest) & (table.wavelengths <= parameters.longest)
        table = type(table)(table.wavelengths[kept], table.index[kept])
        if 2 * kept.sum() < _unknowns(parameters):
            raise ProblemError(
                f"{kept.sum()} rows of {path.name} lie in the range, too few for {_unknowns(parameters)} numbers: "
                "use fewer poles, or a wider range.",
                ("lorentz",),
            )
        rounds = parameters.lorentz + 1
        fit = fit_poles(
            table, parameters.drude, parameters.lorentz, parameters.debye,
            lambda found: progress(f"Pole {found + 1} of {parameters.lorentz}", (found + 1) / rounds),
        )  # fmt: skip
        material = Material(name=parameters.name, permittivity=fit.permittivity, poles=list(fit.poles))
        changed = present.model_copy(update={"materials": [*present.materials, material]})
        size = float(np.abs(table.index).max())
        worst = float(np.abs(fit.index - table.index).max())
        return ToolResult(
            f"{len(fit.poles)} poles follow n and k of {path.name} from {table.wavelengths[0]:.4g} to "
            f"{table.wavelengths[-1]:.4g} µm: rms error {fit.rms_n:.2g} in n and {fit.rms_k:.2g} in k, at most "
            f"{worst:.2g} where |n + ik| is up to {size:.3g}. '{parameters.name}' is passive at all wavelengths.",
            (
                Fact("rms error of n", fit.rms_n, "1"),
                Fact("rms error of k", fit.rms_k, "1"),
                Fact("Largest", worst, "1"),
            ),
            tuple(
                (
                    ChartInfo(name, title, "1", x_title="Wavelength", x_unit="µm"),
                    ChartData((Curve("Measured", table.wavelengths, data), Curve("Fit", table.wavelengths, fitted))),
                )
                for name, title, data, fitted in (
                    ("n", "Refractive index n", table.index.real, fit.index.real),
                    ("k", "Extinction coefficient k", table.index.imag, fit.index.imag),
                )
            ),
            parameters=changed,
        )


def _unknowns(parameters: FitParameters) -> int:
    return 1 + 2 * parameters.drude + 3 * parameters.lorentz + 2 * parameters.debye
