"""What an engine is: it turns a problem into a simulation, and knows before Run what that will need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel

from engines.api import API_VERSION
from engines.api.charts import Diagram, Forecast, Inspection
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.lab import LabTable, Study
from engines.api.placing import Placement
from engines.api.presets import presets_in
from engines.api.simulation.base import Simulation
from engines.api.simulation.ranks import Part, Ranks
from engines.api.tools import Tool
from engines.api.values import (
    Benchmark,
    Estimate,
    Finding,
    Imported,
    ParameterFile,
    Preset,
    Problem,
    Progress,
    no_progress,
)
from engines.api.verification import VerificationCase


class Engine(ABC):
    """One kind of physics. Engines are stateless; found through the entry points ``workbench.engines``."""

    id: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    time_unit: ClassVar[str]
    api_version: ClassVar[int] = API_VERSION
    """Of the contract that it was written for. An engine that is a package of its own says so by number: with another
    version it is left out and told of, instead of failing somewhere."""
    Parameters: ClassVar[type[BaseModel]]
    geometry_type: ClassVar[type | None]
    """Class of geometry that the engine takes (``TetMesh``), or None if it makes its own from parameters."""
    parameter_file: ClassVar[ParameterFile | None] = None
    """What File > Export offers beside results."""
    imports: ClassVar[tuple[str, ...]] = ()
    """Suffixes of files from elsewhere that :meth:`imported` may know (".json")."""
    bodies: ClassVar[tuple[str, ...]] = ()
    """Suffixes of meshes and surfaces that :meth:`of_body` makes a problem of (".stl")."""

    @abstractmethod
    def default_parameters(self, geometry: Any) -> BaseModel:
        """Parameters that make sense for this geometry (its regions named, its size considered)."""

    def geometry_of(self, problem: Problem) -> Any:
        """What the problem is solved on: the geometry that was opened, or the one that the parameters describe.

        Cheap (a grid is a few numbers), and the same object as long as the parameters that it depends on are the
        same: viewers tell by that whether to draw anew. Raises ProblemError.
        """
        return problem.geometry

    def time_unit_of(self, parameters: BaseModel) -> str:
        """Unit of ``Simulation.time`` with these parameters (an iterative solver counts iterations, not seconds)."""
        return self.time_unit

    def title_of(self, parameters: BaseModel) -> str:
        """What is simulated with these parameters, as heads a picture of a problem that nobody has named."""
        return self.title

    def suggestions(self, problem: Problem) -> Mapping[str, Sequence[str]]:
        """Names that a form offers by kind (:class:`engines.api.parameters.Among`), beside those among the parameters
        and "region", the mesh's. Asked for after :meth:`estimate`, and cheap then. Raises ProblemError."""
        return {}

    @abstractmethod
    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        """Memory, traffic, stable step and speed, before anything is built.

        Cheap enough to call after each edit (what depends on the geometry alone is cached).
        Raises ProblemError if the problem cannot run.
        """

    @abstractmethod
    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        """Assemble and place on the device. Called on the worker thread. Raises ProblemError."""

    def build_part(self, problem: Problem, backend: Backend, ranks: Ranks, progress: Progress = no_progress) -> Part:
        """This rank's part of a problem that several share (:mod:`engines.api.simulation.ranks`), without a word to
        the others: they meet in the first step. Raises ProblemError."""
        raise ProblemError(f"{self.title} runs on one rank: run it without --ranks.")

    def imported(self, path: Path) -> Imported | None:
        """A new problem made of a file of one of the suffixes ``imports``; None where the engine does not know it.

        Raises ProblemError if it does, and cannot use it.
        """
        return None

    def of_body(self, path: Path, length_unit: str) -> BaseModel:
        """Parameters of a problem with the body in a file of one of the suffixes ``bodies``, whose coordinates are in
        ``length_unit`` (um, mm, cm or m). Raises ProblemError."""
        raise NotImplementedError

    def regions_become(self, problem: Problem) -> Mapping[str, str]:
        """What stands for the regions of a mesh, by their names ("epicardial cells"); nothing of those that are left
        as they are."""
        return {}

    def check_file(self, path: Path, kind: str) -> bool:
        """Look whether a file that a parameter names is of its kind ("BPX file"), before it is copied.

        Returns whether this engine knows the kind: pictures, tables and surfaces are looked at without it
        (:mod:`engines.geometry.file_kinds`). Raises ProblemError where the file is of another kind; its sentence quotes
        nothing of it.
        """
        return False

    def presets(self) -> Sequence[Preset]:
        """Ready problems of this engine: those in the folder ``presets`` beside its module."""
        package = type(self).__module__.rpartition(".")[0]
        folder = resources.files(package).joinpath("presets") if package else None
        return presets_in(folder) if folder is not None and folder.is_dir() else ()

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Problems of about these sizes (none given: the engine's usual ones) for ``workbench bench``."""
        return ()

    def studies(self) -> Sequence[Study]:
        """What the Kernel Lab measures of this engine (:mod:`engines.api.lab`)."""
        return ()

    def tools(self) -> Sequence[Tool]:
        """What may be done with a problem besides running it (:mod:`engines.api.tools`)."""
        return ()

    def tables(self) -> Sequence[LabTable]:
        """Tables that the Kernel Lab measures of this engine (:mod:`engines.api.lab`)."""
        return ()

    def verification(self) -> Sequence[VerificationCase]:
        """Cases with known answers, which ``workbench verify`` runs (:mod:`engines.api.verification`)."""
        return ()

    def placed(self, problem: Problem) -> Placement | None:
        """What of the problem stands in space (:mod:`engines.api.placing`); None where nothing is placed by hand.

        Cheap: asked after each edit, and with each move of the pointer while something is dragged.
        Raises ProblemError.
        """
        return None

    def previews(self, problem: Problem) -> Mapping[tuple[str | int, ...], Inspection]:
        """What groups of the parameters describe (a law's curve), by their place, ``("material", "law")``: the form
        draws it below their fields.

        Asked after each edit, on another thread; a tenth of a second is still quick enough. What is wrong with a group
        is the title of its inspection.
        """
        return {}

    def diagram(self, problem: Problem) -> Diagram | None:
        """What of the problem is joined to what; None where nothing is. Asked like :meth:`previews`."""
        return None

    def ends(self, problem: Problem) -> bool:
        """Whether a run of this problem comes to an end of its own (:attr:`Simulation.finished`)."""
        return False

    def without_end(self, problem: Problem) -> Finding | None:
        """What should be known of a run of this problem to which no end is set, and that has none of its own."""
        return None

    def forecast(self, problem: Problem, backend: Backend) -> Forecast | None:
        """The run as a whole, solved within about a frame; None where that is not possible. Raises ProblemError."""
        return None

    def warm(self, backend: Backend) -> None:
        """Compile what a first run on ``backend`` needs, so that set-up pays for it and the first Run does not."""
