"""Where fields begin: formulas of place and parameters, with random numbers that a seed repeats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.api.errors import ProblemError, nearest_told
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node, make, ordered, rebuild, symbol
from engines.formulas.parse import Function
from engines.geometry.grid import Grid
from engines.stencil.equations.language import System
from engines.stencil.parameters.equations import FieldSetting, OwnEquations
from engines.stencil.parameters.sides import FixedGradient, FixedValue, Periodic

FIELDS = ("equation", "fields")
RANDOM = {name: Function(1, lambda seed, name=name: make(f"@{name}", seed)) for name in ("noise", "normal")}
"""noise(seed): evenly between 0 and 1; normal(seed): of mean 0 and variance 1; independent in all cells."""
DRAWN: Mapping[str, Callable[[Any, Any], Array]] = {
    "@noise": lambda random, shape: random.random(shape),
    "@normal": lambda random, shape: random.standard_normal(shape),
}
LARGEST_SEED = 2**31
SLAB = 1 << 20
"""Cells that are worked out at a time: of large grids float64 is held in parts."""


SAMPLES = 256
"""Places at each side at which a start is looked at."""
APART = 0.1
"""Of a start's largest value: how far from what a side holds it may be without a word."""


class Start:
    """Raises ProblemError, a sentence that begins with ``where``, for seeds that are no whole numbers."""

    def __init__(self, root: Node, where: str) -> None:
        drawn: dict[Node, Node] = {}
        self._drawn: dict[str, tuple[str, int]] = {}
        for node in ordered([root]):
            if node.op in DRAWN:
                seed = node.args[0]
                if seed.op != "const" or seed.number != round(seed.number) or not 0 <= seed.number <= LARGEST_SEED:
                    raise ProblemError(f"{where} has a seed that is no whole number from 0 on: write noise(1).")
                name = f"{node.op}{int(seed.number)}"
                drawn[node], self._drawn[name] = symbol(name), (node.op, int(seed.number))
        self._program = Program(rebuild([root], make, drawn))

    @property
    def is_drawn(self) -> bool:
        """Whether it has random numbers in it."""
        return bool(self._drawn)

    def at(self, places: Array, given: Mapping[str, float]) -> Array:
        """(n,) float64 at places (n, 3) [mm], with random numbers of its own."""
        values: dict[str, Any] = {
            **{k: np.float64(v) for k, v in given.items()},
            **dict(zip("xyz", places.T, strict=True)),
        }
        for name, (kind, seed) in self._drawn.items():
            values[name] = DRAWN[kind](np.random.default_rng(seed), len(places))
        return np.broadcast_to(self._program(values)[0], (len(places),))

    def on(self, grid: Grid, given: Mapping[str, float], dtype: np.dtype[Any]) -> Array:
        """(grid.shape) of ``dtype``."""
        found = np.empty(grid.shape, dtype)
        random = {name: np.random.default_rng(seed) for name, (_, seed) in self._drawn.items()}
        rows = max(1, SLAB // max(1, grid.n_cells // grid.shape[0]))
        axes = [grid.centers_along(axis) for axis in range(grid.dimensions)]
        for first in range(0, grid.shape[0], rows):
            part = found[first : first + rows]
            values: dict[str, Any] = {"z": np.float64(0.0), **{k: np.float64(v) for k, v in given.items()}}
            for axis, along in enumerate(axes):
                held = along[first : first + rows] if axis == grid.dimensions - 1 else along
                values["xyz"[axis]] = held.reshape(
                    [-1 if k == grid.dimensions - 1 - axis else 1 for k in range(grid.dimensions)]
                )
            for name, (kind, _) in self._drawn.items():
                values[name] = DRAWN[kind](random[name], part.shape)
            part[...] = self._program(values)[0]
        return found


def begun_elsewhere(
    starts: Mapping[str, Start], sides: Any, grid: Grid, given: Mapping[str, float]
) -> tuple[Finding, ...]:
    """Of fields that the sides of the grid hold at a value far from where they begin: seldom meant by who has set
    none. starts: of the fields that have these sides"""
    random, found = np.random.default_rng(0), set()
    for axis, letter in enumerate("xyz"[: grid.dimensions]):
        for end, at in (("low", 0.0), ("high", grid.lengths[axis])):
            side = getattr(sides, f"{letter}_{end}")
            if not isinstance(side, FixedValue):
                continue
            places = np.zeros((SAMPLES, 3))
            places[:, : grid.dimensions] = random.random((SAMPLES, grid.dimensions)) * grid.lengths
            places[:, axis] = at
            for name, start in starts.items():
                values = start.at(places, given)
                if np.median(np.abs(values - side.value)) > APART * np.abs(values).max():
                    found.add((name, side.value))
    if not found:
        return ()
    names = " and ".join(f"'{name}'" for name in starts if name in {each for each, _ in found})
    ends: list[tuple[str | int, ...]] = [
        ("sides", f"{letter}_{end}") for letter in "xyz"[: grid.dimensions] for end in ("low", "high")
    ]
    closed, periodic = ({end: kind().model_dump(mode="json") for end in ends} for kind in (FixedGradient, Periodic))
    held = " and ".join(f"{value:g}" for value in sorted({value for _, value in found}))
    return (
        Finding(
            f"The sides of the grid hold {names} at {held}, far from where that begins: it goes in or out there. Close "
            "them, or make them periodic, if it is not to.", "info", ("sides",), Remedy("Close the sides", closed),
            Remedy("Make them periodic", periodic),
        ),
    )  # fmt: skip


def settings_of(equation: OwnEquations, system: System) -> Mapping[str, FieldSetting]:
    """By field and stored name. Raises ProblemError for others, and for two of one name."""
    known = (*system.fields, *system.shown)
    found: dict[str, FieldSetting] = {}
    for number, setting in enumerate(equation.fields):
        place = (*FIELDS, number, "name")
        if setting.name in found:
            raise ProblemError(f"Two rows are of the field '{setting.name}': remove one of them.", place)
        if setting.name not in known:
            missing = [name for name in system.fields if name not in {each.name for each in equation.fields}]
            others = [each.model_dump(mode="json") for each in equation.fields if each is not setting]
            rename = Remedy(f"Call it '{missing[0]}'", {place: missing[0]}) if missing else None
            remedy = rename or Remedy("Remove its row", {FIELDS: others})
            raise ProblemError(
                f"No line says how '{setting.name}' changes{nearest_told(setting.name, known)}: rename "
                "or remove its row.",
                place,
                remedy,
            )
        found[setting.name] = setting
    return found


def unset(equation: OwnEquations, system: System) -> tuple[Finding, ...]:
    """Of fields that begin at 0 because nobody said where."""
    named = {each.name for each in equation.fields}
    missing = [name for name in system.fields if name not in named]
    if not missing:
        return ()
    rows = [
        *(each.model_dump(mode="json") for each in equation.fields),
        *(FieldSetting(name=name).model_dump(mode="json") for name in missing),
    ]
    listed = ", ".join(f"'{name}'" for name in missing)
    return (
        Finding(
            f"{listed} begin{'s' * (len(missing) == 1)} at 0, for nothing says where: say it below 'Fields'.",
            "info",
            FIELDS,
            Remedy("Add a row for each", {FIELDS: rows}),
        ),
    )  # fmt: skip
