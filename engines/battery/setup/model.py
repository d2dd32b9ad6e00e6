"""What the battery engine asks of each of its models: where it lives, what it will need, how it is built."""

from __future__ import annotations

from abc import ABC, abstractmethod

from engines.api import Estimate, Problem, Progress, Simulation
from engines.api.charts import Forecast
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Part, Ranks
from engines.geometry.base import Geometry


class Model(ABC):
    """One model of the engine (``engine.py`` lists them). Stateless; all methods raise ProblemError."""

    @abstractmethod
    def geometry(self, problem: Problem) -> Geometry:
        """What it is solved on, as :meth:`Engine.geometry_of`."""

    @abstractmethod
    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        """As :meth:`Engine.estimate`."""

    @abstractmethod
    def build(self, problem: Problem, backend: Backend, progress: Progress) -> Simulation:
        """As :meth:`Engine.build`."""

    def part(self, problem: Problem, backend: Backend, ranks: Ranks, progress: Progress) -> Part:
        """As :meth:`Engine.build_part`."""
        raise ProblemError(f"{self.alone}: run it without --ranks.", ("model",))

    alone = "This model runs on one rank"
    """Why it does, as a sentence begins."""

    def ends(self, problem: Problem) -> bool:
        """As :meth:`Engine.ends`."""
        return False

    def few(self, problem: Problem) -> Problem | None:
        """The same with as few elements as there can be: what it costs is not of the elements. None: the estimate
        counts that already."""
        return None

    def forecast(self, problem: Problem, backend: Backend) -> Forecast | None:
        """As :meth:`Engine.forecast`."""
        return None

    @abstractmethod
    def warm(self, backend: Backend) -> None:
        """Compile what a first run needs."""
