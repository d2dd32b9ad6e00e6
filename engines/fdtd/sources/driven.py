"""All sources of a problem by kind."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engines.fdtd.sources.currents import Dipole, PlaneWave
from engines.fdtd.sources.oblique import ObliqueWave, polarization
from engines.fdtd.sources.sheets import Beam, ModeLaunch


@dataclass
class Driven:
    """The sources by kind, each in its order."""

    dipoles: list[Dipole] = field(default_factory=list)
    waves: list[PlaneWave] = field(default_factory=list)
    oblique: list[ObliqueWave] = field(default_factory=list)
    beams: list[Beam] = field(default_factory=list)
    launches: list[ModeLaunch] = field(default_factory=list)

    def axes(self) -> list[int]:
        """Directions of currents and electric fields, 0, 1, 2: all that a source may drive."""
        found = [dipole.axis for dipole in self.dipoles] + [wave.polarization for wave in self.waves]
        found += [beam.polarization for beam in self.beams]
        for tilted in self.oblique:
            found += [int(axis) for axis in np.flatnonzero(polarization(tilted))]
        return found + ([0, 1, 2] if self.launches else [])
