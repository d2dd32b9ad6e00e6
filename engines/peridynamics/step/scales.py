"""The units in which a device calculates: lengths, steps and masses of the body's own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scales:
    """length [m] (the spacing of particles), time [s] (a step) and mass [kg] (of a particle): one unit of each."""

    length: float
    time: float
    mass: float

    @property
    def velocity(self) -> float:
        """[m/s]"""
        return self.length / self.time

    @property
    def force(self) -> float:
        """[N]"""
        return self.mass * self.length / self.time**2

    @property
    def energy(self) -> float:
        """[J]"""
        return self.mass * self.velocity**2
