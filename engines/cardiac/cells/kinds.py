"""Kinds of cells: a cell type of TT06 and what a modeller changed in it; and the table that kernels read them from.

A tissue's cells are numbered by kind. Without changes the kinds are the three cell types. A parameter that some kind
changes makes the folded constants that depend on it columns of the table; kernels are compiled for the set of
constants that vary, and all others stay in their code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engines.api import Array
from engines.cardiac.cells.constants import DEFAULTS, T_G_KS, T_G_TO, VARYING, varying
from engines.cardiac.cells.tt06 import PARAMETERS, STATES, CellType, Start, constants_table, start_state

CHANGEABLE = (
    "g_Na", "g_CaL", "g_Kr", "g_Ks", "g_K1", "g_to", "g_pK", "g_pCa", "g_bna", "g_bca", "P_NaK", "K_NaCa",
    "K_o", "Na_o", "Ca_o", "Vmax_up", "V_rel", "V_leak", "V_xfer",
)  # fmt: skip
"""Parameters that a kind may change: conductances, largest fluxes, concentrations outside of the cell."""


@dataclass(frozen=True)
class Kind:
    """``changes``: (name, value) of :data:`CHANGEABLE` parameters, in the units of ``tt06.json``, in any order."""

    cell_type: CellType = CellType.EPI
    changes: tuple[tuple[str, float], ...] = ()

    @property
    def parameters(self) -> dict[str, float]:
        """All parameters of such a cell."""
        return PARAMETERS[self.cell_type] | dict(self.changes)


CELL_TYPES = tuple(Kind(cell_type) for cell_type in CellType)
"""The three cell types as published; kind k of them is ``CellType(k)``."""


def changed(kinds: Sequence[Kind]) -> bool:
    """Whether the kinds are any others than the three cell types."""
    return tuple(kinds) != CELL_TYPES


def varied(kinds: Sequence[Kind]) -> int:
    """Mask of the constants that are not as published in some kind: bit k for name k of :data:`VARYING`."""
    mask = 0
    for kind in kinds:
        found = varying(kind.parameters)
        mask |= sum(1 << bit for bit, name in enumerate(VARYING) if found[name] != DEFAULTS[name])
    return mask


def kinds_table(kinds: Sequence[Kind], dtype: npt.DTypeLike = np.float64) -> Array:
    """(columns, kinds): the columns ``T_…`` of :mod:`constants`, then those of :func:`varied` in the order of bits."""
    mask, by_type = varied(kinds), constants_table()
    columns = []
    for kind in kinds:
        parameters = kind.parameters
        row = by_type[kind.cell_type].copy()
        row[T_G_KS], row[T_G_TO] = parameters["g_Ks"], parameters["g_to"]
        found = varying(parameters)
        columns.append([*row, *(found[name] for bit, name in enumerate(VARYING) if mask >> bit & 1)])
    return np.ascontiguousarray(np.array(columns).T, dtype=dtype)


def starts(kinds: Sequence[Kind], start: Start | Array = "initial") -> Array:
    """(kinds, 19) float64: where cells of each kind start, in the order of :data:`STATES`, physical units.

    A name takes the state of the cell type, whatever was changed in it; an array is taken as it is.
    """
    if isinstance(start, str):
        return np.array([start_state(kind.cell_type, start) for kind in kinds])
    given = np.asarray(start, np.float64)
    if given.shape != (len(kinds), len(STATES)):
        raise ValueError(f"start states of shape {given.shape} for {len(kinds)} kinds")
    return given
