"""Typed equations as a simulation: every field is painted, parameters change live, names of lines are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array, Dab, FieldInfo, Finding, NonFinite, PaintInfo, Selection, SeriesInfo
from engines.api.abilities import Underneath
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.formulas.graph import ordered
from engines.geometry.grid import Grid
from engines.quantities import rounded_down
from engines.stencil.equations.explicit import Explicit
from engines.stencil.equations.spatial import FIRST
from engines.stencil.equations.stability import BACKWARDS, Limit, states_of
from engines.stencil.equations.typed.passed import Look, shorter
from engines.stencil.setup.limits import ROUNDING
from engines.stencil.step.painting import paint, put_back, underneath
from engines.stencil.step.simulation import GridSimulation

LOOKED_AT = 4096
"""Cells in which a run is looked at when a parameter changes."""
PARAMETERS = "equation.parameters"
BEFORE = "before of "
"""Before the name of a field: what its next step needs of the last one, in checkpoints."""
MOST_SEEN = 32
"""Moments that are kept, to say when steps became too long; of more every second one is forgotten."""


class TypedSimulation(GridSimulation):
    """``limit_of`` says which step is stable with these parameters in states of these cells, ``off_with`` what its
    steps are off, and ``passed`` what they were in states that the run came to.

    own:   what of an array of the steps is this simulation's, where others are beside it
    least: of what all parts of a problem say
    """

    def __init__(
        self,
        backend: Backend,
        grid: Grid,
        dt: float,
        explicit: Explicit,
        infos: tuple[tuple[FieldInfo, ...], tuple[PaintInfo, ...]],
        parameters: tuple[str, ...],
        limit_of: Callable[[Mapping[str, Array], Mapping[str, float]], Limit],
        off_with: Callable[[Mapping[str, Array], Mapping[str, float]], tuple[Finding, ...]],
        passed: Callable[[Sequence[Look]], tuple[Finding, ...]],
        own: Callable[[Any], Any] | None = None,
        least: Callable[[float], float] = float,
    ) -> None:
        self._explicit, self._parameters, self._limit_of = explicit, parameters, limit_of
        self._off_with, self._passed, self._begun_with = off_with, passed, explicit.given
        self._off: tuple[Finding, ...] = ()
        self._own, self._least = own or (lambda values: values.reshape(grid.shape)), least
        self._shown_at = -1
        self._seen: list[Look] = []
        super().__init__(backend, grid, dt, infos[0], {})
        self._view()
        self.brushes = infos[1]
        self.traffic = (explicit.traffic,)
        system = explicit.plan.system
        self.series = tuple(
            SeriesInfo(f"{kind}:{name}", f"{title} {name}", "")
            for name in (*system.fields, *system.shown)
            for kind, title in (("content", "Total of"), ("largest", "Largest"))
        )
        drawn = np.random.default_rng(0).integers(0, grid.n_cells, min(LOOKED_AT, grid.n_cells))
        self._cells = np.unique(drawn).astype(np.int32)
        self._selection = backend.select(Selection(self._cells))

    def _view(self) -> None:
        """The present arrays, which change places in methods of one pass: fields, and what is kept of a step."""
        fields = self._explicit.fields
        self.arrays.update({name: self._own(fields[row]) for row, name in enumerate(self._names)})
        if self._explicit.plan.remembers:
            kept = zip(self._names, self._explicit.memory, strict=True)
            self.arrays.update({f"{BEFORE}{name}": self._own(values) for name, values in kept})

    @property
    def _names(self) -> tuple[str, ...]:
        return self._explicit.plan.system.fields

    def take(self, steps: int) -> None:
        with self.backend.timed(self.traffic[0].kernel, launches=steps):
            self._explicit.advance(self.step, steps)
        self._view()
        self._shown_at = -1

    def values(self, name: str) -> Any:
        shown = list(self._explicit.plan.system.shown)
        if name not in shown:
            return super().values(name)
        if self._shown_at != self.step:
            with self.backend.active():
                self._shown = self._explicit.show(self.step)
            self._shown_at = self.step
        return self._own(self._shown[shown.index(name)])

    def observe(self) -> Mapping[str, float]:
        self._seen.append(self._look())
        if len(self._seen) > MOST_SEEN:
            del self._seen[1::2]
        found: dict[str, float] = {}
        for name in (*self._names, *self._explicit.plan.system.shown):
            content = self.content(name)
            found |= {f"{kind}:{name}": content[kind] for kind in ("content", "largest")}
        for name in self._explicit.plan.system.shown:  # the others are looked at by ``non_finite``
            if self.beyond is None and (values := self.values(name)).dtype == np.float64:
                self.wrong_in(f"The field '{name}'", values)
        return found

    def content(self, name: str) -> dict[str, float]:
        if name not in self.arrays:
            self.arrays, before = {**self.arrays, name: self.values(name)}, self.arrays
            found, self.arrays = super().content(name), before
            return found
        return super().content(name)

    # --- what a person does to it ------------------------------------------------------------------------------------

    def paint(self, dab: Dab) -> None:
        paint(self.backend, self.geometry, self.arrays[dab.brush], dab, rest=0.0)
        self._explicit.anew = True
        self._shown_at = -1

    def underneath(self, dab: Dab, first: bool) -> Underneath:
        return underneath(self.backend, self.geometry, self.arrays[dab.brush], dab, lasts=False)

    def put_back(self, under: Underneath) -> None:
        put_back(self.backend, self.arrays[under.brush], under)
        self._explicit.anew = True
        self._shown_at = -1

    def set_control(self, name: str, value: Any) -> None:
        if name == PARAMETERS:
            if tuple(each["name"] for each in value) != self._parameters:
                raise _waits(name)
            self._change({each["name"]: float(each["value"]) for each in value})
            return
        number, _, part = name.removeprefix(f"{PARAMETERS}.").partition(".")
        if not name.startswith(f"{PARAMETERS}.") or not number.isdigit():
            super().set_control(name, value)
        if part not in ("value", "low", "high"):
            raise _waits(name)
        if part == "value":
            self._change({self._parameters[int(number)]: float(value)})

    def _change(self, numbers: Mapping[str, float]) -> None:
        """Raises ProblemError, and changes nothing, where the time step would not be stable."""
        given = {**self._explicit.given, **numbers}
        if all(self._explicit.given[name] == value for name, value in numbers.items()):
            return
        found = self._limit_of(self._states(), given)
        limit = self._least(-1.0 if found.backwards else found.step)  # of all parts, which must all say the same
        told = ", ".join(
            f"{name} = {value:g}" for name, value in numbers.items() if self._explicit.given[name] != value
        )
        if limit < 0:
            raise ProblemError(f"With {told} {BACKWARDS.format(field=found.backwards or self._names[0])}")
        if self.dt > limit * (1 + ROUNDING):
            advice = f"take one of at most {rounded_down(limit, 3):g} s" if limit > 0 else "take Runge-Kutta's method"
            raise ProblemError(f"With {told} the time step of {self.dt:.3g} s is not stable: {advice}, and reset.")
        self._explicit.given = given
        self._shown_at = -1
        self._heed()

    def _heed(self) -> None:
        """Of the parameters that the run began with the estimate has told it."""
        given = self._explicit.given
        self._off = () if given == self._begun_with else self._off_with(self._states(), given)

    def of_changes(self) -> tuple[Finding, ...]:
        return self._off

    def noticed(self) -> Sequence[Finding]:
        return self._passed((*self._seen, self._look()))

    def _look(self) -> Look:
        return Look(self.time, self._states(), self._explicit.given)

    def _states(self) -> dict[str, Array]:
        fields = {name: self.backend.gather(self.arrays[name].reshape(-1), self._selection) for name in self._names}
        return states_of(fields, self.geometry.centers(self._cells))

    # --- its state ---------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Array]:
        given = self._explicit.given
        anew = {"anew": np.array(self._explicit.anew)} if self._explicit.plan.remembers else {}
        return {**super().state(), **anew, "parameters": np.array([given[name] for name in self._parameters])}

    def restore(self, state: Mapping[str, Array]) -> None:
        super().restore(state)
        self._seen.clear()
        self._explicit.anew = bool(state.get("anew", False))
        numbers = dict(zip(self._parameters, map(float, state["parameters"]), strict=True))
        self._explicit.given = {**self._explicit.given, **numbers}
        self._shown_at = -1
        self._heed()

    def non_finite(self) -> NonFinite | None:
        """Which field, where, when, and what to change."""
        for name in self._names:
            found = self.wrong_in(f"The field '{name}'", self.arrays[name])
            if found is not None:
                where = self.geometry.centers(np.array([found.element]))[0][: self.geometry.dimensions]
                at = ", ".join(f"{along:.4g}" for along in where)
                return NonFinite(
                    f"The field '{name}' at ({at}) mm, t = {self.time:.4g} s,", found.element, self._advice(name)
                )
        return None

    def _advice(self, name: str) -> str:
        """By when steps ceased to be stable, as far as the run was looked at."""
        grows = f"look for terms that make '{name}' grow without bound"
        for time, states, given in self._seen:
            found = self._limit_of(states, given)
            if found.backwards:
                return BACKWARDS.format(field=found.backwards)
            if self.dt > (limit := found.step):
                better = f"of at most {shorter(limit, self.dt):g} s" if limit > 0 else "by Runge-Kutta's method"
                return f"take steps {better}, for those of {self.dt:.3g} s are not stable from t = {time:.4g} s on."
        rates = self._explicit.plan.system.rates.values()
        if any(node.op in FIRST for node in ordered(list(rates))):
            grows += (
                ", or for fronts that are thinner than a cell (more diffusion, smaller cells or 'upwind' keep them)"
            )
        return f"{grows}, or use a smaller time step than {self.dt:.3g} s."


def _waits(name: str) -> ProblemError:
    return ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
