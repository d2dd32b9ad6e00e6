"""What an engine is, and what the rest of the application may ask of one.

An :class:`Engine` turns a :class:`Problem` into a :class:`Simulation`. The window, the command line
and the benchmark know nothing else of the physics: what is drawn, plotted, metered and saved goes
through the few methods below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy.typing as npt
from pydantic import BaseModel

from engines.charts import ChartData, ChartInfo, Fact, Inspection
from engines.shown import Dab as Dab
from engines.shown import FieldInfo as FieldInfo
from engines.shown import FrontInfo as FrontInfo
from engines.shown import Lines as Lines
from engines.shown import MarkerInfo as MarkerInfo
from engines.shown import Markers as Markers
from engines.shown import PaintInfo as PaintInfo
from engines.shown import SeriesInfo as SeriesInfo

if TYPE_CHECKING:
    from engines.backend.base import Backend, Ceilings, DeviceInfo
    from engines.charts import Forecast
    from engines.lab import Study
    from engines.lab_tables import LabTable
    from engines.placing import Path as Placed
    from engines.placing import Placement, Position
    from engines.tools import Tool, ToolResult

Array = npt.NDArray[Any]
Progress = Callable[[str, float], None]
"""Called with a sentence in the present participle ("Computing face weights") and a fraction 0..1."""


def no_progress(message: str, fraction: float) -> None:
    """A :data:`Progress` that tells nobody."""


@dataclass(frozen=True)
class Problem:
    """All that a run depends on: validated parameters and the geometry they refer to."""

    parameters: BaseModel
    geometry: Any = None


@dataclass(frozen=True)
class KernelTraffic:
    """Bytes and floating-point operations of one kernel per step, counted from the algorithm:
    each input read once, each output written once.

    ``fused`` is how many steps one launch takes; bytes per step are then that part of what the launch moves.
    """

    kernel: str
    bytes_read: int
    bytes_written: int
    flops: int
    fused: int = 1

    @property
    def bytes(self) -> int:
        return self.bytes_read + self.bytes_written

    def spread(self, steps: int) -> KernelTraffic:
        """Per step, if this is what a launch of ``steps`` steps moves; its ``flops`` are those of a step."""
        return replace(
            self, bytes_read=self.bytes_read // steps, bytes_written=self.bytes_written // steps, fused=steps
        )


@dataclass(frozen=True)
class KernelTiming:
    """Time that one kernel took over ``launches`` timed launches (device events on a GPU)."""

    kernel: str
    launches: int
    seconds: float


@dataclass(frozen=True)
class Selection:
    """Which elements of the geometry somebody wants values of.

    ``elements: (n,) int32`` in the geometry's own numbering. With ``offsets: (m+1,) int32`` each of the
    m results is the mean over ``elements[offsets[i]:offsets[i+1]]`` (a surface vertex and its cells).
    ``points: (m,) int32``: where each run is all the elements around a point of the geometry, that point; an engine
    whose values live on points takes the value there instead of the mean.
    """

    elements: Array
    offsets: Array | None = None
    points: Array | None = None

    def __len__(self) -> int:
        return len(self.elements) if self.offsets is None else len(self.offsets) - 1


@dataclass(frozen=True)
class Remedy:
    """An edit that mends what a finding tells of.

    text:    what a button says ("Hold the side x low at 0")
    changes: the new values, plain, by their places in the parameters
    """

    text: str
    changes: Mapping[tuple[str | int, ...], Any] = field(hash=False)


@dataclass(frozen=True)
class Finding:
    """Something about a problem that its owner should know before Run; not fatal.

    place: of the field in the parameters that it is about, ``("numerics", "step")``; empty: of the problem as a whole
    """

    message: str
    severity: Literal["info", "warning"] = "warning"
    place: tuple[str | int, ...] = ()
    remedy: Remedy | None = None


@dataclass(frozen=True)
class Estimate:
    """What a run will need, known before it starts.

    ``seconds_per_simulated_unit`` is wall time for one unit of simulated time (``Engine.time_unit``) on
    a device with the given ceilings; ``None`` where there is no basis for a figure. ``stable_step`` is in
    time units; ``milestone`` names a span that users think in ("beat", 1000.0). ``facts`` are what else is worth
    knowing of the problem as numbers (a critical stretch), ``findings`` what is worth a sentence.
    """

    memory_bytes: int
    bytes_per_step: int
    step: float
    stable_step: float | None
    seconds_per_simulated_unit: float | None
    milestone: tuple[str, float] | None = None
    findings: tuple[Finding, ...] = ()
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Preset:
    """A ready problem: a project that opens from the gallery. ``project`` is a folder with ``project.json``.

    ``engine`` is the id of the project's engine; the application reads it from the project where it is not given.
    """

    id: str
    title: str
    summary: str
    project: Traversable
    picture: Traversable | None = None
    engine: str = ""


@dataclass(frozen=True)
class Benchmark:
    """A problem to time: what it is called, how many elements it has, and how to make it."""

    name: str
    elements: int
    problem: Callable[[], Problem]


@dataclass(frozen=True)
class ParameterFile:
    """How an engine writes a problem's parameters in a form that other programs read.

    ``title`` is what the form is called ("BPX file"), ``suffix`` ends its names; ``text`` raises ProblemError.
    """

    title: str
    suffix: str
    text: Callable[[Problem], str]


@dataclass(frozen=True)
class Imported:
    """A new problem made of a file from elsewhere; ``findings`` say what of the file is not in it.

    until: when a run of it ends, in the engine's unit of time; None: the file does not say
    """

    parameters: BaseModel
    findings: tuple[Finding, ...] = ()
    until: float | None = None


class Engine(ABC):
    """One kind of physics. Engines are stateless; found through the entry points ``workbench.engines``."""

    id: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    time_unit: ClassVar[str]
    Parameters: ClassVar[type[BaseModel]]
    geometry_type: ClassVar[type | None]
    """Class of geometry that the engine takes (``TetMesh``), or None if it makes its own from parameters."""
    parameter_file: ClassVar[ParameterFile | None] = None
    """What File > Export offers beside results."""
    imports: ClassVar[tuple[str, ...]] = ()
    """Suffixes of files from elsewhere that :meth:`imported` may know (".json")."""

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

    @abstractmethod
    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        """Memory, traffic, stable step and speed, before anything is built.

        Cheap enough to call after each edit (what depends on the geometry alone is cached).
        Raises ProblemError if the problem cannot run.
        """

    @abstractmethod
    def build(self, problem: Problem, backend: Backend, progress: Progress = no_progress) -> Simulation:
        """Assemble and place on the device. Called on the worker thread. Raises ProblemError."""

    def imported(self, path: Path) -> Imported | None:
        """A new problem made of a file of one of the suffixes ``imports``; None where the engine does not know it.

        Raises ProblemError if it does, and cannot use it.
        """
        return None

    def presets(self) -> Sequence[Preset]:
        """Ready problems of this engine."""
        return ()

    def benchmarks(self, elements: Sequence[int] = ()) -> Sequence[Benchmark]:
        """Problems of about these sizes (none given: the engine's usual ones) for ``workbench bench``."""
        return ()

    def studies(self) -> Sequence[Study]:
        """What the Kernel Lab measures of this engine (:mod:`engines.lab`)."""
        return ()

    def tools(self) -> Sequence[Tool]:
        """What may be done with a problem besides running it (:mod:`engines.tools`)."""
        return ()

    def tables(self) -> Sequence[LabTable]:
        """Tables that the Kernel Lab measures of this engine (:mod:`engines.lab_tables`)."""
        return ()

    def placed(self, problem: Problem) -> Placement | None:
        """What of the problem stands in space (:mod:`engines.placing`); None where nothing is placed by hand.

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

    def ends(self, problem: Problem) -> bool:
        """Whether a run of this problem comes to an end of its own (:attr:`Simulation.finished`)."""
        return False

    def forecast(self, problem: Problem, backend: Backend) -> Forecast | None:
        """The run as a whole, solved within about a frame; None where that is not possible. Raises ProblemError."""
        return None

    def warm(self, backend: Backend) -> None:
        """Compile what a first run on ``backend`` needs, so that set-up pays for it and the first Run does not."""


@dataclass(frozen=True)
class NonFinite:
    """Where the solution ceased to be a number: field and element (geometry's numbering)."""

    field: str
    element: int
    advice: str


class Simulation(ABC):
    """A problem on a device. Used by one thread at a time.

    Elements are numbered as in ``geometry``; an engine that reorders translates here.
    Time is ``step * dt`` in float64, never accumulated.
    """

    geometry: Any
    dt: float
    step: int
    fields: tuple[FieldInfo, ...]
    series: tuple[SeriesInfo, ...] = ()
    charts: tuple[ChartInfo, ...] = ()
    traffic: tuple[KernelTraffic, ...]
    front: FrontInfo | None = None
    marked: MarkerInfo | None = None
    """What :meth:`markers` are, where there are any to tell."""
    lined: str = ""
    """What :meth:`lines` are ("Crack path"), where there are any to tell."""
    displaced: FieldInfo | None = None
    """How far each element is from where the geometry has it: three components in the geometry's unit of length, given
    by :meth:`gather` and :meth:`field` beside ``fields``. None: elements stay where they are."""
    hidden_by: str = ""
    """The field above a value of which a viewer may hide elements (a damage), so that one sees into a crack."""
    brushes: tuple[PaintInfo, ...] = ()
    keeps: str = ""
    """What :meth:`kept` does, as a button says it ("Keep the scar in the project"); empty where it does nothing."""
    sample_steps: int = 1
    """Steps between two samples of probes and series that resolve what users look at."""

    @property
    def time(self) -> float:
        return self.step * self.dt

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Take ``steps`` steps. May return before the device has finished."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until the device has done all that was asked."""

    @abstractmethod
    def select(self, selection: Selection) -> Any:
        """Place a selection on the device; the handle goes to :meth:`gather`. Cheap to make, made once per view."""

    @abstractmethod
    def gather(self, name: str, handle: Any) -> Array:
        """Values of field ``name`` on a selection, reduced on the device: ``(m,)`` or ``(m, components)`` float32."""

    @abstractmethod
    def field(self, name: str) -> Array:
        """The whole field on the host in the geometry's numbering, for export."""

    def observe(self) -> Mapping[str, float]:
        """The present value of each of ``series``."""
        return {}

    @property
    def finished(self) -> bool:
        """Whether the problem has come to an end of its own (a protocol is through). Cheap; asked once a batch."""
        return False

    @property
    def ending(self) -> str:
        """Why it has ``finished``, as a sentence for the log; empty where there is nothing to say."""
        return ""

    def chart(self, name: str) -> ChartData:
        """The points of a chart that is not over time, at this moment."""
        raise KeyError(name)

    def results(self) -> Mapping[str, Array]:
        """What is exported beside fields and charts: arrays on the host by ``group/quantity [unit]``, real or complex.

        For the end of a run and for export: it may copy gigabytes.
        """
        return {}

    def files(self) -> Mapping[str, str]:
        """Text files in forms that other programs read, by name (``ports.s1p``): written beside :meth:`results`."""
        return {}

    def markers(self) -> Markers | None:
        """The points of ``marked`` at this moment, found on the device; None where there are none to tell."""
        return None

    def lines(self) -> Lines | None:
        """What ``lined`` names, at this moment; None where there is none to tell."""
        return None

    def shifts(self) -> Mapping[Placed, Position]:
        """How far items of :meth:`Engine.placed` have moved since the start (a penetrator), by their paths, in the
        geometry's unit of length: viewers draw their outlines there, as many times as far as ``displaced`` is drawn.

        Cheap: asked with each frame.
        """
        return {}

    def inspect(self, element: int) -> Inspection | None:
        """What is known of one element beyond its fields; None where that is nothing."""
        return None

    def look_into(self, element: int | None) -> None:
        """Somebody looks into this element from now on, or into none: what :meth:`inspect` tells of its last steps is
        kept from here. Cheap."""

    def measure(self, first: int, second: int) -> Inspection | None:
        """What is known of two elements together (a conduction velocity between them); None where that is nothing."""
        return None

    @abstractmethod
    def set_control(self, name: str, value: Any) -> None:
        """Change a live parameter (dotted name, ``"tissue.conductivity_scale"``) from the next step on."""

    def paint(self, dab: Dab) -> str | None:
        """Do what a dab of one of ``brushes`` does, or erase, from the next step on.

        Returns a sentence for the log where one dab is worth one. Raises ProblemError if this dab is not possible.
        """
        raise TypeError(f"{type(self).__name__} is not painted on")

    def kept(self, problem: Problem) -> ToolResult | None:
        """``problem`` with what was painted made a part of it; None where nothing was. Raises ProblemError."""
        return None

    @abstractmethod
    def state(self) -> dict[str, Array]:
        """All that :meth:`restore` needs to continue bit for bit on the same backend."""

    @abstractmethod
    def restore(self, state: Mapping[str, Array]) -> None: ...

    @abstractmethod
    def drain_timings(self) -> tuple[KernelTiming, ...]:
        """Kernel times since the last call."""

    @abstractmethod
    def non_finite(self) -> NonFinite | None:
        """Look for NaN and Inf on the device."""

    @abstractmethod
    def close(self) -> None:
        """Free the device memory."""


@dataclass
class SimulationInfo:
    """What viewers need to know of a simulation, without touching it from another thread.

    ``inspects``: more is known of its elements than their fields (:meth:`Simulation.inspect`); ``measures``: something
    is known of two together (:meth:`Simulation.measure`).
    ``device`` is the name to show; ``device_info`` and ``ceilings`` are None where nothing runs (a drawn preview).
    ``ceiling`` [bytes/s] is what its kernels are held against: the best bandwidth over the bytes that a launch moves.
    """

    geometry: Any
    dt: float
    time_unit: str
    fields: tuple[FieldInfo, ...]
    series: tuple[SeriesInfo, ...]
    traffic: tuple[KernelTraffic, ...]
    front: FrontInfo | None
    brushes: tuple[PaintInfo, ...] = ()
    charts: tuple[ChartInfo, ...] = ()
    marked: MarkerInfo | None = None
    lined: str = ""
    displaced: FieldInfo | None = None
    hidden_by: str = ""
    keeps: str = ""
    inspects: bool = False
    measures: bool = False
    device: str = ""
    device_info: DeviceInfo | None = None
    ceilings: Ceilings | None = None
    ceiling: float = 0.0
