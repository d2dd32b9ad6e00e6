"""Plane waves at any angle: the direction that a grid carries without leak, and the line that such a wave travels on.

A plane wave whose phase changes by m_x : m_y : m_z (integers) from node to node along x, y, z has values that depend on
ξ = m · (i, j, k) alone. Yee's six equations then close on a line of places ξ, with differences that reach over m_x, m_y
and m_z places, and the wave on the line is the wave on the grid, number for number: nothing leaks from the total-field
box but rounding (Tan and Potter, doi 10.1109/TAP.2010.2055777). Integers up to MOST_REACH come within about 0.1° of any
direction.

The line begins with values of the grid's own dispersion: filters over ``TAPS`` samples of the waveform, fitted over
its band, give each component its amplitude and delay. It ends in a layer of matched loss, which a plane wave enters
head-on. E = cos ψ θ̂ + sin ψ φ̂ for a wave that goes to (sin θ cos φ, sin θ sin φ, cos θ).

Along a periodic axis the box has no faces, and m is 0: the wave goes across that axis. So it does in a plane, where
ψ = 0 is TM and ψ = 90° is TE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee
from engines.fdtd.media.materials import Medium
from engines.fdtd.sources.incident import Range
from engines.fdtd.sources.waveforms import TimeCourse

MOST_REACH = 240
CLOSE = 0.1
"""Degrees: the smallest integers that come so close are taken; they are 55 on the average on cubes."""
TAPS = 13
"""Samples of a waveform that a value at the head of a line is made of: residual of the fit below 1e-6."""
END = 40
"""Cells of the absorbing end of a line."""
ORDER = 3
STRENGTH = 12.0
"""Nepers that the end takes from a wave on its way in: e⁻²⁴ comes back, were it smooth."""
ROUNDING = 1e-12
BAND = 2.0
"""The filters hold up to so many times the highest frequency."""


@dataclass(frozen=True)
class ObliqueWave:
    """A plane wave to (θ, φ) [rad] polarized at ψ [rad], of ``amplitude`` [V/m], inside of the total-field box."""

    theta: float
    phi: float
    psi: float
    amplitude: float
    waveform: TimeCourse
    margin: int = 4


@dataclass(frozen=True)
class ObliqueLine:
    """Signals ``first … first + TAPS`` are the waveform's samples, behind them E_x … E_z, H_x … H_z of ``length`` each.

    strides: (3,) int32, m; reach: the largest of |m|; head: (6, reach, TAPS) filters; decay: (6, length) what a step
    leaves of a value (1, less in the absorbing end); inverse: (3,) smallest spacing over spacing
    """

    first: int
    length: int
    strides: Array
    reach: int
    head: Array
    decay: Array
    inverse: Array
    cb: float
    db: float

    @property
    def size(self) -> int:
        """Signals in all."""
        return TAPS + 6 * self.length


def direction(theta: float, phi: float) -> Array:
    return np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])


def polarization(wave: ObliqueWave) -> Array:
    """(3,) of E, with zeros for what is rounding alone: in a plane TM and TE are then apart."""
    cos_theta, sin_theta = np.cos(wave.theta), np.sin(wave.theta)
    along_theta = np.array([cos_theta * np.cos(wave.phi), cos_theta * np.sin(wave.phi), -sin_theta])
    along_phi = np.array([-np.sin(wave.phi), np.cos(wave.phi), 0.0])
    aim = np.cos(wave.psi) * along_theta + np.sin(wave.psi) * along_phi
    return np.where(np.abs(aim) < ROUNDING, 0.0, aim)


def steps_towards(wanted: Array, spacing: Sequence[float]) -> tuple[Array, float]:
    """Integers m for a direction (3,) on cells of ``spacing``, and by how many degrees they miss it."""
    cell = np.asarray(spacing)
    target = wanted * cell / np.abs(wanted * cell).max()
    best, error = np.zeros(3, np.int64), 180.0
    for scale in range(1, MOST_REACH + 1):
        m = np.rint(target * scale).astype(np.int64)
        real = m / cell
        miss = float(np.degrees(np.arctan2(np.linalg.norm(np.cross(real, wanted)), real @ wanted)))
        if miss < error - 1e-9:
            best, error = m, miss
        if error < CLOSE:
            break
    return best, error


def phase_per_place(strides: Array, spacing: Array, omega: Array, dt: float, index: float) -> Array:
    """κ: (n,) of the grid's own dispersion, ``Σ (2 sin(κ m/2)/Δ)² = (2 n sin(ωΔt/2)/(cΔt))²``, by Newton."""
    squared = (2 * index * np.sin(omega * dt / 2) / (SPEED_OF_LIGHT * dt)) ** 2
    m, h = strides[:, None], spacing[:, None]
    length = np.sqrt(((strides / spacing) ** 2).sum())
    kappa = index * omega / (SPEED_OF_LIGHT * length)
    for _ in range(30):
        value = ((2 * np.sin(kappa * m / 2) / h) ** 2).sum(axis=0) - squared
        slope = (2 * m * np.sin(kappa * m) / h**2).sum(axis=0)
        kappa = kappa - np.divide(value, slope, out=np.zeros_like(value), where=slope > 0)
    return np.asarray(kappa)


def offsets(strides: Array) -> Array:
    """(6,) by how many half places E_x … H_z stand behind their index on the line."""
    return np.concatenate([strides, strides.sum() - strides])


def make_line(
    yee: Yee, around: Medium, wave: ObliqueWave, box: Sequence[Range], dt: float, first: int
) -> tuple[ObliqueLine, int]:
    """The line, and the place of node (0, 0, 0) on it. Raises ProblemError."""
    spacing = np.array(yee.spacing)
    wanted = direction(wave.theta, wave.phi)
    strides, _ = steps_towards(wanted, yee.spacing)
    reach = int(np.abs(strides).max())
    corners = np.array([[m * low, m * high] for m, (low, high) in zip(strides, box, strict=True)])
    nearest, farthest = int(corners.min(axis=1).sum()), int(corners.max(axis=1).sum())
    origin = 3 * reach - nearest
    end = farthest + origin + 3 * reach
    per_cell = yee.smallest * float(np.sqrt(((strides / spacing) ** 2).sum()))
    layer = int(np.ceil(END * per_cell))
    length = end + layer + reach
    halves = offsets(strides)
    depth = np.clip((np.arange(length) + halves[:, None] / 2 - end) / layer, 0.0, 1.0)
    # the loss integrates to STRENGTH nepers over the layer
    thickness = END * yee.smallest
    loss = STRENGTH * (ORDER + 1) * SPEED_OF_LIGHT * dt / (around.index * thickness) * depth**ORDER / 2
    head = _filters(strides, spacing, halves, reach, wave, dt, around)
    courant = SPEED_OF_LIGHT * dt / yee.smallest
    line = ObliqueLine(
        first, length, strides.astype(np.int32), reach, head, (1 - loss) / (1 + loss), yee.smallest / spacing,
        courant / around.permittivity, courant / around.permeability,
    )  # fmt: skip
    return line, origin


def _filters(
    strides: Array, spacing: Array, halves: Array, reach: int, wave: ObliqueWave, dt: float, around: Medium
) -> Array:
    """(6, reach, TAPS): E at the end of a step and H half a step later from samples around the end of that step."""
    limit = 2 / dt * np.arcsin(min(1.0, 0.9 * _largest(strides, spacing, dt, around.index)))
    top = min(BAND * 2 * np.pi * wave.waveform.highest_frequency, limit)
    omega = top * (1 - np.cos(np.pi * (np.arange(48) + 0.5) / 48)) / 2  # crowded at both ends, where fits are worst
    kappa = phase_per_place(strides, spacing, omega, dt, around.index)
    k = 2 * np.sin(kappa * strides[:, None] / 2) / spacing[:, None]  # (3, n)
    w = 2 * np.sin(omega * dt / 2) / (SPEED_OF_LIGHT * dt)
    aim = polarization(wave)
    e = aim[:, None] - k * (aim @ k) / (k**2).sum(axis=0)
    e /= np.linalg.norm(e, axis=0)
    h = np.cross(k, e, axis=0) / (around.permeability * w)
    place = np.arange(reach) + halves[:, None] / 2  # (6, reach)
    phase = np.exp(-1j * kappa * place[..., None])  # (6, reach, n)
    phase[3:] *= np.exp(1j * omega * dt / 2)
    values = np.concatenate([e, h])[:, None, :] * phase
    taps = np.arange(TAPS) - TAPS // 2
    samples = np.exp(1j * omega[:, None] * taps * dt)  # (n, TAPS)
    matrix = np.concatenate([samples.real, samples.imag])
    right = np.concatenate([values.real, values.imag], axis=-1).reshape(-1, 2 * len(omega))
    # the band is a small part of what samples can hold: the filters are kept small where they do not matter
    found = np.linalg.lstsq(matrix, right.T, rcond=1e-8)[0].T
    return np.ascontiguousarray(found.reshape(6, reach, TAPS))


def _largest(strides: Array, spacing: Array, dt: float, index: float) -> float:
    """sin(ωΔt/2) of the highest wave that a line carries in one way: the fastest stride has half a turn."""
    kappa = np.pi / np.abs(strides).max()
    return float(SPEED_OF_LIGHT * dt / index * np.sqrt(((np.sin(kappa * strides / 2) / spacing) ** 2).sum()))


@dataclass(frozen=True)
class OnLine:
    """An :class:`ObliqueLine` as what is known around a box (:class:`engines.fdtd.sources.incident.Incident`)."""

    line: ObliqueLine
    origin: int

    def terms(self, electric: bool, component: int, i: Array, j: Array, k: Array) -> list[tuple[Array, Array]]:
        row = component if electric else 3 + component
        if not self.line.head[row].any():
            return []
        m = self.line.strides
        place = m[0] * i + m[1] * j + m[2] * k + self.origin
        start = self.line.first + TAPS + row * self.line.length
        return [(start + place, np.ones(place.shape))]


def check_open(yee: Yee, wraps: Sequence[bool], wave: ObliqueWave) -> None:
    """Raises ProblemError for periodic and for graded axes along which the phase of the wave changes."""
    strides, _ = steps_towards(direction(wave.theta, wave.phi), yee.spacing)
    if yee.flat[1] and strides[1:].any():
        raise ProblemError(
            "Along a line an oblique plane wave goes along it: set its θ to 90° and its φ to 0° or 180°."
        )
    if yee.flat[2] and strides[2]:
        raise ProblemError("In a plane an oblique plane wave goes in the plane: set its θ to 90°.")
    for name, periodic, line, stride in zip("xyz", wraps, yee.lines, strides, strict=True):
        if not stride:
            continue
        if line is not None:
            raise ProblemError(
                f"An oblique plane wave needs cells of one size along {name}: remove its finer regions, or send a wave "
                "along an axis."
            )
        if periodic:
            raise ProblemError(
                f"An oblique plane wave has another phase at each face of {name}, which are periodic: "
                f"use CPML there, or a direction across {name}."
            )
