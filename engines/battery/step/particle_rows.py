"""Rows of a particle's state that its kernels share, declared once for both twins.

Kernels on the CPU take the names from here, those on a GPU from ``particle_rows.cuh`` (headers.py).
"""

from enum import IntEnum

MODES = 16
"""Eigenmodes that are followed. With them Chen2020 at 1C is 0.013 mV from the full series at 10 s, less after."""


class BaseRow(IntEnum):
    """Of the base that the deviations of a particle's shells count from."""

    BASE = 0
    ERROR = 1  # rounding error, carried along (Kahan)


class ModeRow(IntEnum):
    """Of a particle as eigenmodes."""

    MEAN = 0
    MEAN_ERROR = 1  # rounding error, carried along (Kahan)
    MODES = 2  # amplitudes from here on
