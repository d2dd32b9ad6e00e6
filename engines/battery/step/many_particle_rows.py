"""What the kernels of many particles know by number, declared once for both twins: rows of arrays, limits.

Kernels on the CPU take the names from here, those on a GPU from ``many_particle_rows.cuh`` (headers.py).
"""

from enum import IntEnum

ELECTRODES = ("negative", "positive")
"""In the order of particles and of what there is one of per electrode."""
MOST_PASSES = 40
"""Steps of Newton's method at most."""
ASIDE = 1e-3
"""Of stoichiometry, about: how far aside the first chord is taken where a diffusivity varies."""
EDGE = 1e-6
"""Stoichiometries end at it and at 1 − it."""
TOLERANCE = {"float32": 3.5e-5, "float64": 7e-7}
"""Spread of the residual [V] at which a last Newton step leaves its square over 2RT/F: 2.5e-8 and 1e-11 V."""


class Row(IntEnum):
    """Rows of the particles' state. Stoichiometries are deviations from the start."""

    MEAN = 0
    MEAN_ERROR = 1  # rounding error of the row before, carried along (Kahan)
    FLUX = 2  # q at the end of the last step [A]
    MODES = 3  # or what the shells have beyond the mean, where a diffusivity varies


class Coefficient(IntEnum):
    """Rows of the particles' coefficients."""

    WEIGHT = 0  # share of the electrode's surface
    RATE = 1  # D/R² [1/s]
    GAIN = 2  # [1/A]
    GROWTH = 3  # [1/(A s)]


class CellRow(IntEnum):
    """What there is one of. Potentials are ±(φ − U(x0)), + of the negative and − of the positive electrode."""

    CHARGE = 0  # that has left the cell [A s]
    CHARGE_ERROR = 1
    VOLTAGE = 2  # at the end of the last step [V]
    CURRENT = 3  # at the end of the last step, positive in discharge [A]
    INSTRUCTION = 4
    ELAPSED = 5  # steps in it
    ENDED = 6  # time at which the protocol ended [s], −1 before
    NEGATIVE_POTENTIAL = 7
    POSITIVE_POTENTIAL = 8


class Constant(IntEnum):
    """Numbers of the cell; the first three repeat for the positive electrode."""

    SIGN = 0
    START = 1  # initial stoichiometry
    KINETIC = 2  # [1/A]
    POSITIVE = 3
    RESISTANCE = 6  # contact [Ω]
    REST_VOLTAGE = 7
    THERMAL_VOLTAGE = 8  # 2RT/F [V]


class Scratch(IntEnum):
    """Rows of what is kept of particles within a step: x = A + B q at the surface, Newton's step."""

    RELAXED = 0  # A
    RESPONSE = 1  # B [1/A]
    TARGET = 2  # q + r/d [A]
    MOBILITY = 3  # 1/d [A/V]
    EXCHANGE = 4  # √(x (1 − x))/kinetic: the current at which sinh is 1 [A]


class Sum(IntEnum):
    """Sums over particles of an electrode."""

    TARGET = 0  # Σ w (q + r/d)
    MOBILITY = 1  # Σ w/d
    LOWEST = 2  # extremes of r
    HIGHEST = 3
