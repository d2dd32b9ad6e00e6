"""A pack: the cells' electrochemistry and the heat between them, step by step.

A step of the time ``dt``, of first order in it:

1. the cells at their temperatures of the step's start, with currents that satisfy the wiring at its end;
2. the heat of each, I (U − V) − I T dU/dT, constant over the step, in its voxels;
3. each cell's temperature becomes the mean of its voxels.

The kernel of the cells is used as it is: with its lumped heat, no cooling and a heat capacity of its own choosing, the
temperature that it returns tells the heat of the step; then it is overwritten. Each cell's current comes from the
drive cycle, in which it stands at the place of its own number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.errors import InstabilityError
from engines.battery.cells.step.cells import CELLS, Cells
from engines.battery.pack.heat import Heat
from engines.battery.pack.wiring import Demand, Lines, shared
from engines.battery.parameter_sets import ParameterSet
from engines.battery.protocol.instructions import LONGEST, Instruction, Kind, check_places
from engines.battery.step.cell_rows import Row

KELVIN_PER_WATT = 10.0
"""By which the kernel's temperature moves in a step for each watt: float32 then tells 1e-7 W."""
TOLERANCE = {"float32": 4e-6, "float64": 1e-9}
"""Largest error of a voltage in the network [V]: some eight units of the last place of 4 V in float32."""
DIRECT_PASSES, MOST_PASSES = 8, 60
"""By the last two points alone; and by all points of the step."""
UNRESOLVED = 1e-3
"""From here on [V] a step has no answer, unless a cell is at the end of its instruction."""
TELLING = {"float32": 1e-4, "float64": 1e-7}
"""A change of voltage [V] from which on a slope is to be had."""
VOXEL_SECONDS, ELEMENT_SECONDS = 0.9e-9, 0.12e-6
"""[s] of one core for a stage of the heat in a voxel, and for a cell's step."""
TYPICAL_RESISTANCE = 0.15
"""Of a cell times its capacity [Ω A h]; a first guess."""


@dataclass(frozen=True)
class Wiring:
    """Elements are numbered by group: ``series`` groups of ``parallel`` cells of ``segments`` elements each."""

    series: int
    parallel: int
    segments: int

    @property
    def in_group(self) -> int:
        return self.parallel * self.segments

    @property
    def elements(self) -> int:
        return self.series * self.in_group


class CoupledPack:
    """Cells, wired, in a body of heat. ``plan`` and ``drive`` are those of one cell; voltages end an instruction when
    one element meets them."""

    def __init__(
        self,
        backend: Backend,
        parameters: ParameterSet,
        scalars: Mapping[str, Any],
        plan: Sequence[Instruction],
        drive: Array | None,
        wiring: Wiring,
        heat: Heat,
        *,
        electrolyte: bool,
        precision: str,
    ) -> None:
        """``scalars``: (elements,) or numbers, of elements."""
        self.backend, self.heat, self.wiring, self.plan = backend, heat, wiring, list(plan)
        self.dt, self._drive = heat.step, drive
        n = wiring.elements
        self.cells: Cells = CELLS.open(
            backend,
            parameters,
            [Instruction(Kind.DRIVE, 0.0, LONGEST)],
            self.dt,
            {
                **scalars,
                "contact_resistance": np.broadcast_to(np.asarray(scalars["contact_resistance"], float), n),
                "heat_capacity": self.dt / KELVIN_PER_WATT,
                **dict.fromkeys(("heat_transfer_coefficient", "cooling_area"), 0.0),  # also where a set has none
            },
            electrolyte=electrolyte,
            thermal=True,
            precision=precision,
            drive=np.zeros(n),
        )
        self._places = backend.array(np.arange(n).astype(self.cells.dtype))
        self._before = backend.empty(self.cells.state.shape, self.cells.dtype)
        capacity = parameters.values()["nominal_capacity"]
        self.lines = Lines(
            wiring.series,
            wiring.in_group,
            TYPICAL_RESISTANCE / capacity * wiring.segments,
            TELLING[self.cells.dtype.name],
        )
        self.factor = 1.0
        self.instruction = self.elapsed = 0
        self._rise = 0.0
        self.passes, self.apart = 0, 0.0
        """Of the wiring in the last step, and by how much voltages missed it then [V]."""
        self.currents, self.power = np.zeros(n), np.zeros(n)
        self._cores_of_cells = backend.cores_for(ELEMENT_SECONDS * wiring.elements)
        self._cores_of_heat = backend.cores_for(VOXEL_SECONDS * math.prod(heat.shape))
        self.warmth, self.voltages = self._read(Row.WARMTH), self._read(Row.VOLTAGE)

    @property
    def finished(self) -> bool:
        return self.instruction >= len(self.plan)

    @property
    def exhausted(self) -> int | None:
        """The first element whose electrolyte has no salt left somewhere."""
        if not self.cells.electrolyte:
            return None
        empty = self.cells.exhausted()
        return int(empty[0]) if len(empty) else None

    @property
    def current(self) -> float:
        """Of the pack [A], positive in discharge."""
        return float(self.currents[: self.wiring.in_group].sum())

    @property
    def voltage(self) -> float:
        """Of the pack [V]: the groups' one after the other."""
        return float(self.voltages.reshape(self.wiring.series, -1).mean(axis=1).sum())

    def advance(self, step: int) -> None:
        """One step from ``step`` on. When the protocol is through the cells stay as they are, and cool."""
        if self.finished:
            self.currents, self.power = np.zeros_like(self.currents), np.zeros_like(self.power)
        else:
            with self.backend.timed("cells"), self._cores_of_cells:
                self._electrochemistry(step)
        with self.backend.timed("heat"), self._cores_of_heat:
            self.heat.advance(self.power)
            self.warmth = self.heat.means()

    def _electrochemistry(self, step: int) -> None:
        order, before = self.plan[self.instruction], (self.voltages, self.currents)
        demand, rise = self._demand(order)
        self._rise = rise / self.wiring.in_group  # taken alike by all that stand side by side
        self.cells.state[int(Row.WARMTH), : self.cells.n_cells] = self._on_device(self.warmth)
        self.cells.state[int(Row.ELAPSED), : self.cells.n_cells] = self._places
        if self.wiring.in_group == 1 and demand.kind == Kind.CURRENT:
            self.currents = np.full(self.wiring.elements, demand.value)
            self._try(step, self.currents)
            self.passes, self.apart = 1, 0.0
        else:
            self._agree(step, demand)
        if self.apart > UNRESOLVED and not self._meets(order) and self.exhausted is None:
            self.cells.state[...] = self._before
            self.voltages, self.currents = before
            raise InstabilityError(
                f"In step {step + 1}, to {(step + 1) * self.dt:g} s, no currents were found with which the cells have "
                f"the voltages of their wiring ({self.apart:.2g} V are missing): use a smaller time step or a smaller "
                "current."
            )
        # what the kernel started from is the temperature as it holds it
        start = self.warmth.astype(self.cells.dtype).astype(float)
        self.power = (self._read(Row.WARMTH) - start) / KELVIN_PER_WATT
        self._follow(order)

    def _demand(self, order: Instruction) -> tuple[Demand, float]:
        """Of the pack at the end of the step: currents times ``parallel``, voltages times ``series``, powers times the
        cells; and how much the current rises from the step's mean to there [A]."""
        series, parallel = self.wiring.series, self.wiring.parallel
        if order.kind == Kind.VOLTAGE:
            return Demand(Kind.VOLTAGE, order.value * series), 0.0
        value, rise = order.value, 0.0
        if order.kind in (Kind.DRIVE, Kind.POWER_DRIVE):
            assert self._drive is not None  # the protocol was checked
            mean, value = (float(each) for each in self._drive[int(value) + self.elapsed])
            rise = (value - mean) * self.factor * parallel
        value *= self.factor * parallel
        if order.kind in (Kind.POWER, Kind.POWER_DRIVE):
            return Demand(Kind.POWER, value * series), rise * series / self.voltage
        return Demand(Kind.CURRENT, value), rise

    def _agree(self, step: int, demand: Demand) -> None:
        """Currents with which the cells' voltages at the step's end satisfy the wiring, and the cells there."""
        self._before[...] = self.cells.state
        self.lines.begin()
        shape = (self.wiring.series, self.wiring.in_group)
        currents = self.currents.reshape(shape)
        if demand.kind == Kind.CURRENT:  # the group's current holds from the first pass on
            currents = currents + (demand.value - currents.sum(axis=1, keepdims=True)) / shape[1]
        tolerance, nearest, self.apart = TOLERANCE[self.cells.dtype.name], currents, math.inf
        for self.passes in range(1, MOST_PASSES + 1):
            self._try(step, currents.reshape(-1))
            voltages = self.voltages.reshape(shape)
            intercept = self.lines.through(currents, voltages)
            if self.passes <= DIRECT_PASSES:
                wanted = shared(intercept, self.lines.resistance, demand)
                apart = float((np.abs(wanted - currents) * self.lines.resistance).max())
            else:  # where a surface is nearly empty or full the voltage bends
                wanted, of_groups = self.lines.between(demand)
                apart = float(np.abs(voltages - of_groups).max())
            if apart < self.apart or self.passes <= DIRECT_PASSES:
                nearest, self.apart = currents, apart
            if not apart > tolerance:
                break
            currents = wanted
            self.cells.state[...] = self._before
        else:
            currents = nearest
            self._try(step, currents.reshape(-1))
        self.currents = currents.reshape(-1)

    def _try(self, step: int, currents: Array) -> None:
        self.cells.set_drive(np.stack([currents - self._rise, currents], axis=1))
        self.cells.advance(step, 1)
        self.voltages = self._read(Row.VOLTAGE)

    def _follow(self, order: Instruction) -> None:
        """Where in the protocol the pack is after this step."""
        self.elapsed += 1
        met = self._meets(order)
        if order.kind == Kind.VOLTAGE:
            met = met or abs(self.current) <= order.least_current * self.wiring.parallel
        if self.exhausted is not None:
            self.instruction, self.elapsed = len(self.plan), 0
        elif met or self.elapsed >= order.steps:
            self.instruction, self.elapsed = self.instruction + 1, 0

    def _meets(self, order: Instruction) -> bool:
        """Whether a cell is at a voltage that ends this."""
        return bool(self.voltages.min() <= order.lowest or self.voltages.max() >= order.highest)

    def _on_device(self, values: Array) -> Any:
        return self.backend.array(values.astype(self.cells.dtype))

    def _read(self, row: Row) -> Array:
        return self.backend.to_host(self.cells.state[int(row), : self.cells.n_cells]).astype(float)

    def charge(self) -> Array:
        """(elements,) [A h] that has left each."""
        return self._read(Row.CHARGE) / 3600

    def state(self) -> dict[str, Array]:
        """All that :meth:`restore` needs."""
        return {
            "cells": self.backend.to_host(self.cells.state),
            **{f"heat_{name}": values for name, values in self.heat.state().items()},
            "place": np.array([self.instruction, self.elapsed]),
            "current_factor": np.array(self.factor),
            "resistance": self.lines.resistance,
            "elements": np.array([self.currents, self.power, self.warmth, self.voltages]),
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        plan, place = np.array([each.row() for each in self.plan]), state["place"]
        check_places(plan, place[:1], place[1:])
        with self.backend.active():
            self.cells.put_back(state["cells"])
        self.heat.restore({name[5:]: values for name, values in state.items() if name.startswith("heat_")})
        self.instruction, self.elapsed = (int(number) for number in state["place"])
        self.factor = float(state["current_factor"])
        self.lines.resistance = np.array(state["resistance"]).reshape(self.lines.resistance.shape)
        self.currents, self.power, self.warmth, self.voltages = np.array(state["elements"]).reshape(
            4, self.wiring.elements
        )
