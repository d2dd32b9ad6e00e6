"""The tool: the functions of the parameter set as formulas to edit."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel

from engines.api import Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup
from engines.api.tools import Tool, ToolResult
from engines.battery.bpx.tracing import formula
from engines.battery.parameter_sets.functions import LABELS, NAME, TypedFunction
from engines.battery.parameter_sets.model import Function, ParameterSet
from engines.battery.parameters import parameters_of
from engines.battery.setup.cell import parameter_set_of


class NoSettings(ParameterGroup):
    """Nothing to set."""


class TypeFunctions(Tool):
    """Each that has a formula, with the operations of the set in their order: a run has its bits."""

    id: ClassVar[str] = "functions"
    title: ClassVar[str] = "Type the functions of the set"
    summary: ClassVar[str] = (
        "Puts the potentials, diffusivities and conductivities of the parameter set, or of the BPX file, under "
        "Functions, as formulas to edit."
    )
    Parameters: ClassVar[type[BaseModel]] = NoSettings

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        battery = parameters_of(problem)
        cell, typed = parameter_set_of(battery), [each.function for each in battery.functions]
        made, others = list(battery.functions), []
        for name, title in LABELS.items():
            function = _function_of(cell, name)
            if function is None or name in typed:
                continue
            text = formula(function)
            if isinstance(text, str):
                made.append(TypedFunction.model_validate({"function": name, "lines": [f"{NAME} = {text}"]}))
            elif text is None:
                others.append(title.partition(" [")[0].lower())
        if len(made) == len(typed):
            raise ProblemError(f"{cell.title} has no function with a formula that is not under Functions already.")
        message = f"{len(made) - len(typed)} functions of {cell.title} are formulas under Functions now."
        if others:
            message += f" Of tables, and left as they are: {', '.join(others)}."
        return ToolResult(message, parameters=battery.model_copy(update={"functions": made}))


def _function_of(cell: ParameterSet, name: str) -> Function | None:
    """That of a particle's diffusivity in m²/s; None where it is a number."""
    electrode, _, what = name.partition("_")
    if what != "diffusivity" or electrode == "electrolyte":
        return getattr(cell, name)  # of the set by its name
    law, mean = cell.laws.get(electrode), cell.values()[name]
    return None if law is None else lambda x: mean * law(x)
