"""What the CPU's and the GPU's cells have in common: state, coefficients, instructions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import Twins, pick
from engines.battery.cells.ageing import Ageing
from engines.battery.cells.coefficients import Scalars, coefficients, is_asymmetric, tables
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE
from engines.battery.particles.series import shell_modes, static_tail
from engines.battery.particles.shells import FEWEST
from engines.battery.protocol.instructions import Instruction, check_places, per_step
from engines.battery.setup.cell import held_temperature
from engines.battery.setup.curves import Curve
from engines.battery.step import graded
from engines.battery.step.cell_rows import ELECTROLYTE_CELLS, EXHAUSTED, AgeingRow, Coefficient, CycleRow, Row
from engines.battery.step.particle_rows import MODES

PADDING = 64
_MEANS = (Row.NEGATIVE_MEAN, Row.POSITIVE_MEAN)
_PARTICLES = tuple(
    (name, Row[f"{name}_MODES"], Coefficient[f"{name}_START"], Row[f"{name}_MEAN"]) for name in ("NEGATIVE", "POSITIVE")
)
_GAINS = {name: Coefficient[f"{name}_GAIN"] for name, *_ in _PARTICLES}
_AT_SURFACE = np.ones((1, MODES))
"""What modes are worth there."""
OF_SHELLS = 2 * 2 * graded.PICARD * graded.SHELLS * 40
"""Operations of a step whose particles are shells: two stages of two electrodes, 40 a shell (counted)."""
RECORDED = 2**24
"""Numbers that are kept of the cycles at most: of a large ensemble the first cells stand for all."""


COPIED = 1 << 20
"""Bytes of a state up to which it is copied as a whole."""


def state_rows_beside(ageing: Ageing | None, varying: bool) -> int:
    """Rows of the state behind those of :class:`Row` and the salt."""
    return (len(AgeingRow) if ageing is not None else 0) + (2 * graded.SHELLS if varying else 0)


def padded(cells: int) -> int:
    """Columns of the state of so many cells."""
    return -(-cells // PADDING) * PADDING


def recorded_cells(cells: int, cycles: int) -> int:
    """How many of so many cells have a record of each of their cycles."""
    return min(cells, max(1, RECORDED // (cycles * len(CycleRow))))


class Cells(ABC):
    """N cells of one parameter set with their own scalars, at rest and full of whatever the scalars say.

    ``state: (rows, n_padded)`` on the device; ``drive: (steps, 2)``, means over steps and values at their ends, or
    ``(steps,)``: currents [A] that DRIVE instructions refer to, powers [W] for POWER_DRIVE;
    ``thermal``: each has heat of its own; without it a cell is held at :func:`held_temperature`; ``cycles``: how many
    equal parts the instructions have, each recorded where the cells age.
    """

    def __init__(
        self,
        backend: Backend,
        parameters: ParameterSet,
        instructions: Sequence[Instruction],
        dt: float,
        scalars: Scalars | None = None,
        *,
        electrolyte: bool = False,
        thermal: bool = False,
        precision: str = "float32",
        drive: Array | None = None,
        ageing: Ageing | None = None,
        cycles: int = 1,
    ) -> None:
        self.backend, self.parameters, self.dt = backend, parameters, float(dt)
        self.electrolyte, self.lumped = electrolyte, thermal
        self.dtype = np.dtype(precision)
        self.scalars: dict[str, Any] = {**parameters.values(), **(scalars or {})}
        self.thermal = thermal
        """Whether the kernels look at the temperature: always where it is not that of the set's values."""
        if not thermal:
            held = held_temperature(self.scalars)
            self.thermal = bool((held != REFERENCE_TEMPERATURE).any())
            self.scalars |= {"initial_temperature": held, "heat_capacity": np.inf, "heat_transfer_coefficient": 0.0}
            self.scalars |= {"cooling_area": 0.0, "ambient_temperature": held}
        self.ageing = ageing
        if ageing is not None:
            ageing.check(parameters)
        self.varying = bool(parameters.laws)
        self.asymmetric = ageing is not None or self.varying or is_asymmetric(self.scalars)
        per_cell = coefficients(parameters, self.scalars, electrolyte, ageing, self.varying)
        self.n_cells = per_cell.shape[1]
        self.n_padded = padded(self.n_cells)
        self.aged = Row.SALT + (3 * ELECTROLYTE_CELLS if electrolyte else 0)
        """First of the rows of :class:`AgeingRow`."""
        self.shells = self.aged + (0 if ageing is None else len(AgeingRow))
        """First of the rows of the negative and the positive shells, where a diffusivity varies."""
        self.rows = self.aged + state_rows_beside(ageing, self.varying)
        self.factor = 1.0
        """On all currents of the protocol, from the next step on."""
        self.coefficients = self._place(per_cell)
        self._tables = backend.array(tables(parameters, self.varying).astype(self.dtype))
        self._diffusivities = graded.diffusivity_curves(parameters) if self.varying else ()
        self._n_cycles = cycles
        self.set_protocol(instructions, drive)
        start = np.zeros((self.rows, self.n_cells))
        start[Row.ENDED] = -1.0
        start[Row.WARMTH] = np.asarray(self.scalars["initial_temperature"]) - REFERENCE_TEMPERATURE
        start[Row.VOLTAGE] = self._open_circuit(per_cell)
        start[Row.SALT : self.aged] = 1.0
        if ageing is not None:
            start[self.aged : self.shells] = self._unaged(ageing, per_cell)
        self.state = self._place(start)
        self.copied: Array | None = None
        """The state on the host, as long as whoever steps keeps it there (:meth:`copy_few`)."""
        recorded = (cycles, len(CycleRow), recorded_cells(self.n_cells, cycles))
        self.record = backend.array(np.full(recorded if ageing is not None else (0, 0, 0), np.nan, self.dtype))
        """(cycles, len(CycleRow), recorded cells) of cells that age; NaN before a cycle has ended."""

    def set_protocol(self, instructions: Sequence[Instruction], drive: Array | None = None) -> None:
        """Follow these from the next step on; cells that are to begin with the first need a new ``state`` too."""
        self.n_instructions, self.last = len(instructions), instructions[-1]
        self.instructions_per_cycle = max(1, -(-len(instructions) // self._n_cycles))
        self._instructions = self.backend.array(np.array([each.row() for each in instructions], self.dtype))
        self._drive = self.backend.array(per_step(drive).astype(self.dtype))

    def copy_few(self) -> None:
        """Of few cells on a GPU the whole state is copied at once, and all that looks at it until :meth:`moved` reads
        there: a copy of a megabyte takes less than waiting for the device again and again."""
        if self.copied is None and pick(self.backend, cpu=False, cuda=True) and self.state.nbytes <= COPIED:
            self.copied = self.backend.to_host(self.state)

    def moved(self) -> None:
        """The state is another than was copied."""
        self.copied = None

    def put_back(self, state: Array) -> None:
        """A state of before. Raises ValueError where its cells are beyond the protocol; inside ``backend.active``."""
        cells = state[:, : self.n_cells]
        check_places(self.backend.to_host(self._instructions), cells[Row.INSTRUCTION], cells[Row.ELAPSED])
        self.state[...] = self.backend.array(state)
        self.moved()

    def _place(self, values: Array) -> Any:
        padded = np.pad(values, ((0, 0), (0, self.n_padded - self.n_cells)), mode="edge")
        return self.backend.array(np.ascontiguousarray(padded, self.dtype))

    def _open_circuit(self, per_cell: Array) -> Array:
        x_n, x_p = per_cell[Coefficient.NEGATIVE_START], per_cell[Coefficient.POSITIVE_START]
        warmth = np.asarray(self.scalars["initial_temperature"]) - REFERENCE_TEMPERATURE
        p = self.parameters
        entropic = p.positive_entropic(x_p) - p.negative_entropic(x_n)
        return p.positive_ocp(x_p) - p.negative_ocp(x_n) + (warmth * entropic if self.thermal else 0.0)

    def _unaged(self, ageing: Ageing, per_cell: Array) -> Array:
        warmth = np.broadcast_to(np.asarray(self.scalars["initial_temperature"]) - REFERENCE_TEMPERATURE, self.n_cells)
        x = per_cell[Coefficient.NEGATIVE_START]
        anode = self.parameters.negative_ocp(x)
        if self.thermal:
            anode = anode + warmth * self.parameters.negative_entropic(x)
        rows = {each.name.lower(): per_cell[each] for each in Coefficient}
        return ageing.start(rows, anode, warmth if self.thermal else np.zeros(self.n_cells))

    def new_trace(self, rows: int) -> Any:
        """A device array (rows, n_padded) for voltages."""
        return self.backend.empty((rows, self.n_padded), self.dtype)

    def new_traces(self, rows: int) -> Any:
        """A device array (3, rows, n_padded) for voltages, currents and temperatures (less 298.15 K)."""
        return self.backend.empty((3, rows, self.n_padded), self.dtype)

    @staticmethod
    def rows_per_plane(trace: Any) -> int:
        """Rows between voltages and currents of :meth:`new_traces`; 0 where there are voltages only."""
        return 0 if trace is None or trace.ndim == 2 else int(trace.shape[1])

    def set_drive(self, currents: Array) -> None:
        """New currents [A] for DRIVE instructions, as many as before."""
        with self.backend.active():
            self._drive[:] = self.backend.array(per_step(currents).astype(self.dtype))

    @abstractmethod
    def advance(self, first_step: int, steps: int, trace: Any = None, every: int = 1) -> None:
        """``steps`` steps; the voltages of each ``every``-th go to a row of ``trace``, NaN where a cell had ended.

        ``trace`` is a :meth:`new_trace` or :meth:`new_traces`.
        Called inside ``backend.timed`` or ``active``.
        """

    @property
    def traffic(self) -> KernelTraffic:
        """Per launch, whatever its steps: the state in and out, the coefficients in; operations per step."""
        size = self.dtype.itemsize * self.n_cells
        return KernelTraffic(
            "cells", (self.rows + len(self.coefficients)) * size, self.rows * size,
            (OF_SHELLS if self.varying else 250) * self.n_cells,
        )  # fmt: skip

    def stoichiometry(self, points: int, cells: Array | None = None) -> tuple[Array, Array]:
        """Negative and positive particles of ``cells`` (numbers; None: all): (points, n) float64 on the host, the means
        over shells from the centre outwards."""
        if self.varying:
            return self._shells(lambda x, slope, law: graded.means(x, points), *self._columns_of(cells))
        return self._particles(shell_modes(points, MODES), static_tail(points, MODES)[0], *self._columns_of(cells))

    def surfaces(self, cells: Array | None = None) -> tuple[Array, Array]:
        """Stoichiometries at the surfaces of negative and positive particles of ``cells``: (n,) float64 on the host."""
        return self.surfaces_of(*self._columns_of(cells))

    def surfaces_of(self, state: Array, given: Array) -> tuple[Array, Array]:
        """The same of :meth:`columns`."""
        if self.varying:
            return self._shells(lambda x, slope, law: graded.surface(x, slope, law), state, given)
        negative, positive = self._particles(_AT_SURFACE, np.array([static_tail(FEWEST, MODES)[1]]), state, given)
        return negative[0], positive[0]

    def _shells(self, look: Callable[[Array, Array, Curve], Array], state: Array, given: Array) -> tuple[Array, Array]:
        """What ``look`` finds in stoichiometries (SHELLS, n), the slope at the surface times D over that of the set,
        and D, of negative and positive particles."""
        found = []
        for k, name in enumerate(("NEGATIVE", "POSITIVE")):
            mean = given[Coefficient[f"{name}_START"]] + state[Row[f"{name}_MEAN"]]
            first = self.shells + k * graded.SHELLS
            slope = self._gain(name, state, given) * self._intercalation(name, state)
            found.append(look(mean + state[first : first + graded.SHELLS], slope, self._diffusivities[k]))
        return found[0], found[1]

    def _intercalation(self, name: str, state: Array) -> Array:
        """The current [A] that an electrode's particles carry: side reactions take theirs from the negative ones."""
        if self.ageing is None or name == "POSITIVE":
            return state[Row.CURRENT]
        return np.asarray(state[Row.CURRENT] + state[self.aged + AgeingRow.SIDE])

    def _gain(self, name: str, state: Array, given: Array) -> Array:
        """N R/D per ampere at the cells' temperatures."""
        gain = given[_GAINS[name]]
        if not self.thermal:
            return gain
        heat, T = given[Coefficient[f"{name}_DIFFUSION_HEAT"]], REFERENCE_TEMPERATURE + state[Row.WARMTH]
        return np.asarray(gain / np.exp(heat * (1 / REFERENCE_TEMPERATURE - 1 / T)))

    def _particles(self, shapes: Array, tail: Array, state: Array, given: Array) -> tuple[Array, Array]:
        found = []
        for name, first, start, mean_row in _PARTICLES:
            flux = self._gain(name, state, given) * self._intercalation(name, state)
            mean = given[start] + state[mean_row]
            found.append(mean + shapes @ state[first : first + MODES] + tail[:, None] * flux)
        return found[0], found[1]

    def exhausted(self) -> Array:
        """Numbers of the cells that ended because their electrolyte has no salt left somewhere (SPMe)."""
        ended = self.backend.to_host(self.state[int(Row.INSTRUCTION), : self.n_cells]) >= self.n_instructions
        if not ended.any():  # asked after every step of a pack
            return np.zeros(0, int)
        with self.backend.active():
            salt = self.state[Row.SALT : self.aged, : self.n_cells]
            ends = (salt[0] + (salt[0] - salt[1]) / 6, salt[-1] + (salt[-1] - salt[-2]) / 6)  # at the collectors
            most = EXHAUSTED + 1e-5  # float32 meets it to some roundings of the salt at the start
            empty = (salt.min(axis=0) <= most) | (ends[0] <= most) | (ends[1] <= most)
        return np.flatnonzero(ended & self.backend.to_host(empty))

    def balance(self) -> Array:
        """(n_cells,) the lithium that electrodes, side reactions and the charge disagree about.

        As a share of the charge, or of a hundredth of the lithium there is where that is more (after a whole cycle).
        """
        growths, lithium = self._lithium_held
        state = self._rows(slice(Row.CHARGE_ERROR + 1)).astype(float)  # all that it takes
        charge = state[Row.CHARGE] - state[Row.CHARGE_ERROR]
        taken = charge if self.ageing is None else charge + self._lost_now()
        negative, positive = (
            np.abs((state[mean] - state[mean + 1]) / growth - given)
            for mean, growth, given in zip(_MEANS, growths, (taken, charge), strict=True)
        )
        return np.maximum(negative, positive) / np.maximum(np.abs(charge), lithium / 100)

    def _rows(self, rows: slice) -> Array:
        """Of the state of all cells, on the host."""
        if self.copied is not None:
            return self.copied[rows, : self.n_cells]
        return self.backend.to_host(self.state[rows, : self.n_cells])

    @cached_property
    def _given(self) -> Array:
        """Coefficients on the host, which nothing changes: (rows, n_padded) float64."""
        return self.backend.to_host(self.coefficients).astype(float)

    @cached_property
    def _lithium_held(self) -> tuple[tuple[Array, Array], Array]:
        """The mean stoichiometry's change by a charge in both electrodes, and the lithium at the start [A s]."""
        given = self.backend.to_host(self.coefficients)[:, : self.n_cells].astype(float)
        negative, positive = given[Coefficient.NEGATIVE_GROWTH], given[Coefficient.POSITIVE_GROWTH]
        starts = given[Coefficient.NEGATIVE_START], given[Coefficient.POSITIVE_START]
        return (negative, positive), starts[0] / np.abs(negative) + starts[1] / np.abs(positive)

    def _lost_now(self) -> Array:
        """:meth:`lost` of all cells."""
        aged = slice(self.aged + AgeingRow.SEI, self.aged + AgeingRow.PLATED_ERROR + 1)
        sei, sei_error, plated, plated_error = self._rows(aged).astype(float)
        return np.asarray(sei - sei_error + (plated - plated_error))

    def lithium(self) -> Array:
        """(4, n_cells) [A s]: in the negative and positive particles, in the SEI beyond its start, plated."""
        state, given = self._on_host()
        rows = []
        for name in ("NEGATIVE", "POSITIVE"):
            mean = Row[f"{name}_MEAN"]
            x = given[Coefficient[f"{name}_START"]] + state[mean] - state[mean + 1]
            rows.append(x / np.abs(given[Coefficient[f"{name}_GROWTH"]]))
        return np.array([*rows, *self._side_charges(state)])

    def lost(self, state: Array) -> Array:
        """(n,) [A s] that the side reactions have taken, of columns of the state."""
        return np.asarray(self._side_charges(state).sum(axis=0))

    def _side_charges(self, state: Array) -> Array:
        if self.ageing is None:
            return np.zeros((2, state.shape[1]))
        aged = state[self.aged :]
        return np.array([aged[row] - aged[row + 1] for row in (AgeingRow.SEI, AgeingRow.PLATED)])

    def _columns_of(self, cells: Array | None) -> tuple[Array, Array]:
        return self.columns(np.arange(self.n_cells) if cells is None else cells)

    def column(self, cell: int) -> tuple[Array, Array]:
        """State and coefficients of one cell: (rows, 1) float64 each, on the host."""
        one = slice(cell, cell + 1)
        if self.copied is not None:
            return self.copied[:, one].astype(float), self._given[:, one]
        state, given = (self.backend.to_host(each[:, one]) for each in (self.state, self.coefficients))
        return state.astype(float), given.astype(float)

    def columns(self, cells: Array) -> tuple[Array, Array]:
        """State and coefficients of ``cells`` (numbers): (rows, n) float64 each, on the host."""
        if self.copied is not None:
            return self.copied[:, cells].astype(float), self._given[:, cells]
        with self.backend.active():
            chosen = self.backend.array(cells)
            state, given = self.state[:, chosen], self.coefficients[:, chosen]
        return self.backend.to_host(state).astype(float), self.backend.to_host(given).astype(float)

    def _on_host(self) -> tuple[Array, Array]:
        state, given = (self.backend.to_host(each)[:, : self.n_cells] for each in (self.state, self.coefficients))
        return state.astype(float), given.astype(float)


CELLS = Twins[Cells](__package__, cpu="cpu:CpuCells", cuda="cuda:CudaCells")
"""Takes the arguments of :class:`Cells`."""
