"""What a source does over time, as functions of the time in float64."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engines.api import Array

Shape = Literal["pulse", "gaussian", "continuous"]
FALL = 0.1
"""The top of a pulse's spectrum is where its amplitude has fallen to this part of the largest."""


@dataclass(frozen=True)
class Waveform:
    """Of amplitude 1.

    frequency: of the carrier [1/time unit]; width: σ_t of the Gaussian [time unit], or in which a continuous wave rises
    delay: until the Gaussian's middle
    """

    shape: Shape
    frequency: float
    width: float
    delay: float

    def at(self, time: Array) -> Array:
        """Its values at times (n,), float64."""
        tau = time - self.delay
        if self.shape == "continuous":
            rise = np.clip(time / self.width, 0.0, 1.0)
            return np.asarray(np.sin(2 * np.pi * self.frequency * time) * np.sin(0.5 * np.pi * rise) ** 2)
        bell = np.exp(-0.5 * (tau / self.width) ** 2)
        return np.asarray(bell if self.shape == "gaussian" else bell * np.sin(2 * np.pi * self.frequency * tau))

    @property
    def highest_frequency(self) -> float:
        """Where the spectrum has fallen to a tenth; the carrier of a continuous wave."""
        if self.shape == "continuous":
            return self.frequency
        spread = math.sqrt(-2 * math.log(FALL)) / (2 * math.pi * self.width)
        return spread + (self.frequency if self.shape == "pulse" else 0.0)
