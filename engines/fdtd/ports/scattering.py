"""Scattering parameters of ports from their voltages and currents.

At a port of real reference impedance Z with voltage V and current I into the network,

    a = (V + Z I)/(2√Z),    b = (V − Z I)/(2√Z)

are the waves into and out of it, |a|²/2 and |b|²/2 their powers (Kurokawa, doi 10.1109/TMTT.1965.1125964), and
``b = S a``. A port that ends in its own Z has a = 0, so a run that drives port j alone gives the column
``S_ij = b_i/a_j``. Amplitudes of a guide's modes of unit power, in and out, are a and b as they are.
"""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve

FAINT = 1e-12
"""Of the largest wave in: below it nothing comes in that one could refer to."""
FLOOR = 1e-8
"""Smaller parameters are drawn as this, −160 dB."""


def waves(voltage: Array, current: Array, impedance: Array | float) -> tuple[Array, Array]:
    """a and b [√W] of V [V] and I [A] of any shape; impedance: [Ω], one or of a shape that goes with them."""
    root = np.sqrt(np.asarray(impedance, float))
    return 0.5 * (voltage / root + current * root), 0.5 * (voltage / root - current * root)


def scattering_column(into: Array, out: Array, driven: int) -> Array:
    """``S_ij`` (f, n) of a run that drives port ``driven`` alone and ends the others in their impedances.

    into, out: (f, n); NaN where hardly anything goes in.
    """
    a = into[:, driven]
    known = np.abs(a) > FAINT * np.abs(a).max(initial=0.0)
    return np.where(known[:, None], out / np.where(known, a, 1.0)[:, None], np.nan)


def input_impedance(reflection: Array, impedance: float) -> Array:
    """``Z (1 + S)/(1 − S)`` [Ω] of a port with reflection S; infinite for an open end."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(impedance * (1 + reflection) / (1 - reflection))


def decibels(parameters: Array) -> Array:
    """``20 log₁₀ |S|``."""
    return np.asarray(20 * np.log10(np.maximum(np.abs(parameters), FLOOR)))


def scattering_info(name: str, unit: str) -> ChartInfo:
    """unit: of frequencies."""
    return ChartInfo(name, "S-parameters", "dB", x_title="Frequency", x_unit=unit, comparable=True, y_title="|S|")


def scattering_chart(frequencies: Array, column: Array, driven: int) -> ChartData:
    """A curve for each port, that of the driven one first; column: (f, n)."""
    if not np.isfinite(column).any():
        return EMPTY
    ports = [driven, *(port for port in range(column.shape[1]) if port != driven)]
    title = "S{}{}" if len(ports) < 10 else "S{},{}"
    curves = []
    for port in ports:
        curves.append(Curve(title.format(port + 1, driven + 1), frequencies, decibels(column[:, port])))
    return ChartData(tuple(curves))


def impedance_info(name: str, unit: str) -> ChartInfo:
    return ChartInfo(name, "Input impedance", "Ω", x_title="Frequency", x_unit=unit, comparable=True)


def impedance_chart(frequencies: Array, impedance: Array) -> ChartData:
    """impedance: (f,) complex [Ω]."""
    if not np.isfinite(impedance).any():
        return EMPTY
    return ChartData(
        (Curve("Resistance", frequencies, impedance.real), Curve("Reactance", frequencies, impedance.imag))
    )
