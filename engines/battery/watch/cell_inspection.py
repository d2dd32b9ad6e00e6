"""What is known of one particle: its profile, its surface, what flows through it and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engines.api.charts import ChartData, ChartInfo, Curve, Fact, Inspection
from engines.battery.parameter_sets.constants import REFERENCE_TEMPERATURE
from engines.battery.step.cell_rows import AgeingRow, Row
from engines.battery.watch.losses import decomposed, film

if TYPE_CHECKING:
    from engines.battery.cells.step.cells import Cells

KELVIN, MICROMETRE, NANOMETRE, HOUR = 273.15, 1e-6, 1e-9, 3600.0
PROFILE = ChartInfo("profile", "Stoichiometry", "1", x_title="Radius", x_unit="µm")


def inspection(cells: Cells, cell: int, positive: bool, points: int) -> Inspection:
    """The particle of an electrode of ``cell``, its profile in ``points`` shells and at the surface."""
    electrode, k = ("positive", 1) if positive else ("negative", 0)
    chosen = np.array([cell])
    state, given = (each[:, 0] for each in cells.columns(chosen))
    profile = cells.stoichiometry(points, chosen)[k][:, 0]
    surface = float(cells.surfaces(chosen)[k][0])

    def scalar(name: str) -> float:
        return float(np.broadcast_to(cells.scalars[name], cells.n_cells)[cell])

    def own(name: str) -> float:
        return scalar(f"{electrode}_{name}")

    radius = own("particle_radius")
    area = 3 * scalar("electrode_area") * own("thickness") * own("active_fraction") / radius
    current = (-1 if positive else 1) * state[Row.CURRENT]
    if cells.ageing is not None and not positive:
        current += state[cells.aged + AgeingRow.SIDE]
    warmth = state[Row.WARMTH] if cells.thermal else 0.0
    p, x = cells.parameters, np.array([surface])
    potential, entropic = (p.positive_ocp, p.positive_entropic) if positive else (p.negative_ocp, p.negative_entropic)
    eta = (-1 if positive else 1) * decomposed(cells, cell)[1][f"loss_{electrode}_kinetics"]
    facts = [
        Fact("Radius", radius / MICROMETRE, "µm"),
        Fact("Stoichiometry at the surface", surface, "1"),
        Fact(
            "Stoichiometry, mean", float(np.average(profile, weights=np.diff(np.linspace(0, 1, points + 1) ** 3))), "1"
        ),
        Fact("Current density out of the surface", float(current / area), "A/m²"),
        Fact("Overpotential", 1e3 * eta, "mV"),
        Fact("Open-circuit potential", float((potential(x) + warmth * entropic(x))[0]), "V"),
        Fact("Terminal voltage of the cell", float(state[Row.VOLTAGE]), "V"),
    ]
    if cells.thermal:
        facts.append(Fact("Temperature", float(warmth) + REFERENCE_TEMPERATURE - KELVIN, "°C"))
    if cells.ageing is not None and not positive:
        facts += [
            Fact("Potential against lithium", float(state[cells.aged + AgeingRow.ANODE]), "V"),
            Fact("Thickness of the SEI", float(film(cells, state, given)) / NANOMETRE, "nm"),
            Fact("Lithium lost", float(cells.lost(state[:, None])[0]) / HOUR, "A h"),
        ]
    shells = (np.arange(points) + 0.5) / points
    curve = Curve("Profile", np.append(shells, 1.0) * radius / MICROMETRE, np.append(profile, surface))
    return Inspection(f"Cell {cell + 1:,}, {electrode} particle", tuple(facts), ((PROFILE, ChartData((curve,))),))
