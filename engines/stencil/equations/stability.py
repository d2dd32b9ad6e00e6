"""The largest stable step of typed equations: von Neumann's analysis of what they are near given states.

At a state, of a cell or of one with its neighbours, the equations are taken as linear with constant coefficients: of a
wave e^{iθ·x/h} the derivatives of the rates by the values of all neighbours make a matrix, whose eigenvalues λ say how
it grows. A step is stable where each λ Δt with a negative real part lies where the method damps. What grows by itself
(Re λ > 0) is the equations' own affair. Sides are not looked at: by ghosts of second order they move eigenvalues
between those of waves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from engines.api import Array
from engines.formulas.derivatives import derivatives
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node, make, ordered, rebuild
from engines.stencil.equations.language import System
from engines.stencil.equations.passes import Method, lowered
from engines.stencil.equations.spatial import HERE, INDICES, Offset, Stencil, cell_of, step

ANGLES = 8
"""Between 0 and π along each axis, both ends among them (in three dimensions half of them)."""
IMAGINARY = 1e-6
"""Of |λ|: below it what decays is taken as not decaying."""
LOOKED_AT = 48
"""States whose eigenvalues are found."""
FURTHEST = {"Euler": 2.0, "AB2": 1.0, "IMEX": 4 / 3, "RK4": 2 * np.sqrt(2)}
"""How large |λ| Δt may be, where waves grow too: what grows now may decay as fast when the fields have come further."""
BACKWARDS = (
    "the diffusivity of '{field}' is below 0: backwards, the shortest waves grow fastest, and no steps come to a "
    "solution. Make it 0 or more."
)
SEARCHED = 400
"""Directions of λ for which the regions of methods other than Euler's were searched beforehand."""


@dataclass(frozen=True)
class Limit:
    """``step`` [s]: the largest stable one; inf where nothing changes, 0 where no step is stable, by a wave that does
    not decay. ``fastest`` [1/s]: the largest |λ|; ``growth`` [1/s]: the largest Re λ. ``field``: which has most of the
    wave that limits the step. ``backwards``: a field that spreads backwards, so that the shortest waves grow fastest,
    the faster the smaller cells are: no steps come to a solution; empty where there is none."""

    step: float
    fastest: float
    growth: float
    field: str
    backwards: str = ""


class Linear:
    """The linearised operator of a system on a grid of ``dimensions``."""

    def __init__(self, system: System, dimensions: int, equal: bool) -> None:
        self._system, self._dimensions = system, dimensions
        names = (*system.fields, *system.stored)
        stencil = Stencil(names, dimensions, equal)
        roots = [*lowered(system, stencil, system.rates), *lowered(system, stencil, system.stored)]
        self._entries: list[tuple[int, int, Offset]] = []
        graphs: list[Node] = []
        for row, root in enumerate(roots):
            for node in ordered([root]):
                cell = cell_of(str(node.value)) if node.op == "symbol" else None
                if cell is None:
                    continue
                (slope,) = derivatives([_plain_powers(root)], str(node.value))
                self._entries.append((row, names.index(cell[0]), cell[1]))
                graphs.append(slope)
        self._slopes = graphs
        self._program = Program([*graphs, *roots[len(system.fields) :]])
        self._leaves = {str(node.value) for node in ordered([*graphs, *roots]) if node.op == "symbol"}

    @property
    def beside(self) -> list[str]:
        """Symbols of neighbours on whose values derivatives hang."""
        names = [str(node.value) for node in ordered(self._slopes) if node.op == "symbol"]
        return [name for name in names if (cell := cell_of(name)) is not None and cell[0] in self._system.fields]

    @cached_property
    def constant(self) -> bool:
        """Whether the derivatives are the same whatever the fields are: then the limit holds for good."""
        cells = [cell_of(str(node.value)) for node in ordered(self._slopes) if node.op == "symbol"]
        return not any(cells)

    def matrices(self, states: Mapping[str, Array], given: Mapping[str, float]) -> Array:
        """(states, waves, fields, fields) complex, of the most telling states: those whose derivatives are largest, and
        some others. states: (n,) of each field, with x, y, z, and of neighbours where they are not as the cell; given:
        parameters …"""
        return self._of_waves(self._entries, self._of_entries(states, given), self._angles())

    def reactions(self, states: Mapping[str, Array], given: Mapping[str, float]) -> Array:
        """(states, fields) [1/s] complex: eigenvalues of the rates' derivatives by the fields of a cell whose
        neighbours are as it is, in the most telling of these states."""
        alone = {name: values for name, values in states.items() if "@" not in name}
        slopes = self._of_entries(alone, given)
        summed: dict[tuple[int, int, Offset], Array] = {}
        for (row, column, _), slope in zip(self._entries, slopes, strict=True):
            summed[row, column, HERE] = summed.get((row, column, HERE), 0.0) + slope
        values = np.array(list(summed.values())).reshape(len(summed), slopes.shape[1])
        matrices = self._of_waves(list(summed), values, np.zeros((1, self._dimensions)))
        return np.asarray(np.linalg.eigvals(matrices[:, 0]))

    def _of_waves(self, entries: Sequence[tuple[int, int, Offset]], slopes: Array, angles: Array) -> Array:
        count = len(self._system.fields)
        slopes = slopes[:, _telling(np.abs(slopes).sum(axis=0))]
        n = slopes.shape[1]
        size = count + len(self._system.stored)
        whole = np.zeros((n, len(angles), size, size), complex)
        for (row, column, offset), slope in zip(entries, slopes, strict=True):
            phase = np.exp(1j * (angles @ np.array(offset[: self._dimensions])))
            whole[:, :, row, column] += slope[:, None] * phase
        found = whole[:, :, :count, :count]
        if size > count:
            # q = G u + H q, and H has nothing on and above its diagonal
            one = np.eye(size - count)
            of_fields = np.linalg.solve(one - whole[:, :, count:, count:], whole[:, :, count:, :count])
            found = found + whole[:, :, :count, count:] @ of_fields
        return found

    def _of_entries(self, states: Mapping[str, Array], given: Mapping[str, float]) -> Array:
        """(entries, states) of the states where all are numbers: derivatives of rates by what stands beside a cell."""
        n = len(next(iter(states.values())))
        stored = self._values_of_stored(states, given, n)
        found = self._program(self._values({**states, **stored}, given))[: len(self._entries)]
        slopes = np.array([np.broadcast_to(slope, (n,)) for slope in found]).reshape(len(self._entries), n)
        return np.asarray(slopes[:, np.isfinite(slopes).all(axis=0)])

    def carried(self, field: str, states: Mapping[str, Array], given: Mapping[str, float]) -> list[tuple[Array, Array]]:
        """Along each axis (v/h, (2 D + D')/h²) [1/s] with which a field is carried and spreads in these states, by what
        its rate takes of the cells before and behind: v/2h + D/h² and −v/2h + D/h², and D' = |v| h of upwind."""
        row, slopes, found = self._system.fields.index(field), self._of_entries(states, given), []
        for axis in range(self._dimensions):
            low, high = (
                sum((slopes[k] for k, entry in enumerate(self._entries) if entry == (row, row, step(axis, by))),
                    np.zeros(slopes.shape[1]))
                for by in (-1, 1)
            )  # fmt: skip
            found.append((low - high, low + high))
        return found

    def backwards(self, states: Mapping[str, Array], given: Mapping[str, float], values: Array) -> str:
        """A field of lines without stored names (of which fourth derivatives are made) whose own diffusivity is below 0
        somewhere, where the shortest of the waves with these eigenvalues do grow fastest; empty where there is none."""
        if self._system.stored:
            return ""
        growth, angles = values.real.max(axis=(0, 2)), self._angles()
        shortest = np.isclose(np.abs(angles), np.pi).any(axis=1)
        if growth[shortest].max() <= growth[~shortest].max() + IMAGINARY * np.abs(values).max():
            return ""
        for field in self._system.fields:
            found = self.carried(field, states, given)
            if any((spread < -IMAGINARY * max(np.abs(spread).max(), 1e-300)).any() for _, spread in found):
                return field
        return ""

    def _angles(self) -> Array:
        """(waves, dimensions): along each axis from 0 to π, and backwards along all but the first."""
        count = ANGLES if self._dimensions == 2 else ANGLES // 2 + 1
        one = np.linspace(0, np.pi, count)
        both = np.concatenate([one, -one[1:-1]])
        axes = [one, *[both] * (self._dimensions - 1)]
        return np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=1)

    def _values_of_stored(self, states: Mapping[str, Array], given: Mapping[str, float], n: int) -> dict[str, Array]:
        """What stored names are where the state is the same all around."""
        found = {name: np.zeros(n) for name in self._system.stored}
        for _ in found:
            values = self._program(self._values({**states, **found}, given))[len(self._entries) :]
            found = {name: np.broadcast_to(value, (n,)) for name, value in zip(found, values, strict=True)}
        return found

    def _values(self, states: Mapping[str, Array], given: Mapping[str, float]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name in self._leaves:
            cell = cell_of(name)
            if cell is not None:
                values[name] = states[name] if name in states else states[cell[0]]
            elif name in INDICES:
                axis = INDICES.index(name)
                values[name] = states["xyz"[axis]] / given[("@dx", "@dy", "@dz")[axis]] - 0.5
            else:
                values[name] = np.float64(given[name])
        return values


def _telling(sizes: Array) -> Array:
    """Places of the states with the largest derivatives, and of some at even distances."""
    largest = np.argsort(sizes)[-LOOKED_AT // 2 :]
    return np.unique([*largest, *np.linspace(0, len(sizes) - 1, LOOKED_AT // 2).astype(int)]) if len(sizes) else largest


def _plain_powers(root: Node) -> Node:
    """Powers whose exponent moves as exponentials, of which there are derivatives."""

    def build(op: str, *args: Node) -> Node:
        if op == "pow" and args[1].op != "const":
            return make("exp", make("mul", args[1], make("log", args[0])))
        return make(op, *args)

    return rebuild([root], build)[0]


def limit_of(linear: Linear, method: Method, states: Mapping[str, Array], given: Mapping[str, float]) -> Limit:
    """Of all these states and all waves. States whose derivatives are no numbers say nothing."""
    matrices = linear.matrices(states, given)
    fields = linear._system.fields
    if not matrices.size:
        return Limit(np.inf, 0.0, 0.0, fields[0])
    values = np.linalg.eigvals(matrices)
    size = np.abs(values)
    fastest = float(size.max())
    decays = values.real <= IMAGINARY * size
    limits = np.where(decays & (size > 1e-12 * fastest), _limits(method, values), np.inf)
    worst = np.unravel_index(int(limits.argmin()), limits.shape)
    shape = np.abs(np.linalg.eig(matrices[worst[:2]])[1][:, worst[2]])
    furthest = FURTHEST[method] / fastest if fastest > 0 else np.inf
    step, growth = min(float(limits.min()), furthest), float(values.real.max())
    backwards = linear.backwards(states, given, values)
    return Limit(step, fastest, growth, fields[int(shape.argmax())], backwards)


def _limits(method: Method, values: Array) -> Array:
    """The largest stable Δt of each eigenvalue that does not grow."""
    size = np.where(np.abs(values) > 0, np.abs(values), np.inf)
    if method == "Euler":
        real = np.where(values.real < -IMAGINARY * size, -values.real, 0.0)
        return np.asarray(2.0 * real / size**2)
    reach = np.interp(np.abs(np.angle(values)), DIRECTIONS, _REACH[method])
    if method in ("AB2", "IMEX"):  # of what swings for ever it takes in nothing
        reach = np.where(values.real < -IMAGINARY * size, reach, 0.0)
    return np.asarray(reach / size)


DIRECTIONS = np.linspace(np.pi / 2, np.pi, SEARCHED)


def _of_runge_and_kutta(z: Array) -> Array:
    return np.abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24)


def _of_adams_and_bashforth(z: Array) -> Array:
    """The larger root of ζ² − (1 + 3/2 z) ζ + z/2 = 0."""
    half = (1 + 1.5 * z) / 2
    root = np.sqrt(half**2 - z / 2)
    return np.maximum(np.abs(half + root), np.abs(half - root))


def _of_backward_differences(z: Array) -> Array:
    """The larger root of 3/2 ζ² − (2 + 2z) ζ + 1/2 + z = 0: of what is explicit beside no diffusion."""
    half = (2 + 2 * z) / 3
    root = np.sqrt(half**2 - (1 + 2 * z) / 3)
    return np.maximum(np.abs(half + root), np.abs(half - root))


def _reach(grows: Callable[[Array], Array], inside: float) -> Array:
    """How far the region in which a step multiplies by no more than 1 reaches in each of the directions, which it
    leaves once beyond ``inside``."""
    turned = np.exp(1j * DIRECTIONS)
    low, high = np.full(SEARCHED, inside), np.full(SEARCHED, 4.0)
    for _ in range(50):
        middle = (low + high) / 2
        outside = grows(middle * turned) > 1 + 1e-12
        low, high = np.where(outside, low, middle), np.where(outside, middle, high)
    return low


_REACH = {
    "RK4": _reach(_of_runge_and_kutta, 2.0),
    "AB2": _reach(_of_adams_and_bashforth, 0.0),
    "IMEX": _reach(_of_backward_differences, 0.0),
}


def states_of(fields: Mapping[str, Array], places: Array) -> dict[str, Array]:
    """States as :meth:`Linear.matrices` takes them. fields: (n,) each; places: (n, 3) [mm]"""
    numbers = {name: np.nan_to_num(values) for name, values in fields.items()}
    return {**numbers, **dict(zip("xyz", places.T, strict=True))}


def with_corners(states: Mapping[str, Array], ranges: Mapping[str, tuple[float, float]]) -> dict[str, Array]:
    """The states, and where they are first all fields at either end of their ranges."""
    corners = np.array(list(product(*ranges.values())))
    rows = {name: row for row, name in enumerate(ranges)}
    found = {
        name: np.concatenate([values, corners[:, rows[name.partition("@")[0]]]])
        for name, values in states.items() if name.partition("@")[0] in rows
    }  # fmt: skip
    here = {name: np.concatenate([states[name], np.full(len(corners), states[name][0])]) for name in "xyz"}
    return {**found, **here}
