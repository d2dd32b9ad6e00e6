"""What some simulations can do besides advancing: small protocols, one ability each.

A simulation has an ability by having its members; whoever wants to use it asks ``isinstance(simulation, Inspected)``.
Everything here is called by the thread that the simulation belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from engines.api.charts import Inspection
from engines.api.placing import Path, Position
from engines.api.simulation.shown import Dab, FieldInfo, Lines, MarkerInfo, Markers, PaintInfo, VectorInfo
from engines.api.tools import ToolResult
from engines.api.values import Array, CellQuantity, Finding, Population, Problem, Spikes


@runtime_checkable
class Painted(Protocol):
    """A person may touch it with brushes while it runs."""

    brushes: tuple[PaintInfo, ...]

    def paint(self, dab: Dab) -> str | None:
        """Do what a dab of one of ``brushes`` does, or erase, from the next step on.

        Returns a sentence for the log where one dab is worth one. Raises ProblemError if this dab is not possible.
        """


@dataclass(frozen=True, eq=False)
class Underneath:
    """What a dab paints over: ``values``, copied to the host, at a ``place`` that the engine knows; ``nbytes`` of them.

    ``lasts``: nothing but painting changes it (a source, a scar, a material), so that it can be put back however far
    the run has gone on; else (a concentration, a pulse) only at the step that it was copied at.
    """

    brush: str
    place: Any
    values: Any
    nbytes: int
    lasts: bool


@runtime_checkable
class Unpainting(Protocol):
    """What was painted on it can be taken back, dab by dab, the last one first."""

    def underneath(self, dab: Dab, first: bool) -> Underneath | None:
        """What ``dab`` is about to paint over. ``first`` of its stroke: an engine that takes a stroke back as a whole
        gives None for the others."""

    def put_back(self, under: Underneath) -> None:
        """The region is again as it was."""


@runtime_checkable
class Keeping(Protocol):
    """What was painted on it can be made a part of the problem."""

    keeps: str
    """What :meth:`kept` does, as a button says it ("Keep the scar in the project"); empty where it does nothing."""

    def kept(self, problem: Problem) -> ToolResult | None:
        """``problem`` with what was painted made a part of it; None where nothing was. Raises ProblemError."""


@runtime_checkable
class Heeding(Protocol):
    """A live change that it takes may make its answers worse."""

    def of_changes(self) -> Sequence[Finding]:
        """What one should know of its answers with the live parameters as they are now, and not before they were
        changed: warnings and remedies as in an estimate. Asked after each change, and after it was restored."""


@runtime_checkable
class Inspected(Protocol):
    """More is known of one element than its fields."""

    def inspect(self, element: int) -> Inspection | None:
        """What is known of one element; None where that is nothing."""


@runtime_checkable
class LookedInto(Protocol):
    """What is known of an element is kept only while somebody looks at it."""

    def look_into(self, element: int | None) -> None:
        """Somebody looks into this element from now on, or into none: what :meth:`Inspected.inspect` tells of its last
        steps is kept from here. Cheap."""


@runtime_checkable
class Traced(Protocol):
    """Samples would miss what happens between them (spikes): it is recorded at the probes in each step."""

    def follow(self, elements: Array) -> int:
        """Probes stand at these (n,) from now on, in place of others; how many of them, the first, are recorded."""

    def traced(self) -> tuple[Array, Mapping[str, Array]]:
        """Times (k,) of the steps since the call before that were recorded, and values (k, recorded) by field."""


@runtime_checkable
class Measured(Protocol):
    """Something is known of two elements together, and of each by itself."""

    def measure(self, first: int, second: int) -> Inspection | None:
        """What is known of the two (how fast a wave seemed to go between them), or where they are the same of that
        one; None where that is nothing."""


@runtime_checkable
class Displaced(Protocol):
    """Its elements move."""

    displaced: FieldInfo | None
    """How far each element is from where the geometry has it: three components in the geometry's unit of length, given
    by ``gather`` and ``field`` beside ``fields``. None: elements stay where they are."""


@runtime_checkable
class Hiding(Protocol):
    """A viewer may hide some of its elements, so that one sees into a crack."""

    hidden_by: str
    """The field above a value of which elements may be hidden (a damage); empty where there is none."""


@runtime_checkable
class Marked(Protocol):
    """Points come and go while it runs."""

    marked: MarkerInfo | None
    """What :meth:`markers` are, where there are any to tell."""

    def markers(self) -> Markers | None:
        """The points of ``marked`` at this moment, found on the device; None where there are none to tell."""


@runtime_checkable
class Directed(Protocol):
    """Some of what it shows has a direction."""

    vectors: tuple[VectorInfo, ...]
    """What may be drawn as arrows; their components are given by ``gather`` and ``field``, among ``fields`` or beside
    them."""


@runtime_checkable
class Lined(Protocol):
    """Lines come and go while it runs."""

    lined: str
    """What :meth:`lines` are ("Crack path"), where there are any to tell."""

    def lines(self) -> Lines | None:
        """What ``lined`` names, at this moment; None where there is none to tell."""


@runtime_checkable
class Shifting(Protocol):
    """Things that stand in space move while it runs."""

    def shifts(self) -> Mapping[Path, Position]:
        """How far items of :meth:`engines.api.Engine.placed` have moved since the start (a penetrator), by their paths,
        in the geometry's unit of length: viewers draw their outlines there, as many times as far as ``displaced`` is
        drawn.

        Cheap: asked with each frame.
        """


@runtime_checkable
class WithResults(Protocol):
    """Arrays are exported beside its fields and charts."""

    def results(self) -> Mapping[str, Array]:
        """Arrays on the host by ``group/quantity [unit]``, real or complex.

        For the end of a run and for export: it may copy gigabytes.
        """


Axes = Mapping[str, str | Array]
"""Of an array, in their order: what each axis is called, and the result that says where along it each value stands, as
``group/quantity``, that as (n,) itself, or "" where values are counted from 0."""


@runtime_checkable
class OnAxes(Protocol):
    """What its results are over is known."""

    def result_axes(self) -> Mapping[str, Axes]:
        """The axes of those of :meth:`WithResults.results` and :meth:`Cells.cell_results` that have names for them, by
        ``group/quantity``. Cheap."""


@runtime_checkable
class OnDevice(Protocol):
    """Its fields can be handed over where they are, so that what works on them there copies nothing to the host."""

    def on_device(self, name: str) -> Any | None:
        """The whole field, (n,) in the geometry's numbering, as an array of the backend's own (NumPy's or CuPy's) that
        no later step writes to; None where it stands in no such array."""


@runtime_checkable
class WithFiles(Protocol):
    """It has results in forms that other programs read."""

    def files(self) -> Mapping[str, str]:
        """Text files by name (``ports.s1p``): written beside the results."""


class SpikeReader(Protocol):
    """Reads the spikes of a run while it goes on; each reader gets every spike from when it came."""

    def take(self) -> Spikes:
        """The spikes since the last call: they are held in memory until then. Spikes that a restored state takes back
        are not among them."""

    def close(self) -> None:
        """Nothing more is wanted: nothing more is held."""


@runtime_checkable
class Spiking(Protocol):
    """Its elements are neurons that fire."""

    populations: tuple[Population, ...]
    """All of its neurons, in the order of their numbers."""

    def spike_trains(self) -> SpikeReader:
        """Keep every spike from the next step on for the reader that this returns; of the populations alone that are
        ``recorded``. Without a reader nothing is kept and nothing slows down."""


@runtime_checkable
class Cells(Protocol):
    """It has many cells, of each of which some quantities are known at any moment."""

    cell_quantities: tuple[CellQuantity, ...]
    """What :meth:`cell_series` gives; empty where the problem asks for nothing."""
    cell_steps: int
    """Steps between two rows of a record, as the problem asks."""

    def cell_series(self) -> Mapping[str, Array]:
        """The present value of each of ``cell_quantities``: (n,) float32 of the first n cells, by name, on the host."""

    def drawn_parameters(self) -> Mapping[str, Array]:
        """(n,) float64 of what differs among these cells, by ``name [unit]``."""

    def cell_results(self) -> Mapping[str, Array]:
        """At the end, by ``group/name [unit]``: (n,) of how each of these cells ended, and (cycles, n) of cycles that
        they are through."""
