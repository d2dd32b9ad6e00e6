"""The values that pass between an engine, its runs and the rest of the application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from engines.api.charts import Fact

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

    text:        what a button says ("Hold the side x low at 0")
    changes:     the new values, plain, by their places in the parameters
    length_unit: instead of them, the unit that the mesh's file is to be read in
    tool:        instead of them, the id of the engine's tool that mends it, which is opened
    without_end: beside them, the end that was set for the run is taken away: the problem has one of its own then
    """

    text: str
    changes: Mapping[tuple[str | int, ...], Any] = field(default_factory=dict, hash=False)
    length_unit: str = ""
    tool: str = ""
    without_end: bool = False


@dataclass(frozen=True)
class Finding:
    """Something about a problem that its owner should know before Run; not fatal.

    place: of the field in the parameters that it is about, ``("numerics", "step")``; empty: of the problem as a whole
    alternative: what mends it in another way than ``remedy``
    distorts: numbers of the run come out wrong by it
    """

    message: str
    severity: Literal["info", "warning"] = "warning"
    place: tuple[str | int, ...] = ()
    remedy: Remedy | None = None
    alternative: Remedy | None = None
    distorts: bool = False

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What mends it, the first choice first."""
        return tuple(each for each in (self.remedy, self.alternative) if each is not None)


@dataclass(frozen=True)
class Estimate:
    """What a run will need, known before it starts.

    ``seconds_per_simulated_unit`` is wall time for one unit of simulated time (``Engine.time_unit``) on
    a device with the given ceilings; ``None`` where there is no basis for a figure. ``stable_step`` is in
    time units; ``milestone`` names a span that users think in ("beat", 1000.0). ``facts`` are what else is worth
    knowing of the problem as numbers (a critical stretch), ``findings`` what is worth a sentence. ``field_bytes``: of a
    number of :meth:`Simulation.field <engines.api.simulation.base.Simulation.field>`.
    """

    memory_bytes: int
    bytes_per_step: int
    step: float
    stable_step: float | None
    seconds_per_simulated_unit: float | None
    milestone: tuple[str, float] | None = None
    findings: tuple[Finding, ...] = ()
    facts: tuple[Fact, ...] = ()
    field_bytes: int = 4


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
    mesh: the file of its mesh as it is named there, which may lie anywhere, with coordinates in ``length_unit``
    files: further files that are named, wanted by ``on(geometry, mesh's path, paths by name)``, which gives the whole
    problem once the mesh is read, with those of the files that may be read; None: this is all. Without a mesh it is
    given that of the file itself, and what it gives may name files again, which the ones before named
    tables: arrays by name of tables (NAME.npz) that parameters name as files: nowhere yet, they are written where they
    last
    """

    parameters: BaseModel
    findings: tuple[Finding, ...] = ()
    until: float | None = None
    mesh: str = ""
    length_unit: str = "mm"
    files: tuple[str, ...] = ()
    on: Callable[[Any, Path, Mapping[str, Path]], Imported] | None = None
    tables: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)


@dataclass(frozen=True)
class NonFinite:
    """Where the solution ceased to be a number: field and element (geometry's numbering)."""

    field: str
    element: int
    advice: str

    def told(self, step: int) -> str:
        return f"{self.field} is no longer a number at element {self.element} after step {step}: {self.advice}"

    def told_beyond(self) -> str:
        """Of a value that is a number, and too large for float32."""
        return (
            f"{self.field} is beyond 3.4e38 at element {self.element}, the largest number that pictures, probes and"
            " files hold: they have infinity there. Look for what makes it so large: a source, an amount, a rate."
        )


@dataclass(frozen=True)
class Population:
    """Neurons ``first`` to ``stop − 1``; ``recorded``: whether the problem asks for their spikes."""

    name: str
    first: int
    stop: int
    recorded: bool = True


@dataclass(frozen=True, eq=False)
class Spikes:
    """Who fired when, in the order of time and, within a step, of numbers.

    steps: (k,) int32 the step in which a neuron fired, from ``steps · dt`` on; neurons: (k,) int32; dt: of a step [ms]
    """

    steps: Array
    neurons: Array
    dt: float

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def times(self) -> Array:
        """(k,) float64 [ms], where the step of a spike begins."""
        return np.asarray(self.steps * self.dt)

    def of(self, population: Population) -> Spikes:
        """Those of one population."""
        own = (self.neurons >= population.first) & (self.neurons < population.stop)
        return Spikes(self.steps[own], self.neurons[own], self.dt)


@dataclass(frozen=True)
class CellQuantity:
    """What is known of every cell: ``name`` in records ("voltage"), a title for people, a unit."""

    name: str
    title: str
    unit: str
