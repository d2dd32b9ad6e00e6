"""Pace a tissue regularly, then give it a premature beat: S1–S2, and S3."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import BaseModel

from engines.api import Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import Among, ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.cardiac.parameters import CardiacParameters, Stimulus
from engines.cardiac.stimulus.protocol import timed_pulses

AFTER = 1000.0
"""Milliseconds in which it is seen whether waves come back."""
NONE = "There is no stimulus to pace with: add one where the tissue is to be paced."


class PrematureParameters(ParameterGroup):
    """How the tissue is paced."""

    stimulus: Annotated[str, Among("stimulus")] = quantity("", "", "Which stimulus paces; S2 begins as its copy")
    beats: int = quantity(4, "1", "Regular beats S1", title="Beats S1", ge=1, le=100_000)
    cycle: float = quantity(500.0, "ms", "Time between regular beats", title="Cycle length", gt=0)
    coupling: float = quantity(300.0, "ms", "From the last regular beat to S2", title="S2 after", gt=0)
    coupling_3: float = quantity(0.0, "ms", "From S2 to S3; 0: there is none", title="S3 after", ge=0)


class PacePremature(Tool):
    """Edits the stimuli: regular beats of one, and others after it."""

    id: ClassVar[str] = "premature"
    title: ClassVar[str] = "Pace S1–S2 (premature beats)"
    summary: ClassVar[str] = (
        "Regular beats of a stimulus, then one that comes early, at the same place unless its site is changed in the "
        "form. Whether waves then come back (re-entry) is told when the run ends, and by the chart of beats without a "
        "stimulus."
    )
    Parameters: ClassVar[type[BaseModel]] = PrematureParameters

    def defaults(self, problem: Problem) -> BaseModel:
        return PrematureParameters(stimulus=_stimuli(problem)[0].name)

    def suggestions(self, problem: Problem) -> dict[str, list[str]]:
        return {"stimulus": [each.name for each in _stimuli(problem)]}

    def outlook(self, problem: Problem, parameters: BaseModel) -> str:
        return _paced(problem, parameters)[1]

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        paced, told, until = _paced(problem, parameters)
        return ToolResult(told, parameters=paced, until=until)


def _stimuli(problem: Problem) -> list[Stimulus]:
    assert isinstance(problem.parameters, CardiacParameters)
    if not problem.parameters.stimuli:
        raise ProblemError(NONE)
    return problem.parameters.stimuli


def _paced(problem: Problem, parameters: BaseModel) -> tuple[CardiacParameters, str, float]:
    """The problem's parameters with these stimuli, when they come, and when what follows the last of them is seen [ms].
    Raises ProblemError."""
    assert isinstance(problem.parameters, CardiacParameters)
    assert isinstance(parameters, PrematureParameters)
    stimuli = _stimuli(problem)
    first = next((each for each in stimuli if each.name == parameters.stimulus), None)
    if first is None:
        raise ProblemError(f"There is no stimulus '{parameters.stimulus}': choose one of the list.")
    known = {each.name: each for each in stimuli}
    known[first.name] = first.model_copy(
        update={"pulses": parameters.beats, "period": parameters.cycle, "decrement": 0.0}
    )
    before = first.name
    for name, coupling in (("S2", parameters.coupling), ("S3", parameters.coupling_3)):
        name = name if name != first.name else f"{name}, premature"
        if not coupling:
            known.pop(name, None)
            continue
        place = known.get(name, first)  # one that was moved stays where it is
        known[name] = place.model_copy(
            update={"name": name, "begins": "after", "after": before, "coupling": coupling, "pulses": 1}
        )
        before = name
    paced = problem.parameters.model_copy(update={"stimuli": list(known.values())})
    step = paced.numerics.step
    times = [pulse.first * step for pulse in timed_pulses(paced.stimuli, paced.tissue, step)]
    last = max(time for each, time in zip(paced.stimuli, times, strict=True) if each.begins == "after")
    often = f"{parameters.beats} × '{first.name}' every {parameters.cycle:g} ms"
    regular = often if parameters.beats > 1 else f"'{first.name}' once"
    told = f"{regular}, the last premature beat at {last:g} ms: run to {last + AFTER:g} ms or so."
    return paced, f"{told} Apply sets the end of the run so, unless it is later.", last + AFTER
