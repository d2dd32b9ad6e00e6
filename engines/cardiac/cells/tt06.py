"""The ten Tusscher-Panfilov 2006 cell as data: states, parameters, cell types and how a tissue stores them.

A tissue of n cells keeps its voltage in an array of its own (diffusion writes it) and the other 18
states as a structure of arrays ``(18, n_padded)``, one row per state of :data:`ROWS`. Sodium and
potassium are stored as offsets from a reference per cell type, and so is the calcium of the SR: these
concentrations change by less in a step than the spacing of float32 at their size, and a plain float32
cell loses 0.6 mM of potassium in 100 beats.

All numbers come from ``tt06.json`` (CellML). Equations: ten Tusscher and Panfilov 2006,
doi 10.1152/ajpheart.00109.2006.
"""

from __future__ import annotations

import json
from enum import IntEnum
from math import exp
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from engines.api import Array
from engines.backend.fields.rows import taken
from engines.backend.threads import in_parts

DATA_FILE = Path(__file__).with_name("tt06.json")
_DATA: dict[str, Any] = json.loads(DATA_FILE.read_text("utf-8"))


class CellType(IntEnum):
    """The three kinds of ventricular cell, from the outside of the wall to the inside, then the middle."""

    EPI = 0
    ENDO = 1
    M = 2


_KEYS = ("epi", "endo", "M")
Start = Literal["initial", "limit_cycle_1Hz"]
"""``"initial"``: as published with the model; ``"limit_cycle_1Hz"``: after 1000 beats at 1 Hz."""

STATES: tuple[str, ...] = tuple(state["name"] for state in _DATA["states"])
"""All 19 states, voltage first."""
ROWS: tuple[str, ...] = STATES[1:]
"""The rows of the state array: every state but the voltage."""
PARAMETERS: dict[CellType, dict[str, float]] = {
    kind: {row["name"]: float(row[_KEYS[kind]]) for row in _DATA["parameters"]} for kind in CellType
}
"""Per cell type, parameter name to value, in the units of ``tt06.json``."""

COMMON: dict[str, float] = {
    name: value
    for name, value in PARAMETERS[CellType.EPI].items()
    if all(PARAMETERS[kind][name] == value for kind in CellType)
}
"""The parameters that all cell types share; kernels fold them into their code."""

PADDING = 64
"""Rows are padded to a multiple of this many cells: whole SIMD vectors and whole 128-byte lines."""


def padded_size(n_cells: int) -> int:
    """Length that every per-cell array of the reaction step must have (at least)."""
    return -(-n_cells // PADDING) * PADDING


def start_state(kind: CellType, start: Start = "initial") -> Array:
    """(19,) float64: the states of one cell in the order of :data:`STATES`, physical units."""
    if start == "initial":
        return np.array([state["initial"][_KEYS[kind]] for state in _DATA["states"]], dtype=np.float64)
    return np.array([state["limit_cycle_1Hz"][_KEYS[kind]] for state in _DATA["states"]], dtype=np.float64)


OFFSET_STATES = ("Na_i", "K_i", "Ca_SR")
"""States stored as the difference from :func:`reference_concentrations`."""


def reference_concentrations(kind: CellType) -> dict[str, float]:
    """What :data:`OFFSET_STATES` are measured from: halfway between the two start states [mM].

    Between its first beat and its limit cycle a cell stays within 0.6 mM of this in sodium and potassium,
    where float32 resolves 6e-8 mM.
    """
    middle = 0.5 * (start_state(kind, "initial") + start_state(kind, "limit_cycle_1Hz"))
    # Rounded to float32, so that both precisions subtract the same number.
    return {name: float(np.float32(middle[STATES.index(name)])) for name in OFFSET_STATES}


TYPE_CONSTANTS = (
    "g_Ks", "g_to", "s_inf_factor", "s_tau_height", "s_tau_centre", "s_tau_width", "s_tau_step", "s_tau_floor",
    "Na_ref", "K_ref", "Ca_SR_ref",
)  # fmt: skip
"""Columns of :func:`constants_table`: all that differs between cell types.

The s gate has one form for all: ``s_inf = 1/(1 + s_inf_factor·exp(V/5))`` and ``tau_s = s_tau_height·exp(−(V −
s_tau_centre)²·s_tau_width) + s_tau_step/(1 + exp((V − 20)/5)) + s_tau_floor``, with no step for endo.
"""


def constants_table(dtype: npt.DTypeLike = np.float64) -> Array:
    """(3, len(TYPE_CONSTANTS)): one row per :class:`CellType`."""
    s_gate = {
        CellType.EPI: (exp(20 / 5), 85.0, -45.0, 1 / 320, 5.0, 3.0),
        CellType.ENDO: (exp(28 / 5), 1000.0, -67.0, 1 / 1000, 0.0, 8.0),
        CellType.M: (exp(20 / 5), 85.0, -45.0, 1 / 320, 5.0, 3.0),
    }
    rows = []
    for kind in CellType:
        parameters = PARAMETERS[kind]
        rows.append([parameters["g_Ks"], parameters["g_to"], *s_gate[kind], *reference_concentrations(kind).values()])
    return np.array(rows, dtype=dtype)


def offsets(cell_types: Array) -> Array:
    """(18, n) float64: what must be added to the stored rows to get physical values."""
    table = np.zeros((len(CellType), len(ROWS)))
    for kind in CellType:
        for name, value in reference_concentrations(kind).items():
            table[kind, ROWS.index(name)] = value
    return np.ascontiguousarray(table[cell_types].T)


def tissue_start(cell_types: Array, dtype: npt.DTypeLike, kinds: Array, starts: Array) -> tuple[Array, Array]:
    """The tissue at rest.

    cell_types: (n,) uint8, values of :class:`CellType`; kinds: (n,) rows of ``starts: (k, 19)``, physical states of a
    cell of each kind. Returns voltage ``(n_padded,)`` [mV] and states
    ``(18, n_padded)`` as stored (offsets taken). The padding holds copies of cell 0, so that whole vectors of
    cells can be stepped without a look at where the tissue ends.
    """
    padding = padded_size(len(kinds)) - len(kinds)
    types, rows = (np.append(each, np.repeat(each[:1], padding)) for each in (cell_types, kinds))
    # of each kind and type once: ten million cells have few of either
    stored = np.array([starts[:, 1:] - offsets(np.array([kind]))[:, 0] for kind in CellType]).astype(dtype)
    states = np.empty((stored.shape[2], len(rows)), stored.dtype)
    _fill_states(len(rows), types, rows, stored, states)
    return taken(starts[:, 0].astype(dtype), rows), states


@in_parts
def _fill_states(first: int, last: int, types: Array, rows: Array, stored: Array, states: Array) -> None:
    """states: (18, n), those of the ``stored: (types, kinds, 18)`` that are the cells' own."""
    places = types[first:last].astype(np.intp) * stored.shape[1] + rows[first:last]
    for row, values in zip(states, stored.reshape(-1, stored.shape[2]).T, strict=True):
        np.take(values, places, out=row[first:last], mode="clip")
