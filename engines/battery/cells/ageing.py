"""What takes lithium out of a cell over its cycles, on the negative electrode: growth of the SEI, and plating.

With A_s = 3 ε A L/R the surface of the negative particles, φ = U_n(x_n) + η_n the potential of the graphite against
lithium under its film of thickness L, and f = F/RT:

    SEI      j = F c / [e^{f (φ − U_SEI)/2}/k + L/D],   L = L_0 + V̄ Q_SEI/(z F A_s)
             reaction limited: F c k = j0, L/D → 0;  solvent-diffusion limited: 1/k → 0;  ec reaction limited: both
    film     an overpotential I L R_SEI/A_s
    plating  j = F k c_e e^{−α f φ} (Tafel, at any φ), or F k c_e [e^{−α f φ} − e^{(1−α) f φ}] where φ < 0

(S. G. Marquis, PhD thesis, Oxford 2020, eqs. 5.91, 5.92; X. Yang et al., J. Power Sources 360 (2017) 28, eqs. 10, 11;
S. E. J. O'Kane et al., J. Electrochem. Soc. 167 (2020) 090540.) What they take, the particles give: these carry
I + I_side. As in PyBaMM the overpotential is that of the whole current. Plated lithium is not stripped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.constants import FARADAY, GAS, REFERENCE_TEMPERATURE
from engines.battery.step.cell_rows import AgeingRow

if TYPE_CHECKING:
    from engines.battery.parameters import BatteryParameters

SeiLaw = Literal["none", "reaction limited", "solvent-diffusion limited", "ec reaction limited"]
PlatingLaw = Literal["none", "irreversible", "below 0 V"]

FILM_NUMBERS = ("sei_lithium_ratio", "sei_molar_volume", "sei_initial_thickness", "sei_resistivity", "sei_activation")
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "reaction limited": (*FILM_NUMBERS, "sei_potential", "sei_exchange_current"),
    "solvent-diffusion limited": (*FILM_NUMBERS, "sei_solvent_diffusivity", "sei_solvent_concentration"),
    "ec reaction limited": (
        *FILM_NUMBERS, "sei_potential", "sei_ec_rate", "sei_ec_diffusivity", "sei_ec_concentration",
    ),
    "irreversible": ("plating_rate", "plating_transfer_coefficient"),
    "below 0 V": ("plating_rate", "plating_transfer_coefficient"),
}  # fmt: skip
"""What each law needs of a parameter set."""


@dataclass(frozen=True)
class Ageing:
    """Which laws hold."""

    sei: SeiLaw = "none"
    plating: PlatingLaw = "none"

    def check(self, parameters: ParameterSet) -> None:
        """Raises ProblemError where the set does not give what a law needs."""
        for what, law in (("SEI growth", self.sei), ("Lithium plating", self.plating)):
            missing = [name for name in NUMBERS[law] if np.isnan(parameters.scalars[name].value)]
            if missing:
                raise ProblemError(
                    f"{what}: {parameters.id} gives no {missing[0].replace('_', ' ')}. Choose OKane2022, or 'none'."
                )

    def coefficients(self, p: Mapping[str, Array]) -> dict[str, Array]:
        """The rows of :class:`Coefficient` from SEI_REACTION on."""
        surface = negative_surface(p)
        none, nothing = np.full(1, np.inf), np.zeros(1)
        rows = dict.fromkeys(("sei_diffusion", "sei_potential", "sei_heat"), nothing)
        rows |= dict.fromkeys(("film", "film_growth", "film_resistance"), nothing)
        rows |= {"sei_reaction": none, "plating": nothing, "plating_transfer": np.full(1, 0.5)}
        if self.sei != "none":
            rows |= {
                "sei_reaction": nothing,
                "sei_heat": p["sei_activation"] / GAS,
                "film": p["sei_initial_thickness"],
                "film_growth": p["sei_molar_volume"] / (p["sei_lithium_ratio"] * FARADAY * surface),
                "film_resistance": p["sei_resistivity"] / surface,
            }
        if self.sei == "reaction limited":
            rows |= {"sei_reaction": 1 / (p["sei_exchange_current"] * surface), "sei_potential": p["sei_potential"]}
        elif self.sei == "solvent-diffusion limited":
            flow = FARADAY * p["sei_solvent_concentration"] * p["sei_solvent_diffusivity"]
            rows |= {"sei_diffusion": 1 / (flow * surface)}
        elif self.sei == "ec reaction limited":
            amount = FARADAY * p["sei_ec_concentration"] * surface
            rows |= {
                "sei_reaction": 1 / (amount * p["sei_ec_rate"]),
                "sei_diffusion": 1 / (amount * p["sei_ec_diffusivity"]),
                "sei_potential": p["sei_potential"],
            }
        if self.plating != "none":
            rows |= {
                "plating": FARADAY * p["plating_rate"] * p["electrolyte_concentration"] * surface,
                "plating_transfer": p["plating_transfer_coefficient"],
            }
        return rows | {"plating_below_zero": np.full(1, float(self.plating == "below 0 V"))}

    def start(self, rows: Mapping[str, Array], anode: Array, warmth: Array) -> Array:
        """(len(AgeingRow), n): the state of cells that rest at the potential ``anode: (n,)`` [V].

        ``rows``: the coefficients by their names; ``warmth``: temperatures less 298.15 K.
        """
        T = REFERENCE_TEMPERATURE + warmth
        f = FARADAY / (GAS * T)
        faster = np.exp(rows["sei_heat"] * (1 / REFERENCE_TEMPERATURE - 1 / T))
        hindered = rows["sei_reaction"] * np.exp(f / 2 * (anode - rows["sei_potential"]))
        state = np.zeros((len(AgeingRow), len(anode)))
        state[AgeingRow.SEI_CURRENT] = faster / (hindered + rows["sei_diffusion"] * rows["film"])
        alpha = rows["plating_transfer"]
        back = np.where(rows["plating_below_zero"] > 0, np.exp((1 - alpha) * f * anode), 0.0)
        driven = rows["plating"] * (np.exp(-alpha * f * anode) - back)
        state[AgeingRow.PLATING_CURRENT] = np.maximum(driven, 0.0)
        state[AgeingRow.ANODE] = state[AgeingRow.LOWEST_ANODE] = anode
        return state


def ageing_of(parameters: BatteryParameters) -> Ageing | None:
    """What ages the cells of a problem; None where nothing does."""
    chosen = parameters.ageing
    return None if chosen.sei == chosen.plating == "none" else Ageing(chosen.sei, chosen.plating)


def negative_surface(p: Mapping[str, Array]) -> Array:
    """Surface of the negative particles [m²]."""
    solid = p["electrode_area"] * p["negative_thickness"] * p["negative_active_fraction"]
    return np.asarray(3 * solid / p["negative_particle_radius"])
