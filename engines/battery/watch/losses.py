"""Where the voltage of a cell goes: its open circuit, and what is lost on the way to the terminals.

    V = OCV(mean stoichiometries) − Σ losses

Losses are computed in float64 from the state of one cell. They add up to its voltage to round-off where a current is
held and the temperature is constant; where a voltage or power is held (in the SPMe) or the cell warms, to what a time
step changes in the salt or the temperature, for the voltage of a step is found before these take it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engines.api import Array, SeriesInfo
from engines.api.charts import ChartInfo
from engines.battery.kinetics.reference import overpotential
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE
from engines.battery.step.cell_rows import ELECTROLYTE_CELLS, AgeingRow, Coefficient, Row

if TYPE_CHECKING:
    from engines.battery.cells.step.cells import Cells

NAMES = {
    "loss_negative_diffusion": "Diffusion in negative particles",
    "loss_positive_diffusion": "Diffusion in positive particles",
    "loss_negative_kinetics": "Reaction at negative particles",
    "loss_positive_kinetics": "Reaction at positive particles",
    "loss_electrolyte_concentration": "Concentration in the electrolyte",
    "loss_electrolyte_ohmic": "Resistance of the electrolyte",
    "loss_ohmic": "Resistance of solid and contacts",
    "loss_film": "Resistance of the SEI",
}
ROWS = tuple(
    (
        Coefficient[f"{name}_START"], Row[f"{name}_MEAN"], Coefficient[f"{name}_KINETIC"],
        Coefficient[f"{name}_REACTION_HEAT"], Coefficient[f"{name}_SKEW"],
    )
    for name in ("NEGATIVE", "POSITIVE")
)  # fmt: skip
"""Of each electrode, looked up once: the losses are told at each look at a run."""

EDGE = 1e-6
"""Nearest to empty and full at which kernels compute a voltage, of surfaces and of salt."""


def names(cells: Cells) -> tuple[str, ...]:
    """The losses that cells like these have."""
    left_out = () if cells.electrolyte else ("loss_electrolyte_concentration", "loss_electrolyte_ohmic")
    film = () if cells.ageing is not None and cells.ageing.sei != "none" else ("loss_film",)
    return tuple(name for name in NAMES if name not in left_out + film)


def series(cells: Cells) -> tuple[SeriesInfo, ...]:
    """The open-circuit voltage and the losses of one cell, positive as long as they cost."""
    losses = (SeriesInfo(name, NAMES[name], "V") for name in names(cells))
    return (SeriesInfo("open_circuit", "Open-circuit voltage of one cell", "V"), *losses)


def chart(cells: Cells) -> ChartInfo:
    return ChartInfo("losses", "Where the voltage goes", "V", series=names(cells), kind="area", y_title="Loss")


def decomposed(cells: Cells, cell: int) -> tuple[float, dict[str, float]]:
    """(open-circuit voltage at the mean stoichiometries [V], what each of :func:`names` takes from it [V]).

    Negative losses add to the voltage, as all do in charge. NaN once the cell's protocol has ended.
    """
    columns = cells.column(cell)
    state, given = (each[:, 0] for each in columns)
    if state[Row.ENDED] >= 0:
        return np.nan, dict.fromkeys(names(cells), np.nan)
    p = cells.parameters
    current, warmth = state[Row.CURRENT], state[Row.WARMTH] if cells.thermal else 0.0
    T = REFERENCE_TEMPERATURE + warmth
    inverse = 1 / REFERENCE_TEMPERATURE - 1 / T
    surfaces = [float(np.clip(each[0], EDGE, 1 - EDGE)) for each in cells.surfaces_of(*columns)]
    salt = np.maximum(state[Row.SALT : cells.aged], EDGE)
    found, open_circuit = {}, 0.0
    for k, (name, sign, ocp, entropic) in enumerate((
        ("negative", -1, p.negative_ocp, p.negative_entropic), ("positive", 1, p.positive_ocp, p.positive_entropic),
    )):  # fmt: skip
        start, mean, exchange, heat, skewed = ROWS[k]
        x = np.array([given[start] + state[mean], surfaces[k]])
        at_mean, at_surface = sign * (ocp(x) + warmth * entropic(x) if cells.thermal else ocp(x))
        open_circuit += float(at_mean)
        found[f"loss_{name}_diffusion"] = float(at_mean - at_surface)
        kinetic = given[exchange] * np.exp(-given[heat] * inverse)
        if cells.electrolyte:
            kinetic /= np.sqrt(salt[:ELECTROLYTE_CELLS] if sign < 0 else salt[-ELECTROLYTE_CELLS:]).mean()
        skew = given[skewed] if cells.asymmetric else 0.0
        driven = kinetic * current / np.sqrt(surfaces[k] * (1 - surfaces[k]))
        found[f"loss_{name}_kinetics"] = overpotential(driven, 0.5, T, (1 + skew) / 2)
    if cells.electrolyte:
        logarithms = np.log(salt)
        difference = logarithms[-ELECTROLYTE_CELLS:].mean() - logarithms[:ELECTROLYTE_CELLS].mean()
        found["loss_electrolyte_concentration"] = -GAS * T / FARADAY * given[Coefficient.TRANSFERENCE] * difference
        ionic = given[Coefficient.IONIC] * np.exp(-given[Coefficient.CONDUCTIVITY_HEAT] * inverse)
        found["loss_electrolyte_ohmic"] = ionic * current
    found["loss_ohmic"] = given[Coefficient.RESISTANCE] * current
    called = names(cells)
    if "loss_film" in called:
        found["loss_film"] = given[Coefficient.FILM_RESISTANCE] * float(film(cells, state, given)) * current
    return open_circuit, {name: float(found[name]) for name in called}


def film(cells: Cells, state: Array, given: Array) -> Array:
    """Thickness of the SEI [m] of columns of state and coefficients."""
    charge = state[cells.aged + AgeingRow.SEI] - state[cells.aged + AgeingRow.SEI_ERROR]
    return np.asarray(given[Coefficient.FILM] + given[Coefficient.FILM_GROWTH] * charge)


def observed(cells: Cells, cell: int) -> dict[str, float]:
    """The values of :func:`series`: losses count positive in discharge and in charge."""
    open_circuit, found = decomposed(cells, cell)
    sign = -1.0 if sum(found.values()) < 0 else 1.0
    return {"open_circuit": open_circuit, **{name: sign * value for name, value in found.items()}}
