"""Gaussian beams as sums of the plane waves that the grid carries, so that also tight beams solve its equations.

E along the polarization is a Gaussian at the focus; each plane wave of its spectrum goes to the sheet with the grid's
own wave number, and has the E and H that belong to it there. Waves that do not travel are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Medium
from engines.fdtd.sources.incident import Range
from engines.fdtd.sources.sheets import NAMES, Beam, Profile, across, carrier_of

REACH = 4.0
"""The spectrum of a beam is taken up to e^{-REACH²} of its largest amplitude."""


def beam_profile(
    yee: Yee, axes: Sequence[Axis], around: Medium, beam: Beam, node: int, box: Sequence[Range], dt: float, what: str
) -> Profile:
    """Fields over the open part of the sheet at ``node``. Raises ProblemError."""
    s, p = beam.axis, beam.polarization
    if s == p:
        raise ProblemError(f"{what} goes along {NAMES[s]} and has its field across that: choose another polarization.")
    q = 3 - s - p
    omega = carrier_of(beam.waveform, what)
    sign = 1.0 if beam.forward else -1.0
    w = 2 * np.sin(omega * dt / 2) / (SPEED_OF_LIGHT * dt)
    h = {d: _spacing(yee, d, beam.focus[d]) for d in range(3)}
    kappa = {d: _spectrum(yee, axes[d], d, beam, around.index * w) for d in (p, q)}
    grid = np.meshgrid(kappa[p], kappa[q], indexing="ij")
    k = {d: 2 * np.sin(each * h[d] / 2) / h[d] for d, each in zip((p, q), grid, strict=True)}
    left = (around.index * w) ** 2 - k[p] ** 2 - k[q] ** 2
    travels = (left > 0) & (left * h[s] ** 2 < 4)
    k_s = np.sqrt(np.where(travels, left, 1.0))
    kappa_s = sign * 2 / h[s] * np.arcsin(np.minimum(k_s * h[s] / 2, 1.0))
    k[s] = sign * k_s
    amplitude = np.where(travels, np.exp(-(grid[0] ** 2 + grid[1] ** 2) * beam.waist**2 / 4), 0.0)
    amplitude = amplitude * beam.amplitude / amplitude.sum()
    # E_q is zero, so E_s follows from k · E = 0
    e = {p: amplitude, q: np.zeros_like(amplitude), s: -k[p] * amplitude / k[s]}
    h_p, h_q = (
        (k[(c + 1) % 3] * e[(c + 2) % 3] - k[(c + 2) % 3] * e[(c + 1) % 3]) / (around.permeability * w) for c in (p, q)
    )
    distance = yee.nodes(s)[node] - beam.focus[s]
    main = 2 / h[s] * np.arcsin(around.index * w * h[s] / 2)
    # half a cell before the sheet; the common phase of that half is the advance in time
    phase_e = np.exp(-1j * kappa_s * distance)
    phase_h = np.exp(-1j * kappa_s * (distance - sign * h[s] / 2)) * np.exp(-0.5j * main * h[s])

    def at(values: Array, phase: Array, half_p: bool, half_q: bool) -> Array:
        x, y = (_places(yee, d, box[d], half) - beam.focus[d] for d, half in ((p, half_p), (q, half_q)))
        left = np.exp(-1j * np.outer(x, kappa[p]))
        field = left @ (values * phase) @ np.exp(-1j * np.outer(kappa[q], y))
        return field if across(s) == (p, q) else np.ascontiguousarray(field.T)

    fields = {
        (True, p): at(e[p], phase_e, True, False),
        (False, p): at(h_p, phase_h, False, True),
        (False, q): at(h_q, phase_h, True, False),
    }
    return Profile(fields, main * h[s] / (2 * omega))


def radius_at(beam: Beam, distance: float) -> float:
    """w(z) of the paraxial beam, ``distance`` from its focus [length unit]."""
    wavelength = SPEED_OF_LIGHT / beam.waveform.carrier
    return float(beam.waist * np.hypot(1.0, distance * wavelength / (np.pi * beam.waist**2)))


def _spacing(yee: Yee, d: int, place: float) -> float:
    cell = yee.cell_at(d, place)
    return float(yee.nodes(d)[cell + 1] - yee.nodes(d)[cell])


def _places(yee: Yee, d: int, window: Range, half: bool) -> Array:
    low, high = window
    return yee.halves(d)[low:high] if half else yee.nodes(d)[low : high + 1]


def _spectrum(yee: Yee, axis: Axis, d: int, beam: Beam, most: float) -> Array:
    """Wave numbers along an axis across: so fine that the beam's next image is beyond the grid, uniform on a periodic
    one."""
    if axis.wraps:
        return np.zeros(1)
    span = float(np.ptp(yee.nodes(d)))
    step = 2 * np.pi / (3 * span + 8 * beam.waist)
    count = int(np.ceil(min(most, 2 * REACH / beam.waist) / step))
    return step * np.arange(-count, count + 1)
