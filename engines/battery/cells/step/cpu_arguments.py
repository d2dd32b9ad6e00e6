"""What the Numba kernels of cells are given, and what they hand each other within a step."""

from __future__ import annotations

from typing import Any, NamedTuple

Values = Any
"""An array, or within a cell's steps a pointer to it (``engines.backend.pointers``)."""


class Ensemble(NamedTuple):
    """state, coefficients: (rows of ``Row`` or ``Coefficient``, n_padded)"""

    state: Values
    coefficients: Values


class Cycles(NamedTuple):
    """record: (cycles, CycleRow, recorded) of the first so many cells; length: instructions of a cycle"""

    record: Values
    recorded: int
    length: int


class Model(NamedTuple):
    """What holds for all cells. tables: (Table, INTERVALS, 4); squares λ² and weights 2/λ² of the modes: (MODES,)"""

    tables: Values
    squares: Values
    weights: Values
    electrolyte: bool
    thermal: bool
    ageing: bool
    asymmetric: bool


class Protocol(NamedTuple):
    """instructions: (length, Field); drive: (steps, DriveColumn); factor: on all currents and powers"""

    instructions: Values
    length: int
    drive: Values
    factor: float


class Trace(NamedTuple):
    """rows: (rows, n_padded), or (0, n_padded) for none; currents are ``plane`` rows below voltages, temperatures as
    many below these (0: there are none)."""

    rows: Values
    every: int
    plane: int


class Clock(NamedTuple):
    """Times [s] of a launch."""

    first_time: float
    dt: float
    steps: int


class Own(NamedTuple):
    """Pointers to what is one cell's. given: its coefficients in float64; state: its rows, of which aged, b and salt
    are those of ``AgeingRow``, the amplitudes (MODES,) and the electrolyte (3 ELECTROLYTE_CELLS,); share: of the step,
    1 − e^{−λ² D t/R²} (MODES,); up, delta: scratch of the electrolyte; shells: of both particles (2 SHELLS,), found:
    the same at a step's end, and scratch (4 SHELLS,), where D varies."""

    given: Values
    state: Values
    aged: Values
    b_n: Values
    b_p: Values
    salt: Values
    share_n: Values
    share_p: Values
    up: Values
    delta: Values
    shells: Values
    found: Values


class CellMoment(NamedTuple):
    """What there is one of per cell, between steps: as in ``Row``."""

    warmth: float
    voltage: float
    current: float
    ended: float
    instruction: int
    elapsed: int


class Rates(NamedTuple):
    """What follows from a cell's temperature. inverse: 1/T_ref − 1/T; B: of x = A + B I at the end of a whole step"""

    inverse: float
    thermal_voltage: float
    warmth: float
    rate_n: float
    rate_p: float
    gain_n: float
    gain_p: float
    B_n: float
    B_p: float
    kinetic_n: float
    kinetic_p: float
    resistance: float
    salt_arrhenius: float


class Demand(NamedTuple):
    """What an instruction asks of a step. rise: of the current, from the step's mean to its end"""

    kind: int
    wanted: float
    rise: float
    mean_power: float


class Line(NamedTuple):
    """Stoichiometries at the surfaces at the end of a step: x = A + B I."""

    A_n: float
    B_n: float
    A_p: float
    B_p: float


class Conditions(NamedTuple):
    """What the voltage depends on beside the surfaces. thermal_voltage: 2RT/F; warmth: T − 298.15 K; resistance: with
    the electrolyte's and the film's; concentration: overpotential of the electrolyte; skew: 0 is symmetric"""

    thermal_voltage: float
    warmth: float
    resistance: float
    concentration: float
    kinetic_n: float
    kinetic_p: float
    skew_n: float
    skew_p: float


class Taken(NamedTuple):
    """A step as it was: ``current`` at its end, ``through`` on average; span: how much of it the salt lasted for; x:
    stoichiometries at the surfaces; side: current of the side reactions; potentials at its end."""

    current: float
    through: float
    rise: float
    span: float
    x_n: float
    x_p: float
    side: float
    voltage: float
    open_circuit: float
    anode: float


class Met(NamedTuple):
    """Whether a step ended its instruction (done), for lack of salt (exhausted), where the cell is now, and the part of
    the step that counts for the cycle's charge."""

    done: bool
    exhausted: bool
    instruction: int
    elapsed: int
    ended: float
    counted: float
