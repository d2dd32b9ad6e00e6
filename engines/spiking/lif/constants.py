"""The constants of a plain network by name, declared once for both twins.

The CPU's takes them from here, the GPU's from ``constants.cuh``, which ``python -m engines.spiking.lif.constants``
writes.
"""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

from engines.backend.compile.headers import header
from engines.spiking.neurons.rows import FADED

HEADER = Path(__file__).with_name("constants.cuh")


class Constant(IntEnum):
    """Places in ``Lif.constants``; voltages above rest [mV]."""

    LOSS = 0  # e^(−dt/τ_m) − 1
    BASE = 1  # what the drive adds to v in a step
    GAIN_E = 2  # what excitatory synapses that give 1 at a step's beginning add to v by its end
    GAIN_I = 3
    LOSS_E = 4  # e^(−dt/τ_e) − 1
    LOSS_I = 5
    THRESHOLD = 6
    RESET = 7
    SCALE_E = 8  # what a unit of the integer excitatory input gives
    SCALE_I = 9


def text() -> str:
    """The text of ``constants.cuh``."""
    numbers = {"FADED": f"{FADED!r}f"}
    return header("lif/constants.py", "engines.spiking.lif.constants", numbers, Constant, real="float")


if __name__ == "__main__":
    HEADER.write_text(text(), encoding="utf-8")
