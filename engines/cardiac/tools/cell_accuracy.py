"""How far one beat of the problem's cell model is off a tight integration, by every scheme and step."""

from __future__ import annotations

import math

import numpy as np
from pydantic import BaseModel

from engines.api import Problem, Progress, no_progress
from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup
from engines.api.tools import Tool, ToolResult
from engines.cardiac.compiler.accuracy.trials import Accuracy, Trial, accuracy
from engines.cardiac.compiler.model import CellModel, shipped
from engines.cardiac.compiler.schemes import Scheme
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.parameters.cells import COMPILED, SCHEME_LABELS, TT06
from engines.cardiac.setup.cells import CHEAPEST_FIRST, compiled_model, reaction_part, scheme_of

CHART = ChartInfo("accuracy", "Error of APD90", "ms", x_title="Time step", x_unit="ms", kind="line")


class AccuracyParameters(ParameterGroup):
    """Nothing to choose: every scheme and step is tried."""


class CellAccuracy(Tool):
    """A table of schemes and steps."""

    id = "cell-accuracy"
    title = "Accuracy of the cell model"
    summary = (
        "Paces one cell of this model, as its file has it, for a beat by each scheme and step, and shows what its "
        "APD90 and activation are off an integration to 8 digits."
    )
    Parameters = AccuracyParameters

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        if not isinstance(problem.parameters, CardiacParameters):
            raise ProblemError("Cells belong to a cardiac problem: open one first.")
        heart = problem.parameters
        model, own = _model(heart), reaction_part(heart)
        chosen: Scheme = "LRL" if heart.cell_model == TT06 else scheme_of(model, heart)
        found: dict[Scheme, Accuracy] = {}
        for k, scheme in enumerate(CHEAPEST_FIRST):
            progress(f"One beat by {SCHEME_LABELS[scheme]}", k / len(CHEAPEST_FIRST))
            found[scheme] = accuracy(model, scheme, own, progress)
        if chosen not in found:
            found[chosen] = accuracy(model, chosen, own, progress)
        beat = found[chosen].beat
        if not found[chosen].whole:
            raise ProblemError("A cell of this model has no whole action potential within 1 s after 52 pA/pF for 1 ms.")
        facts = [Fact("APD90 by tight integration", beat.duration, "ms")]
        for scheme, known in found.items():
            facts += [Fact(f"{scheme}, {trial.step:g} ms", trial.duration_error, "ms") for trial in known.trials]
        better = found[chosen].limit.accurate
        changed = None
        if better is not None and not found[chosen].at(own).accurate:
            numerics = heart.numerics.model_copy(update={"step": better * heart.numerics.reaction_substeps})
            changed = heart.model_copy(update={"numerics": numerics})
        message = _message(chosen, found[chosen].at(own), found)
        return ToolResult(message, tuple(facts), ((CHART, _chart(found)),), parameters=changed)


def _model(heart: CardiacParameters) -> CellModel:
    """TT06's own kernels step the equations of the compiled model by LRL. Raises ProblemError for a file."""
    return compiled_model(heart) or shipped(COMPILED[f"{TT06} (compiled)"])


def _message(scheme: Scheme, trial: Trial, found: dict[Scheme, Accuracy]) -> str:
    if not trial.stable:
        what = "one beat is unstable"
    elif math.isnan(trial.duration_error):
        what = "one beat does not end"
    else:
        what = f"APD90 is {trial.duration_error:+.2f} ms off and activation {trial.activation_error:+.3f} ms"
    limits = ", ".join(
        f"{name} {'none' if each.limit.accurate is None else f'{each.limit.accurate:g}'}"
        for name, each in found.items()
    )
    return (
        f"By {scheme} at {trial.step:g} ms {what}. Largest steps [ms] at which APD90 is within 1 ms and activation "
        f"within 0.1 ms: {limits}."
    )


def _chart(found: dict[Scheme, Accuracy]) -> ChartData:
    curves = []
    for scheme, known in found.items():
        whole = [trial for trial in known.trials if math.isfinite(trial.duration_error)]
        steps, errors = (np.array([getattr(t, name) for t in whole]) for name in ("step", "duration_error"))
        curves.append(Curve(SCHEME_LABELS[scheme], steps, errors))
    return ChartData(tuple(curves))
