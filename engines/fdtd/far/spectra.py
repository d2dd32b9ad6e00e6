"""Fields on a closed surface at some frequencies, and their images in walls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engines.api import Array


@dataclass(frozen=True, eq=False)
class SurfaceSpectra:
    """E and H at points of a closed surface, as phasors of ``exp(+iωt)``: running sums with ``exp(−iωt)``.

    frequencies: (f,) [Hz]; positions: (m, 3) [m]; normals: (m, 3) outwards, along the axes
    areas: (m,) [m²], in two dimensions lengths [m]; electric: (f, m, 3) [V/m]; magnetic: (f, m, 3) [A/m]

    Amplitudes are those of a continuous wave (peak, not rms). With spectra of a pulse, times a second, powers become
    energies per frequency, and all that is a ratio stays what it is.
    """

    frequencies: Array
    positions: Array
    areas: Array
    normals: Array
    electric: Array
    magnetic: Array

    def outward_power(self) -> Array:
        """(f,) [W], in two dimensions [W/m]: ``½ Re ∮ E × H* · n dA``."""
        flux = np.cross(self.electric, self.magnetic.conj()).real
        return np.asarray(0.5 * np.einsum("fmc,mc,m->f", flux, self.normals, self.areas))


@dataclass(frozen=True)
class Mirror:
    """A plane across ``axis`` (0, 1, 2) at ``place`` [m]: on it E (``"PEC"``) or H (``"PMC"``) has no tangential part.

    ``ground``: a real wall, behind which there is nothing, and not half of a symmetric problem.
    """

    axis: int
    place: float
    kind: Literal["PEC", "PMC"] = "PEC"
    ground: bool = False


def with_images(surface: SurfaceSpectra, mirrors: Sequence[Mirror]) -> SurfaceSpectra:
    """``surface`` and its images: what closes a surface that is open where it ends at walls (Balanis, ch. 4.7).

    A surface that is closed and stands before the wall has images alike.
    """
    for mirror in mirrors:
        surface = _with_image(surface, mirror)
    return surface


def _with_image(surface: SurfaceSpectra, mirror: Mirror) -> SurfaceSpectra:
    across = np.ones(3)
    across[mirror.axis] = -1.0
    positions = surface.positions * across
    positions[:, mirror.axis] += 2 * mirror.place
    # E is a vector and H a pseudovector: at a PEC the tangential parts of E turn round, at a PMC those of H
    sign = 1.0 if mirror.kind == "PEC" else -1.0
    return SurfaceSpectra(
        surface.frequencies,
        np.concatenate([surface.positions, positions]),
        np.concatenate([surface.areas, surface.areas]),
        np.concatenate([surface.normals, surface.normals * across]),
        np.concatenate([surface.electric, -sign * across * surface.electric], axis=1),
        np.concatenate([surface.magnetic, sign * across * surface.magnetic], axis=1),
    )
