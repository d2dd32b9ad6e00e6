"""Explicit steps of typed equations on either device: which passes are taken in which order, over which arrays."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.formulas.graph import ordered
from engines.stencil.equations.implicit.solving import ImplicitDiffusion, implicit_traffic
from engines.stencil.equations.laws import Sides
from engines.stencil.equations.passes import Pass, Plan
from engines.stencil.equations.spatial import AXES, SPACINGS


class Explicit(ABC):
    """Steps of all fields of a plan.

    shape:    (ny, nx) or (nz, ny, nx)
    given:    parameters and sizes by name; replace it to change parameters between steps
    sides:    what holds at the sides of each field and stored name
    fields:   (fields, nz, ny, nx) on the device, the present state; another array after steps of one pass
    memory:   as ``fields``: what the next step needs of this one (g of ``passes.py``), by methods that need it; another
              array after steps
    seed:     of white noise
    anew:     whether the next step is to be taken as if it were the first: fields have been changed from outside
    stored:   (stored names, nz, ny, nx): as they were at the last stage
    whole:    first and number of rows, and of planes, in the grid that this is a part of; that they are all
    arrive:   called with the fields before others are read: what neighbours have of a part is put beside it

    Call :meth:`advance` and :meth:`show` inside ``backend.timed`` or ``active``.
    """

    def __init__(
        self, backend: Backend, shape: Sequence[int], plan: Plan, sides: Sides, given: Mapping[str, float],
        dt: float, precision: str,
    ) -> None:  # fmt: skip
        self.plan, self.sides, self.dt = plan, sides, dt
        self.given: Mapping[str, float] = dict(given)
        self.dtype = np.dtype(precision)
        self.box = (1, *shape)[-3:]
        self.whole = 0, self.box[1], 0, self.box[0]
        self.arrive: Callable[[Any], None] | None = None
        self._backend = backend
        rows, each = len(plan.system.fields), 2 if plan.remembers else 1
        self._now = backend.empty((each * rows, *self.box), self.dtype)
        count = 1 if len(plan.stages) == 1 else 3
        self._banks = [backend.empty((each * rows, *self.box), self.dtype) for _ in range(count)]
        self.stored = backend.empty((max(1, len(plan.system.stored)), *self.box), self.dtype)
        self._shown: Any = None
        self.traffic = traffic(plan, shape, self.dtype)
        self.anew, self.seed = False, 0
        self._implicit: ImplicitDiffusion | None = None
        if plan.diffusivities:
            spacing = [given[name] for name in SPACINGS[: len(shape)]]
            self._implicit = ImplicitDiffusion(backend, shape, spacing, plan, sides, self.dtype.name)
        self._time_at_sides = sides.uses("t")

    @property
    def fields(self) -> Any:
        return self._now[: len(self.plan.system.fields)]

    @property
    def memory(self) -> Any:
        return self._now[len(self.plan.system.fields) :]

    def begin(self, starts: Sequence[Array]) -> None:
        """The fields are these, (ny, nx) or (nz, ny, nx) each."""
        with self._backend.active():
            self.memory[...] = 0
            for row, values in enumerate(starts):
                self.fields[row] = self._backend.array(values.astype(self.dtype).reshape(self.box))

    def compile(self) -> None:
        """Have the kernels of a step compiled, and their launches measured, by a step of whatever the arrays hold:
        comes before :meth:`begin`."""
        self.advance(0, 1)

    @abstractmethod
    def sweep(self, one: Pass, arrays: Sequence[Any], numbers: Array, laws: Any, step: int = 0) -> None:
        """Put a pass on the device. arrays: what is read with neighbours (fields, stored names), then u, a and b of the
        cell itself, then what is written; numbers: (numbers,) float64; laws: what :meth:`laws` made; step: whose noise
        it draws"""

    @abstractmethod
    def laws(self, numbers: Array) -> Any:
        """Numbers of the sides, (n, 2) float64, as :meth:`sweep` takes them."""

    def sweeps(self) -> list[tuple[int, Pass, list[Any]]]:
        """Of the next step: of each the stage, and arrays as of :meth:`sweep`."""
        single = len(self.plan.stages) == 1
        targets = self._banks if single else [*self._banks, self.fields]
        base = now = self.fields
        rest = [self.memory, self.memory] if self.plan.remembers else self._banks[:2]
        found = []
        for stage, (_, storing, going) in enumerate(self.plan.stages):
            for one in (*storing, going):
                beside = [base, *rest] if one.beside else (now,) * 3
                found.append((stage, one, [now, self.stored, *beside, self.stored if one.stores else targets[stage]]))
            now = targets[stage]
        return found

    def turn(self) -> None:
        """What a step of one stage has written becomes what the next one reads."""
        if len(self.plan.stages) == 1:
            self._now, self._banks[0] = self._banks[0], self._now

    def usual(self) -> list[Array]:
        """Numbers of :meth:`sweeps` in every step but the first, where they do not hang on time."""
        return self.numbers(0)

    def numbers(self, step: int) -> list[Array]:
        """Numbers of :meth:`sweeps` in a step that is not the first."""
        return [
            one.values(self._known((step + self.plan.stages[stage][0]) * self.dt, self.plan.share(stage, False)))
            for stage, one, _ in self.sweeps()
        ]

    @cached_property
    def timed(self) -> bool:
        """Whether numbers of passes hang on time."""
        return any(one.uses("t") for one in self.plan.passes)

    def advance(self, step: int, steps: int) -> None:
        """Take ``steps`` steps, the first of them from ``step``."""
        laws, usual = self._laws(step * self.dt), self.usual()
        for number in range(step, step + steps):
            first, self.anew = number == 0 or self.anew, False
            if self.arrive is not None:
                self.arrive(self.fields)
            for place, (stage, one, arrays) in enumerate(self.sweeps()):
                known = self._known((number + self.plan.stages[stage][0]) * self.dt, self.plan.share(stage, first))
                if self._time_at_sides:
                    laws = self._laws(known["t"])
                self.sweep(one, arrays, one.values(known) if self.timed or first else usual[place], laws, number)
            if self._implicit is not None:
                shorter = self.dt if first else self.dt * 2 / 3
                with np.errstate(all="ignore"):  # a run tells where fields are no numbers any more
                    self._implicit.solve(arrays[-1], shorter, (number + 1) * self.dt, self.given)
            self.turn()

    def show(self, step: int) -> Any:
        """(names, nz, ny, nx) on the device: the names of the lines, of the present fields."""
        known = self._known(step * self.dt, 1.0)
        if self.arrive is not None:
            self.arrive(self.fields)
        if self._shown is None:
            self._shown = self._backend.empty((len(self.plan.system.shown), *self.box), self.dtype)
        for one in self.plan.showing:
            target = self.stored if one.stores else self._shown
            self.sweep(
                one, [self.fields, self.stored, *(self.fields,) * 3, target], one.values(known), self._laws(known["t"])
            )
        return self._shown

    def _known(self, time: float, share: float) -> dict[str, float]:
        return {**self.given, "t": time, "@dt": self.dt, "@share": share}

    def _laws(self, time: float) -> Any:
        return self.laws(self.sides.numbers(self._known(time, 1.0)))


EXPLICIT = Twins[Explicit](__package__, cpu="cpu:CpuExplicit", cuda="cuda:CudaExplicit")
"""Steps of typed equations; arguments as in :class:`Explicit`."""


def traffic(plan: Plan, shape: Sequence[int], dtype: Any) -> KernelTraffic:
    """Per step: each array that a pass reads once, each that it writes once; and the solves of implicit diffusion."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    read, written = (sum(getattr(one, name) for one in plan.passes) for name in ("arrays_read", "arrays_written"))
    flops = math.prod(shape) * sum(one.flops for one in plan.passes)
    read, written = read * size, written * size
    if plan.diffusivities:
        for node in plan.diffusivities.values():
            one = implicit_traffic(shape, any(each.value in AXES for each in ordered([node])), dtype)
            read, written, flops = read + one.bytes_read, written + one.bytes_written, flops + one.flops
    return KernelTraffic("equations", read, written, flops)
