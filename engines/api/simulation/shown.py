"""What a viewer is told of a simulation: what it draws, plots and lets a person paint, without a word of the physics.

Engines and their viewers take these from :mod:`engines.api`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engines.api.charts import Array


@dataclass(frozen=True)
class FieldInfo:
    """One quantity that lives on the geometry.

    ``location`` says on which elements (``"cell"``, ``"node"``, ``"point"``, ``"grid"``); ``range`` is
    the colour range that suits it; ``summary`` marks fields whose final value at each probe belongs in
    the result table (an activation time, a peak). ``missing`` is the value that stands for
    "not yet" (an activation that has not come); viewers draw it as no data and call it ``missing_title``.
    NaN is drawn as no data in any field. ``traced``: its values at probes are worth following over time.
    ``cyclic``: an angle, whose ``range`` is one whole turn; viewers take means of directions.
    ``names``: the value k stands for ``names[k]``, a state or a material. On grids and particles pictures then show a
    legend of names, and mix no values; on tetrahedra, whose surface they smooth, the numbers.
    ``guessed``: nothing is known of its values but that they begin the same everywhere, or nearly; ``range`` suits
    these, and viewers have their colours follow the values as soon as these differ. ``anchored``: they then stay from
    zero, or around it, as ``range`` is.
    """

    name: str
    title: str
    unit: str
    location: Literal["cell", "node", "point", "grid"]
    range: tuple[float, float]
    colormap: str = "viridis"
    components: int = 1
    summary: bool = False
    missing: float | None = None
    missing_title: str = "not yet"
    traced: bool = True
    cyclic: bool = False
    names: tuple[str, ...] = ()
    guessed: bool = False
    anchored: bool = False


@dataclass(frozen=True)
class FrontInfo:
    """A travelling front that a viewer may highlight: elements whose ``field`` (a time) is less than ``width`` ago.

    Between elements it stands where ``crossing`` (a field; empty: there is none that tells) passes ``level``.
    """

    field: str
    width: float
    crossing: str = ""
    level: float = 0.0


@dataclass(frozen=True)
class VectorInfo:
    """A field with a direction, which viewers draw as arrows.

    parts: what ``gather`` and ``field`` call its components along x, y and z (empty: zero), or one name of three
    crossed: it is the cross product of its parts with those of these names (a flow of power)
    """

    name: str
    title: str
    unit: str
    parts: tuple[str, ...]
    crossed: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """All that is asked for."""
        return tuple(name for name in (*self.parts, *self.crossed) if name)


@dataclass(frozen=True)
class MarkerInfo:
    """Points of two signs that come and go while a problem runs (what spiral waves turn around); ``signs`` says in a
    word or two what + and − are, ``note`` in a sentence or two what their number means."""

    title: str
    signs: tuple[str, str] = ("+", "−")
    note: str = ""


@dataclass(frozen=True, eq=False)
class Markers:
    """Where they are at a moment: ``positions: (n, 3)`` in the geometry's unit of length, ``signs: (n,) int8``, ±1."""

    positions: Array
    signs: Array


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight lines that come and go (the path of a crack) at a moment: ``segments: (n, 2, 3)`` on the geometry as it
    stands and ``displacements``, of the same shape, of their ends since (None: none), in its unit of length."""

    segments: Array
    displacements: Array | None = None


@dataclass(frozen=True)
class SeriesInfo:
    """One number per sample for the whole problem (a total, a mean, a terminal voltage).

    ``metered``: what meters call a number per second of simulated time that users of the engine count ("Events"): they
    show it per second of the clock, and beside it how long a simulated second takes.
    """

    name: str
    title: str
    unit: str
    metered: str = ""


@dataclass(frozen=True)
class PaintInfo:
    """A brush: what a person may do to a spot of the geometry while it runs (paint a source or a scar, stimulate).

    ``amount`` [``unit``] is a good first value of what a dab brings, called ``amount_title`` and kept in ``bounds``;
    ``radius`` a good first radius as a fraction of the geometry's longest side. ``stroke``: dragging paints a line of
    dabs; without, a click is one dab. ``erasable``: dabs can take back what was painted. ``hint`` says in a sentence
    what a dab does, where the title does not.
    """

    name: str
    title: str
    unit: str
    amount: float
    radius: float = 0.03
    stroke: bool = True
    erasable: bool = True
    amount_title: str = "Amount"
    bounds: tuple[float, float] | None = None
    hint: str = ""


@dataclass(frozen=True)
class Dab:
    """One touch of a brush: a ball around ``position`` (x, y, z), both in the geometry's unit of length.

    ``brush`` is the name of a :class:`PaintInfo` and ``amount`` is in its unit; ``erase`` takes away what was painted
    there instead.
    """

    brush: str
    position: tuple[float, float, float]
    radius: float
    amount: float
    erase: bool = False
