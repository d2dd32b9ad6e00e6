"""What the kernels of cells know by number, declared once for both twins: rows of arrays, tables, limits.

Kernels on the CPU take the names from here, those on a GPU from ``cell_rows.cuh`` (headers.py).
"""

from enum import IntEnum

from engines.battery.parameter_sets.constants import FARADAY, GAS
from engines.battery.step.particle_rows import MODES

ELECTROLYTE_CELLS = 8
"""Finite volumes of the electrolyte in each of negative electrode, separator and positive electrode."""
ELECTROLYTE_RANGE = 4.0
"""Concentrations of the electrolyte that its curves cover, as multiples of the initial one."""
EXHAUSTED = 1e-3
"""Share of the initial concentration at which a volume of the electrolyte counts as empty: what is linear in the
concentration has no meaning below 0."""
GAS_PER_FARADAY = GAS / FARADAY
"""[V/K]"""


class Row(IntEnum):
    """Rows of the state: (rows, n_padded). Stoichiometries are deviations from the start."""

    NEGATIVE_MEAN = 0
    NEGATIVE_MEAN_ERROR = 1  # rounding error of the row before, carried along (Kahan)
    POSITIVE_MEAN = 2
    POSITIVE_MEAN_ERROR = 3
    CHARGE = 4  # that has left the cell [A s]
    CHARGE_ERROR = 5
    WARMTH = 6  # temperature − 298.15 K [K]
    VOLTAGE = 7  # at the end of the last step [V]
    CURRENT = 8  # at the end of the last step that was taken, positive in discharge [A]; drive cycles differ within
    INSTRUCTION = 9  # number of the instruction that the cell is at
    ELAPSED = 10  # steps in it
    ENDED = 11  # time at which the protocol ended [s], −1 before
    NEGATIVE_MODES = 12
    POSITIVE_MODES = 12 + MODES
    SALT = 12 + 2 * MODES  # concentration in the electrolyte over its start (SPMe)


class AgeingRow(IntEnum):
    """Rows of the state behind the others (``Cells.aged``)."""

    SEI = 0  # charge in it, beyond the film at the start [A s]
    SEI_ERROR = 1  # rounding error of the row before, carried along (Kahan)
    PLATED = 2
    PLATED_ERROR = 3
    SEI_CURRENT = 4  # of the next step [A]
    PLATING_CURRENT = 5
    SIDE = 6  # both, of the last step
    ANODE = 7  # potential against lithium at the end of the last step [V]
    LOWEST_ANODE = 8  # of the cycle
    DISCHARGED = 9  # in the cycle, to the cut-off [A s]
    DISCHARGED_ERROR = 10
    CHARGED = 11
    CHARGED_ERROR = 12
    BEYOND = 13  # what has flown since a cut-off within its step, and is in neither yet [A s], positive in discharge


class CycleRow(IntEnum):
    """What is recorded of each cycle at its end."""

    DISCHARGED = 0  # [A s]
    CHARGED = 1
    SEI = 2  # charge in it since the start [A s]
    PLATED = 3
    LOWEST_ANODE = 4  # [V]


class Coefficient(IntEnum):
    """Rows of the coefficients; the names after NEGATIVE_ repeat for the positive electrode."""

    NEGATIVE_RATE = 0  # D/R² [1/s]
    NEGATIVE_GAIN = 1  # [1/A], negative: discharge takes lithium out
    NEGATIVE_GROWTH = 2  # [1/(A s)]
    NEGATIVE_KINETIC = 3  # [1/A]
    NEGATIVE_START = 4  # initial stoichiometry
    NEGATIVE_DIFFUSION_HEAT = 5  # activation energy over the gas constant [K]
    NEGATIVE_REACTION_HEAT = 6
    POSITIVE_RATE = 7
    POSITIVE_GAIN = 8
    POSITIVE_GROWTH = 9
    POSITIVE_KINETIC = 10
    POSITIVE_START = 11
    POSITIVE_DIFFUSION_HEAT = 12
    POSITIVE_REACTION_HEAT = 13
    RESISTANCE = 14  # contact, and in the SPMe the solid [Ω]
    HEAT_CAPACITY = 15  # [J/K]
    COOLING = 16  # [W/K]
    AMBIENT = 17  # ambient − 298.15 K [K]
    NEGATIVE_CAPACITY = 18  # ε times thickness of a finite volume of the electrolyte [m]
    SEPARATOR_CAPACITY = 19
    POSITIVE_CAPACITY = 20
    NEGATIVE_CONDUCTANCE = 21  # ε^b over that thickness [1/m]
    SEPARATOR_CONDUCTANCE = 22
    POSITIVE_CONDUCTANCE = 23
    SALT_SOURCE = 24  # (1 − t⁺)/(F A c_e0) per finite volume of an electrode [m/(A s)]
    IONIC = 25  # (L_n/3ε_n^b + L_s/ε_s^b + L_p/3ε_p^b)/(A κ): resistance of the electrolyte at 298.15 K [Ω]
    TRANSFERENCE = 26  # 2 (1 − t⁺)
    SALT_DIFFUSION_HEAT = 27
    CONDUCTIVITY_HEAT = 28
    SALT_RATIO = 29  # initial concentration of the electrolyte over that of the curve
    NEGATIVE_SKEW = 30  # 2α − 1: anodic in discharge; rows from here on only where α is not ½ or the cells age
    POSITIVE_SKEW = 31  # 1 − 2α: cathodic in discharge
    SEI_REACTION = 32  # one over the current of the reaction at its own potential [1/A]; rows from here on: ageing.py
    SEI_DIFFUSION = 33  # one over the current through a film of 1 m [1/(A m)]
    SEI_POTENTIAL = 34  # [V]
    SEI_HEAT = 35
    FILM = 36  # thickness at the start [m]
    FILM_GROWTH = 37  # [m/(A s)]
    FILM_RESISTANCE = 38  # [Ω/m]
    PLATING = 39  # exchange current [A]
    PLATING_TRANSFER = 40
    PLATING_BELOW_ZERO = 41  # 1: Butler-Volmer's law below 0 V, 0: Tafel's at all potentials


class Table(IntEnum):
    """The curves that kernels look up, in their order."""

    NEGATIVE_OCP = 0
    POSITIVE_OCP = 1
    NEGATIVE_ENTROPIC = 2
    POSITIVE_ENTROPIC = 3
    ELECTROLYTE_DIFFUSIVITY = 4
    NEGATIVE_DIFFUSIVITY = 5  # over that of the set; these only where one of them varies
    POSITIVE_DIFFUSIVITY = 6
