"""The far field of what a closed surface holds: Huygens' surface currents in the space around.

With J = n × H and M = −n × E on the surface (n outwards), r̂ the direction and ``exp(+iωt)``,

    N = ∮ J exp(ik r'·r̂) dA,    L = ∮ M exp(ik r'·r̂) dA
    E_θ = −ik g (L_φ + η N_θ),    E_φ = +ik g (L_θ − η N_φ),    g = exp(−ikr)/(4πr)

(Taflove and Hagness, ch. 8; Balanis, Antenna Theory, ch. 12.2). In two dimensions the integral is over a line and
``g = exp(−ikρ − iπ/4)/√(8πkρ)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.fdtd.far.directions import Directions
from engines.fdtd.far.kernel import radiation_vectors, rows_of
from engines.fdtd.far.spectra import Mirror, SurfaceSpectra, with_images
from engines.fdtd.grid.yee import VACUUM_IMPEDANCE

METRES_PER_SECOND = 299_792_458.0
FLOOR = 1e-12
"""Of the largest: smaller intensities are shown as this, for a zero has no decibels."""
GRAZING = 1e-9
"""cos of an angle below which a direction lies in a wall."""


@dataclass(frozen=True)
class FarField:
    """Amplitudes of the wave far away, for each frequency and direction.

    frequencies: (f,) [Hz]; theta, phi: (f, t, p) complex, r E exp(ikr) [V], in two dimensions √ρ E exp(ikρ) [V/√m]
    impedance: of the space around [Ω]; line: of a problem in two dimensions
    lit: (t, p) bool, directions before all grounds; grounds: how many. The fields are those that the surface and its
    images have without a ground, alike on both of its sides.
    """

    frequencies: Array
    directions: Directions
    theta: Array
    phi: Array
    impedance: float
    lit: Array
    grounds: int = 0
    line: bool = False

    def intensity(self) -> Array:
        """(f, t, p): power per solid angle [W/sr], in two dimensions [W/(m rad)]; 0 behind grounds."""
        return self._intensity() * self.lit

    def _intensity(self) -> Array:
        return np.asarray((np.abs(self.theta) ** 2 + np.abs(self.phi) ** 2) / (2 * self.impedance))

    def radiated_power(self) -> Array:
        """(f,) [W], in two dimensions [W/m]: the intensity over all directions (a ground leaves half of them)."""
        step = 2 * np.pi / len(self.directions.phi) / 2**self.grounds
        return np.asarray(step * np.einsum("t,ftp->f", self.directions.weights, self._intensity()))

    def directivity(self) -> Array:
        """(f, t, p): intensity over its mean over all directions; 0 where nothing is radiated."""
        return self._over(self.radiated_power())

    def gain(self, input_power: Array) -> Array:
        """(f, t, p): intensity over what an antenna without losses radiates evenly from ``input_power`` (f,) [W]."""
        return self._over(np.asarray(input_power, float))

    def _over(self, power: Array) -> Array:
        whole = 2 * np.pi if self.line else 4 * np.pi
        scale = np.divide(whole, power, out=np.zeros(len(power)), where=power > 0)
        return np.asarray(self.intensity() * scale[:, None, None])


def decibels(ratio: Array) -> Array:
    """``10 log₁₀`` of ratios of powers, none below :data:`FLOOR` of the largest; −∞ if all are zero."""
    largest = float(np.max(ratio, initial=0.0))
    if largest <= 0:
        return np.full(np.shape(ratio), -np.inf)
    return np.asarray(10 * np.log10(np.maximum(ratio, FLOOR * largest)))


def far_field(
    surface: SurfaceSpectra,
    directions: Directions,
    *,
    permittivity: float = 1.0,
    permeability: float = 1.0,
    mirrors: Sequence[Mirror] = (),
    line: bool = False,
) -> FarField:
    """The far field of ``surface`` in a space of ``permittivity`` and ``permeability`` (relative, without loss).

    mirrors: walls that cut the surface open, or before which it stands; behind a ground there is nothing
    line: nothing varies along the axis of ``directions``, and ``surface.areas`` are lengths of a contour

    Raises ValueError for a surface with slanted faces.
    """
    radial, polar, around = directions.frame()
    lit = _before(surface, radial, mirrors)
    surface = with_images(surface, mirrors)
    rows = rows_of(surface)
    impedance = VACUUM_IMPEDANCE * np.sqrt(permeability / permittivity)
    theta = np.zeros((len(surface.frequencies), lit.size), complex)
    phi = np.zeros_like(theta)
    flat = [each.reshape(-1, 3) for each in (radial, polar, around)]
    areas = surface.areas[:, None]
    for n, frequency in enumerate(surface.frequencies):
        wavenumber = 2 * np.pi * float(frequency) * np.sqrt(permittivity * permeability) / METRES_PER_SECOND
        current = np.cross(surface.normals, surface.magnetic[n]) * areas
        magnetic = -np.cross(surface.normals, surface.electric[n]) * areas
        of_j, of_m = radiation_vectors(rows, current, magnetic, wavenumber, flat[0])
        green = np.exp(-0.25j * np.pi) / np.sqrt(8 * np.pi * wavenumber) if line else 1 / (4 * np.pi)
        n_theta, n_phi = (np.einsum("dc,dc->d", of_j, each) for each in flat[1:])
        l_theta, l_phi = (np.einsum("dc,dc->d", of_m, each) for each in flat[1:])
        theta[n] = -1j * wavenumber * green * (l_phi + impedance * n_theta)
        phi[n] = 1j * wavenumber * green * (l_theta - impedance * n_phi)
    shape = (-1, *lit.shape)
    grounds = sum(mirror.ground for mirror in mirrors)
    fields = theta.reshape(shape), phi.reshape(shape)
    return FarField(surface.frequencies, directions, *fields, float(impedance), lit, grounds, line)


def _before(surface: SurfaceSpectra, radial: Array, mirrors: Sequence[Mirror]) -> Array:
    """(t, p): directions on that side of every ground on which the surface is."""
    lit = np.ones(radial.shape[:2], bool)
    for mirror in mirrors:
        if mirror.ground:
            side = np.sign(surface.positions[:, mirror.axis].mean() - mirror.place)
            lit &= side * radial[..., mirror.axis] > -GRAZING
    return lit
