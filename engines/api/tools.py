"""What an engine does with a problem besides running it: tune a parameter, make fibres, refine a mesh, run a protocol.

A tool takes a problem and numbers of its own, works for seconds to minutes, and answers with a sentence, charts, and
perhaps a changed problem that its owner may take over. The window shows a form for :attr:`Tool.Parameters`, the command
line takes the same names; neither knows what a tool does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel

from engines.api.charts import ChartData, ChartInfo, Fact
from engines.api.device import Backend
from engines.api.values import Problem, Progress, no_progress


@dataclass(frozen=True)
class ToolResult:
    """What came out, told in ``message`` (a sentence or two with the figures).

    ``parameters`` and ``geometry`` replace the problem's if its owner says so; None leaves what is there. ``until``:
    how far a run of them has to go, in the engine's unit of time: an end that is set before that is moved there.
    ``shows``: the name of the chart of such a run that all this is for.
    """

    message: str
    facts: tuple[Fact, ...] = ()
    charts: tuple[tuple[ChartInfo, ChartData], ...] = ()
    parameters: BaseModel | None = None
    geometry: Any = None
    until: float | None = None
    shows: str = ""

    @property
    def changes(self) -> bool:
        """Whether there is something to take over."""
        return self.parameters is not None or self.geometry is not None


class Tool(ABC):
    """One tool of an engine. Stateless."""

    id: ClassVar[str]
    title: ClassVar[str]
    """Imperative, as in a menu: ``"Refine the mesh"``."""
    summary: ClassVar[str]
    Parameters: ClassVar[type[BaseModel]]

    def defaults(self, problem: Problem) -> BaseModel:
        """Numbers that make sense for this problem. Cheap. Raises ProblemError where the tool cannot work on it."""
        return self.Parameters()

    def outlook(self, problem: Problem, parameters: BaseModel) -> str:
        """What this would come to ("914,640 cells, about 60 MB"), to be read before it runs; "" for nothing to say.

        Cheap. Raises ProblemError.
        """
        return ""

    def suggestions(self, problem: Problem) -> Mapping[str, Collection[str]]:
        """Texts that are offered where the form asks for one, by the name of the field; as keys of a mapping with what
        a person reads for each. Cheap."""
        return {}

    @abstractmethod
    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        """Work; called on a thread of its own. Raises ProblemError.

        What ``progress`` raises (its owner has cancelled) goes through: call it often.
        """
