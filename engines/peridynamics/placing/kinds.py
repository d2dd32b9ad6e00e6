"""The kinds of things that stand in a body as figures: one function for each, entered by :func:`drawn`.

A kind without an entry is drawn as its region, or as its side, if it has one; else it is only listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import BaseModel

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.figures import Figure, number, triple
from engines.api.placing import Position
from engines.peridynamics.body.filling import Frame
from engines.peridynamics.parameters import PeridynamicParameters


@dataclass(frozen=True, eq=False)
class Space:
    """Where figures stand. low, high: (3,) corners [mm] of the box around the body; in a plate both are at the height
    of the front of its particles, where lines are not hidden."""

    parameters: PeridynamicParameters
    frame: Frame
    low: Array
    high: Array

    @property
    def flat(self) -> bool:
        return self.frame.dimensions == 2

    @property
    def middle(self) -> Array:
        return 0.5 * (self.low + self.high)

    @property
    def size(self) -> float:
        """A quarter of the shortest side, to two digits: of what is new."""
        return float(f"{0.25 * float((self.high - self.low)[self.free()].min()):.2g}")

    @property
    def thin(self) -> tuple[bool, bool, bool]:
        return False, False, self.flat

    def free(self) -> list[int]:
        """Axes along which something may move."""
        return [0, 1] if self.flat else [0, 1, 2]

    def at(self, flat: tuple[float, float] | Array) -> Array:
        """A point of the plane halfway through the body."""
        return np.array([flat[0], flat[1], self.middle[2]])

    def seen(self, position: tuple[float, float, float] | Array) -> Array:
        """A point in space; in a plate it lies in its plane."""
        return self.at((position[0], position[1])) if self.flat else np.array(position, float)

    def on_rows(self, position: Array) -> Position:
        """Between the nearest rows of particles; in a plate z is 0."""
        rows = np.round((position - self.frame.origin) / self.frame.spacing)
        return triple(np.where(self.thin, 0.0, self.frame.origin + rows * self.frame.spacing))

    def length(self, value: float) -> str:
        return f"{value:.4g} mm"

    def place(self, position: Position | Array) -> str:
        """A position in words: ``x 2, y 1.5 mm``."""
        return ", ".join(f"{'xyz'[axis]} {position[axis]:.4g}" for axis in self.free()) + " mm"

    def touching(self, low: Array, high: Array) -> None:
        """Raises ProblemError if a box from ``low`` to ``high`` is nowhere in the body's."""
        for axis in self.free():
            if high[axis] < self.low[axis] or low[axis] > self.high[axis]:
                raise ProblemError(
                    f"There it would be outside of the body along {'xyz'[axis]}: keep a part of it inside."
                )

    def radius(self, value: float) -> float:
        """Raises ProblemError for one that is none."""
        if value < 1e-6 * self.frame.spacing:
            raise ProblemError("A radius is above zero: keep the handle off the middle.")
        return number(value)


@dataclass(frozen=True)
class Kind:
    """How one class of parameters is drawn, and the fields of a new one that fits the body; solid: it needs three
    dimensions."""

    figure: Callable[[Any, Space], Figure]
    fresh: Callable[[Space], Mapping[str, Any]]
    solid: bool


KINDS: dict[type[BaseModel], Kind] = {}
Drawing = Callable[[Any, Space], Figure]


def nothing(space: Space) -> Mapping[str, Any]:
    """Of kinds that begin with their defaults."""
    return {}


def drawn(
    *models: type[BaseModel], fresh: Callable[[Space], Mapping[str, Any]] = nothing, solid: bool = False
) -> Callable[[Drawing], Drawing]:
    """Enter the figure of ``models``."""

    def enter(figure: Drawing) -> Drawing:
        for model in models:
            KINDS[model] = Kind(figure, fresh, solid)
        return figure

    return enter


def made(space: Space, model: type[BaseModel]) -> BaseModel:
    """A new one that fits the body."""
    return model.model_validate(dict(KINDS[model].fresh(space)) if model in KINDS else {})


def figure_of(item: BaseModel, space: Space) -> Figure:
    """Nothing of what cannot be drawn (a file that is not there): the estimate says what is wrong with it."""
    kind = KINDS.get(type(item))
    try:
        return Figure(()) if kind is None else kind.figure(item, space)
    except ProblemError:
        return Figure(())


def within(field: str, item: BaseModel, space: Space) -> Figure:
    """The figure of what ``item`` has in ``field``, which is what its handles change."""
    inner = getattr(item, field)
    figure = figure_of(inner, space)
    change = figure.changes
    if change is None:
        return figure

    def changes(handle: str, position: Position) -> tuple[Mapping[str, Any], str]:
        fields, said = change(handle, position)
        return {field: {**inner.model_dump(), **fields}}, said

    return replace(figure, changes=changes)
