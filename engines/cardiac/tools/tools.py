"""The tools that the engine offers."""

from __future__ import annotations

from engines.api import Problem
from engines.api.device import Backend
from engines.api.tools import Tool
from engines.cardiac.tools.cell_accuracy import CellAccuracy
from engines.cardiac.tools.fibres_from_file import FibresFromFile
from engines.cardiac.tools.make_fibres import FibreParameters, MakeFibres
from engines.cardiac.tools.premature import PacePremature
from engines.cardiac.tools.refine import RefineMesh, RefineParameters
from engines.cardiac.tools.restitution import Restitution
from engines.cardiac.tools.velocity import TuneVelocity

TOOLS: tuple[Tool, ...] = (
    PacePremature(),
    TuneVelocity(),
    Restitution(),
    CellAccuracy(),
    MakeFibres(),
    FibresFromFile(),
    RefineMesh(),
)


def warm_tools(problem: Problem, backend: Backend) -> None:
    """Compile what tools run besides a simulation."""
    MakeFibres().run(problem, FibreParameters(shape="slab"), backend)
    RefineMesh().run(problem, RefineParameters(), backend)
