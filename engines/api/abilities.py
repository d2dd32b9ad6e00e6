"""What some simulations can do besides advancing: small protocols, one ability each.

A simulation has an ability by having its members; whoever wants to use it asks ``isinstance(simulation, Inspected)``.
Everything here is called by the thread that the simulation belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from engines.api.charts import Inspection
from engines.api.placing import Path, Position
from engines.api.shown import Dab, FieldInfo, Lines, MarkerInfo, Markers, PaintInfo
from engines.api.tools import ToolResult
from engines.api.values import Array, Problem


@runtime_checkable
class Painted(Protocol):
    """A person may touch it with brushes while it runs."""

    brushes: tuple[PaintInfo, ...]

    def paint(self, dab: Dab) -> str | None:
        """Do what a dab of one of ``brushes`` does, or erase, from the next step on.

        Returns a sentence for the log where one dab is worth one. Raises ProblemError if this dab is not possible.
        """


@runtime_checkable
class Keeping(Protocol):
    """What was painted on it can be made a part of the problem."""

    keeps: str
    """What :meth:`kept` does, as a button says it ("Keep the scar in the project"); empty where it does nothing."""

    def kept(self, problem: Problem) -> ToolResult | None:
        """``problem`` with what was painted made a part of it; None where nothing was. Raises ProblemError."""


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
class Measured(Protocol):
    """Something is known of two elements together."""

    def measure(self, first: int, second: int) -> Inspection | None:
        """What is known of the two (a conduction velocity between them); None where that is nothing."""


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


@runtime_checkable
class WithFiles(Protocol):
    """It has results in forms that other programs read."""

    def files(self) -> Mapping[str, str]:
        """Text files by name (``ports.s1p``): written beside the results."""
