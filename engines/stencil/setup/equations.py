"""Typed equations, checked: their plan, where fields begin, what holds at their sides, and the step that is stable."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import Any

import numpy as np

from engines.api import Array, Finding, Problem, Remedy
from engines.api.device import Backend
from engines.api.errors import ProblemError, placed_at
from engines.backend.precision import FLOAT_TYPES
from engines.formulas.graph import Node, const, ordered
from engines.formulas.parse import FormulaError
from engines.quantities import rounded_down
from engines.stencil.equations.accuracy import longest_step
from engines.stencil.equations.implicit.smoothing import FOLLOWED, smoothing_rate, told_of_smoothing
from engines.stencil.equations.language import GIVEN, KNOWN, PLACES, SIZES, System, expression, parse
from engines.stencil.equations.laws import WRAPPED, Law, Laws, Sides, exchange_law, gradient_law, value_law
from engines.stencil.equations.noise.strength import longest
from engines.stencil.equations.passes import Method, Plan, planned
from engines.stencil.equations.spatial import HERE, SPACINGS, cell_of
from engines.stencil.equations.stability import BACKWARDS, Limit, Linear, limit_of, states_of, with_corners
from engines.stencil.equations.typed.dimensions import PLAIN, Unit, check, check_formula, per_length, unit_of
from engines.stencil.equations.typed.forcing import told_of_times
from engines.stencil.equations.typed.passed import Passed
from engines.stencil.parameters import StencilParameters
from engines.stencil.parameters.equations import (
    Exchange,
    FieldSetting,
    HeldGradient,
    HeldValue,
    OwnEquations,
    OwnSides,
    offered,
)
from engines.stencil.parameters.sides import FixedGradient, FixedValue
from engines.stencil.setup.convection import carried
from engines.stencil.setup.grid import checked, grid_of
from engines.stencil.setup.limits import DEFAULT_SHARE, ROUNDING, STEP, check_memory
from engines.stencil.setup.noise import check_method, told_of_noise
from engines.stencil.setup.reaction import told_of_reactions
from engines.stencil.setup.starts import FIELDS, RANDOM, Start, begun_elsewhere, settings_of, unset

LINES, PARAMETERS = ("equation", "lines"), ("equation", "parameters")
SAMPLES = 4096
"""Cells in which fields are looked at before a run."""
MANY = 1 << 16
"""Cells in which a start is looked at that may be a small spot."""
NONLINEAR_SHARE = 0.7
"""The part of the stable step that is taken where it hangs on what the fields will have come to."""
FAR_LONGER = 20.0
"""From so many times on it is told that Runge and Kutta's steps would be longer."""
GROWING = 0.2
"""The step where nothing limits it, in units of the time that the fastest change takes."""


class TypedProblem:
    """Raises ProblemError for what cannot run.

    plan:         passes of a step; ``plan.system`` has the fields
    given:        parameters and sizes by name, as kernels take them
    laws:         of each field and stored name
    limit, step:  the largest stable time step, None where nothing limits it, and the one that is taken [s]
    """

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.parameters = checked(problem)
        equation = self.parameters.equation
        assert isinstance(equation, OwnEquations)
        self.equation = equation
        self.grid = grid_of(self.parameters)
        self.dtype = np.dtype(FLOAT_TYPES[self.parameters.numerics.precision])
        self.given = given_of(equation, self.grid.lengths, self.grid.spacing)
        numbers = tuple(each.name for each in equation.parameters)
        equal = len(set(self.grid.spacing)) == 1
        with _adding(equation):
            self.plan, self.linear = _read(
                tuple(equation.lines), numbers, equation.method, self.grid.dimensions, equal, _wraps(self.parameters)
            )
        self.settings = settings_of(equation, self.system)
        self._units = self._checked_units()
        check_memory(self.grid, self.arrays * self.dtype.itemsize, backend)
        with _adding(equation, (*self.system.fields, *self.system.shown, *self.system.stored)):
            self.starts = self._starts()
            self.laws = self._laws()
            self._check_sides()
        if equation.method == "IMEX":
            self._check_implicit()
        check_method(self.system, equation.method)
        self.stability = self.limit_with(self._states, self.given)
        self.limit = self.stability.step if 0 < self.stability.step < math.inf else None
        self.step, findings = self._chosen()
        told = carried(self._whole, self.system, self.grid.spacing, self._begin, self._known(self.given))
        self.findings = (
            *findings, *told_of_reactions(equation.method, self.step, self._reactions), *self._spreads_backwards(),
            *self._longer_by_runge_and_kutta(), *self._begun_elsewhere(), *unset(equation, self.system), *told,
            *told_of_noise(self.system, equation.method, self.step, *self._fastest),
            *told_of_smoothing(self._smoothing, self.step),
            *told_of_times(
                self.system, self.laws, self._place, equation.method, self.step, self.given,
                self.grid.centers(np.random.default_rng(0).integers(0, self.grid.n_cells, 3)),
            ),
        )  # fmt: skip

    @property
    def system(self) -> System:
        return self.plan.system

    @property
    def arrays(self) -> int:
        """Values per cell that the device holds."""
        each = 2 if self.plan.method == "Euler" else 4  # what is kept of the step before, stages of Runge and Kutta's
        solved = 1 if self.plan.diffusivities else 0  # a source; then two solvers' levels and, where D varies, faces
        for node in self.plan.diffusivities.values():
            varies = any(each.value in PLACES for each in ordered([node]))
            solved += 3 + 2 * (self.grid.dimensions + 1) * varies
        return solved + each * len(self.system.fields) + len(self.system.stored) + len(self.system.shown)

    def start(self, name: str) -> Array:
        """(grid.shape) of ``dtype``: where a field begins. Raises ProblemError."""
        values = self.starts[name].on(self.grid, self.given, self.dtype)
        if not np.isfinite(values).all():
            place = np.unravel_index(int(np.argmin(np.isfinite(values))), values.shape)[::-1]
            where = ", ".join(f"{(at + 0.5) * h:.3g}" for at, h in zip(place, self.grid.spacing, strict=True))
            raise ProblemError(
                f"The field '{name}' begins as no finite number at ({where}) mm: change its formula.",
                self._place(name, "start"),
            )
        return values

    def sides(self) -> Sides:
        return Sides(self.laws, self.grid.shape, self.grid.spacing)

    def _place(self, name: str, key: str) -> tuple[str | int, ...]:
        names = [each.name for each in self.equation.fields]
        return (*FIELDS, names.index(name), key) if name in names else LINES

    def _checked_units(self) -> Mapping[str, Unit | None]:
        """Of all names. Raises ProblemError for what is no unit, and for lines whose units differ."""
        units: dict[str, Unit | None] = {}
        given = [(PARAMETERS, number, row.name, row.unit) for number, row in enumerate(self.equation.parameters)]
        given += [(FIELDS, number, row.name, row.unit) for number, row in enumerate(self.equation.fields)]
        for place, number, name, unit in given:
            with placed_at(*place, number, "unit"):
                units[name] = unit_of(unit)
        with placed_at(*LINES):
            return check(self.system, units)

    def _starts(self) -> dict[str, Start]:
        found = {}
        for name in self.system.fields:
            setting = self.settings.get(name)
            where = f"The start of '{name}'"
            given = ("x", "y", "z", *SIZES)
            with placed_at(*self._place(name, "start")):
                node = expression(setting.start if setting else "0", self._numbers, RANDOM, given, where)
                check_formula(node, self._units.get(name), self._units, where)
                found[name] = Start(node, where)
        return found

    @property
    def _numbers(self) -> list[str]:
        return [each.name for each in self.equation.parameters]

    def _laws(self) -> Laws:
        found = [self._laws_of(name, self.settings.get(name)) for name in self.system.fields]
        for name in self.system.stored:
            if name in self.settings:
                found.append(self._laws_of(name, self.settings[name]))
            else:  # what leaves one field through a side enters the opposite one where all fields do
                found.append(
                    tuple(
                        (WRAPPED, WRAPPED) if all(axes[axis][0].wraps for axes in found[: len(self.system.fields)])
                        else (gradient_law(const(0.0), axis), gradient_law(const(0.0), axis))
                        for axis in range(self.grid.dimensions)
                    )
                )  # fmt: skip
        return tuple(found)

    def _laws_of(self, name: str, setting: FieldSetting | None) -> tuple[tuple[Law, Law], ...]:
        own = setting.sides if setting is not None and isinstance(setting.sides, OwnSides) else None
        sides, found = own or self.parameters.sides, []
        for axis, letter in enumerate("xyz"[: self.grid.dimensions]):
            pair = []
            for end in ("low", "high"):
                side = getattr(sides, f"{letter}_{end}")
                place = (*self._place(name, "sides"), f"{letter}_{end}") if own else ("sides", f"{letter}_{end}")
                with placed_at(*place):
                    one = self._units.get(name)
                    pair.append(self._law(side, axis, one, f"What holds for '{name}' at {letter} {end}"))
            if pair[0].wraps != pair[1].wraps:
                raise ProblemError(
                    f"One side of '{name}' along {letter} is periodic and the other is not: make both "
                    "periodic or neither.",
                    place,
                )
            found.append((pair[0], pair[1]))
        return tuple(found)

    def _law(self, side: Any, axis: int, one: Unit | None, where: str) -> Law:
        def read(text: str, wanted: Unit | None) -> Node:
            node = expression(text, self._numbers, {}, GIVEN, where)
            check_formula(node, wanted, self._units, where)
            return node

        match side:
            case FixedValue():
                return value_law(const(side.value))
            case FixedGradient():
                return gradient_law(const(side.gradient), axis)
            case HeldValue():
                return value_law(read(side.value, one))
            case HeldGradient():
                return gradient_law(read(side.gradient, per_length(one, 1)), axis)
            case Exchange():
                return exchange_law(read(side.coefficient, per_length(PLAIN, 1)), read(side.outside, one), axis)
        return WRAPPED

    def _check_sides(self) -> None:
        """Raises ProblemError for what is no number, and for an exchange below 0, as the run begins."""
        sides = self.sides()
        numbers = sides.numbers({**self.given, "t": 0.0})
        for row, name in enumerate((*self.system.fields, *self.system.stored)):
            for axis, pair in enumerate(self.laws[row]):
                for side, law in enumerate(pair):
                    found, end = numbers[sides.at(row, axis, side)], ("low", "high")[side]
                    place = (*self._place(name, "sides"), f"{'xyz'[axis]}_{end}")
                    where = f"What holds for '{name}' at {'xyz'[axis]} {end}"
                    if not law.wraps and not np.isfinite(found).all():
                        raise ProblemError(f"{where} is no finite number as the run begins: change it.", place)
                    if not (np.abs(found[..., 0]) <= 1).all():  # (1 − ah/2)/(1 + ah/2)
                        raise ProblemError(f"{where} has an exchange a below 0: a is 0 or more.", place)

    def _check_implicit(self) -> None:
        """Raises ProblemError where diffusion cannot be solved for."""
        method = ("equation", "method")
        other = Remedy("Take Runge-Kutta", {method: "RK4"})
        if not self.plan.diffusivities:
            raise ProblemError(
                "No line has diffusion that can be implicit: write it as D*laplacian(u) with a D of parameters, or as "
                "div(D*grad(u)) with one of the place, in the line of u, or take another method.",
                method,
                other,
            )
        for row, value in self.plan.diffusivities_with({**self.given, **self._spread_places}).items():
            name = self.system.fields[row]
            if not np.min(value) >= 0:
                raise ProblemError(f"The diffusivity of '{name}' is {np.min(value):g}: it cannot be below 0.", LINES)
            for law in chain.from_iterable(self.laws[row]):
                if any(node.value in ("t", *PLACES) for node in ordered([law.scale])):
                    raise ProblemError(
                        f"Where the diffusion of '{name}' is implicit an exchange a does not hang on t or the place: "
                        "change it, or take another method.",
                        self._place(name, "sides"),
                        other,
                    )

    def limit_with(
        self, states: Mapping[str, Array], given: Mapping[str, float], method: Method | None = None
    ) -> Limit:
        """Which step is stable near these states (``stability.states_of``) with these parameters and sizes, by the
        method that is taken unless one is given."""
        known = {**given, **self._spread_places} if self.plan.diffusivities else given
        if any(np.min(value) < 0 for value in self.plan.diffusivities_with(known).values()):
            return Limit(0.0, 0.0, 0.0, self.system.fields[0])
        return limit_of(self.linear, method or self.plan.method, states, self._known(given))

    def off_with(self, states: Mapping[str, Array], given: Mapping[str, float]) -> tuple[Finding, ...]:
        """What the steps are off with other parameters, in states that a run has come to."""
        return told_of_reactions(self.plan.method, self.step, self._reacting(states, given), "as the fields are now")

    def _reacting(self, states: Mapping[str, Array], given: Mapping[str, float]) -> Array:
        """(n,) [1/s] complex: at what rates reactions change the fields in these states."""
        return self.linear.reactions(states, self._known(given)).reshape(-1)

    @property
    def passed(self) -> Passed:
        """Judges the states that a run came to."""
        return Passed(self.plan.method, self.step, self._reactions, self.limit_with, self._reacting)

    @property
    def _fastest(self) -> tuple[float, float]:
        """[1/s]: of what is explicit, and of the diffusion that is implicit."""
        largest = max((float(np.max(value)) for value in self._implicit), default=0.0)
        return self.stability.fastest, 4.0 * largest * sum(1.0 / h**2 for h in self.grid.spacing)

    @property
    def _implicit(self) -> Collection[Array]:
        """Diffusivities [mm²/s] of what is implicit."""
        return self.plan.diffusivities_with({**self.given, **self._spread_places}).values()

    @cached_property
    def _smoothing(self) -> dict[str, float]:
        """[1/s] by field: how fast implicit diffusion smooths what it begins with, unless that is drawn."""
        count = self.grid.n_cells
        some = np.arange(count) if count <= MANY else np.random.default_rng(1).integers(0, count, MANY)
        places = self.grid.centers(some)
        spread, found = self.plan.diffusivities_with({**self.given, **dict(zip("xyz", places.T, strict=True))}), {}
        for row, value in spread.items():
            name = self.system.fields[row]
            if not self.starts[name].is_drawn:
                at = partial(self.starts[name].at, given=self.given)
                found[name] = smoothing_rate(at, places, self.grid.spacing, value)
        return found

    def _known(self, given: Mapping[str, float]) -> dict[str, float]:
        return {**given, "t": 0.0, "@dt": 1.0, "@share": 1.0}

    @property
    def _whole(self) -> Linear:
        """With the diffusion that is implicit."""
        equal = len(set(self.grid.spacing)) == 1
        return Linear(self.system, self.grid.dimensions, equal) if self.plan.diffusivities else self.linear

    @cached_property
    def _spread_places(self) -> dict[str, Array]:
        """x, y (and z) [mm] of the cells, as arrays that spread over the grid."""
        axes = [self.grid.centers_along(axis).reshape([-1, *[1] * axis]) for axis in range(self.grid.dimensions)]
        return {"z": np.zeros(1), **dict(zip(PLACES, axes, strict=False))}

    @cached_property
    def _states(self) -> dict[str, Array]:
        """Where the fields begin, and the ends of their ranges."""
        places = self.grid.centers(np.random.default_rng(0).integers(0, self.grid.n_cells, SAMPLES))
        fields = {name: start.at(places, self.given) for name, start in self.starts.items()}
        states, ranges = states_of(fields, places), {}
        for each in self.linear.beside:
            name, offset = cell_of(each) or ("", HERE)
            moved = places + np.multiply(offset, (*self.grid.spacing, 1.0)[:3])
            states[each] = np.nan_to_num(self.starts[name].at(moved, self.given))
        for name, values in fields.items():
            setting = self.settings.get(name)
            low, high = (None, None) if setting is None else (setting.low, setting.high)
            ranges[name] = (
                float(np.nanmin(values)) if low is None else low, float(np.nanmax(values)) if high is None else high,
            )  # fmt: skip
        return with_corners(states, ranges)

    @property
    def _begin(self) -> dict[str, Array]:
        """The states without the ends of ranges."""
        return {name: values[:SAMPLES] for name, values in self._states.items()}

    @cached_property
    def _reactions(self) -> Array:
        """Those where the fields begin."""
        return self._reacting(self._begin, self.given)

    def _longer_by_runge_and_kutta(self) -> tuple[Finding, ...]:
        """Of waves that hardly decay, which one pass a step takes in steps that are far too short."""
        limit = self.stability.step
        if self.plan.method not in ("Euler", "AB2") or not 0 < limit < math.inf:
            return ()
        if self.system.noise:
            return ()
        times = self.limit_with(self._states, self.given, "RK4").step / limit
        if times < FAR_LONGER:
            return ()
        remedy = Remedy("Take Runge-Kutta", {("equation", "method"): "RK4"})
        text = (
            f"Waves of '{self.stability.field}' hardly decay, which makes stable steps short: those of Runge-Kutta's "
            f"method may be {rounded_down(times, 2):g} times as long, at some 7 times the cost of one."
        )
        return (Finding(text, place=("equation", "method"), remedy=remedy),)

    def _spreads_backwards(self) -> tuple[Finding, ...]:
        """Where the fields begin; the ends of ranges may never be come to."""
        if not self.stability.backwards or not (field := self.limit_with(self._begin, self.given).backwards):
            return ()
        told = BACKWARDS.format(field=field)
        return (Finding(told[0].upper() + told[1:], place=LINES, distorts=True),)

    def _begun_elsewhere(self) -> tuple[Finding, ...]:
        own = [name for name, setting in self.settings.items() if isinstance(setting.sides, OwnSides)]
        as_the_grid = {name: start for name, start in self.starts.items() if name not in own}
        return begun_elsewhere(as_the_grid, self.parameters.sides, self.grid, self.given)

    def _chosen(self) -> tuple[float, tuple[Finding, ...]]:
        """The step, and what its owner should know of it."""
        found, limit, wanted = self.stability, self.stability.step, self.parameters.numerics.step
        if limit == 0.0:
            method = {
                "Euler": "explicit Euler",
                "AB2": "Adams and Bashforth's method",
                "IMEX": "a method that takes diffusion alone implicitly",
            }[self.plan.method]
            sentence = f"Waves of '{found.field}' do not decay, and {method} makes them grow at any step: "
            if self.system.noise:
                raise ProblemError(f"{sentence}give them friction, as '- 0.1*w_t' in the line of w.", LINES)
            raise ProblemError(
                f"{sentence}take Runge-Kutta's method.", ("equation", "method"),
                Remedy("Take Runge-Kutta", {("equation", "method"): "RK4"}),
            )  # fmt: skip
        automatic = self._automatic()
        if not 0.0 < automatic < math.inf:
            raise ProblemError("No time step is short enough: look at the parameters, or take larger cells.", LINES)
        if wanted is None:
            return automatic, ()
        if wanted <= limit * (1 + ROUNDING):
            return wanted, ()
        chosen = Remedy("Let the step be chosen", {STEP: None})
        if self.parameters.numerics.lower_step:
            text = f"The time step of {wanted:g} s is not stable: {automatic:.4g} s is taken instead."
            return automatic, (Finding(text, place=STEP, remedy=chosen),)
        raise ProblemError(
            f"The time step of {wanted:g} s is above {rounded_down(limit, 3):g} s, up to which steps are stable where "
            f"the fields begin ('{found.field}' limits it): use a smaller one, or none to have it chosen.",
            STEP,
            chosen,
        )

    def _automatic(self) -> float:
        """The step where none is set: stable, and short enough for what reacts, grows or spreads across the grid."""
        found, method = self.stability, self.plan.method
        if math.isfinite(found.step):
            step = (DEFAULT_SHARE if self.linear.constant else NONLINEAR_SHARE) * found.step
        else:
            step = GROWING / found.fastest if found.fastest else 1.0
        if self.system.noise and method != "IMEX" and found.fastest > 0:
            step = min(step, longest(method) / found.fastest)
        if found.growth > 0:
            step = min(step, max(GROWING / found.growth, 1e-3 * step))
        spread = max((float(np.mean(value)) for value in self._implicit), default=0.0)
        if spread > 0:  # of the longest wave between closed sides
            step = min(step, GROWING / spread * (max(self.grid.lengths) / math.pi) ** 2)
        if any(rate > 0 for rate in self._smoothing.values()):
            step = min(step, FOLLOWED / max(self._smoothing.values()))
        return min(step, longest_step(method, self._reactions))


def given_of(equation: OwnEquations, lengths: Sequence[float], spacing: Sequence[float]) -> dict[str, float]:
    """Parameters, sizes of the grid and of its cells [mm] by name. Raises ProblemError for a name that is none."""
    found: dict[str, float] = {}
    for number, each in enumerate(equation.parameters):
        place = (*PARAMETERS, number, "name")
        if not each.name.isidentifier() or each.name in (*GIVEN, *KNOWN, "pi"):
            raise ProblemError(
                f"'{each.name}' cannot name a parameter: use letters, digits and _, and no name that is known.", place
            )
        if each.name in found:
            raise ProblemError(f"Two parameters are called '{each.name}': rename one of them.", place)
        found[each.name] = each.value
    sizes = {name: (*lengths, 1.0)[axis] for axis, name in enumerate(SIZES)}
    return {**found, **sizes, **{name: (*spacing, 1.0)[axis] for axis, name in enumerate(SPACINGS)}}


@contextmanager
def _adding(equation: OwnEquations, taken: Collection[str] = ()) -> Iterator[None]:
    """A name that is not known can be one more parameter, unless it has a meaning elsewhere: the error offers it, with
    all others of the lines."""
    try:
        yield
    except FormulaError as error:
        found = offered(equation.lines, equation.parameters, (), (error.unknown,), taken)
        if found is not None:
            error.remedy = Remedy(found[0], {PARAMETERS: found[1]["parameters"]})
        raise


@lru_cache(maxsize=16)
def _read(
    lines: tuple[str, ...], numbers: tuple[str, ...], method: Method, dimensions: int, equal: bool,
    wraps: tuple[bool, ...],
) -> tuple[Plan, Linear]:  # fmt: skip
    with placed_at(*LINES):
        system = parse(lines, numbers)
        plan = planned(system, method, dimensions, equal, wraps)
        return plan, Linear(plan.explicit, dimensions, equal)


def _wraps(parameters: StencilParameters) -> tuple[bool, ...]:
    """The axes along which all fields are periodic."""
    rows = parameters.equation.fields if isinstance(parameters.equation, OwnEquations) else []
    sides = [row.sides if isinstance(row.sides, OwnSides) else parameters.sides for row in rows] or [parameters.sides]
    return tuple(all(getattr(each, f"{axis}_low").kind == "periodic" for each in sides) for axis in PLACES)
