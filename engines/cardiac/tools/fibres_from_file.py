"""Fibres read from a file of their own."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel

from engines.api import Problem, Progress, no_progress
from engines.api.charts import Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.cardiac.tools.mesh_of import mesh_of
from engines.geometry.fibres.files import read_fibre_file
from engines.reading import expanded


class FileParameters(ParameterGroup):
    """Which file."""

    file: str = quantity(
        "",
        "",
        "A row of 3 numbers (fibre) or 6 (fibre, sheet) for each cell: .lon, .csv, .txt, .npy; or cell data of a .vtu",
        title="Fibre file",
        file="fibre file",
    )


class FibresFromFile(Tool):
    """Gives the mesh the fibres of a file."""

    id = "fibres-from-file"
    title = "Fibres from a file"
    summary = "Reads a fibre and, where the file has it, a sheet for each cell of this mesh, in the order of its cells."
    Parameters = FileParameters

    def defaults(self, problem: Problem) -> FileParameters:
        mesh_of(problem)
        return FileParameters()

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        assert isinstance(parameters, FileParameters)
        mesh = mesh_of(problem)
        if not parameters.file.strip():
            raise ProblemError("Choose the file that holds the fibres.", ("file",))
        path = expanded(parameters.file)
        progress(f"Reading {path.name}", 0.1)
        fibres, sheets, findings = read_fibre_file(path, mesh)
        progress("Fibres are read", 1.0)
        kinds = "fibres" if sheets is None else "fibres and sheets"
        told = [f"The {kinds} of {mesh.n_cells:,} cells were read from {path.name}.", *(f.message for f in findings)]
        return ToolResult(
            " ".join(told),
            (Fact("Cells", mesh.n_cells, "1"),),
            geometry=replace(mesh, fibres=fibres, sheets=sheets, findings=(*mesh.findings, *findings)),
        )
