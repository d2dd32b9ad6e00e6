"""How long a step takes, before the first one: bonds are arithmetic, far more than they are memory."""

from __future__ import annotations

from typing import Literal

from engines.api.device import Backend
from engines.backend.twins import pick

Kind = Literal["plain", "influence", "corrected", "mixed", "softening", "state-based", "irregular"]
"""Of bonds, as their kernels differ."""
BANDWIDTH = 4.0e12
"""[B/s] of the memory of the device that GPU_STEPS were measured on; arithmetic is taken to grow with it."""
GPU_STEPS: dict[Kind, tuple[float, float]] = {
    "plain": (38e-6, 192e-6),
    "influence": (59e-6, 291e-6),
    "corrected": (60e-6, 294e-6),
    "mixed": (63e-6, 307e-6),
    "softening": (48e-6, 251e-6),
    "state-based": (103e-6, 569e-6),
    "irregular": (86e-6, 256e-6),
}
"""[s] of a million particles in 2D (28 bonds each) and 3D (122) on one H200 in float32; of softening with a crack."""
GPU_LEAST = (5e-6, 14e-6)
"""[s] that a step of a small body takes there."""
BONDS = (28e6, 122e6)
"""Of those particles, each counted at both ends."""
BONDS_PER_THREAD = (1.79e9, 1.39e9)
"""Plain bonds a second, each counted at both ends, of one CPU core in float32: half of what two do in whole steps."""
CPU_OVER_PLAIN: dict[Kind, tuple[float, float]] = {"irregular": (5.0, 4.0), "softening": (2.5, 2.5)}
"""On a CPU over plain bonds; the other kinds as on a GPU. Softening, in 2D: the notched beam 1.8, the Brazilian disc,
an eighth of whose bonds soften in the end, 3.3."""
DOUBLE = (2.49, 2.66)
"""A step in float64 over one in float32, on that GPU."""
TOUCHING = 1.3
"""With contact, over one without."""


def seconds_per_step(
    backend: Backend, moved: int, bonds: float, value_bytes: int, dimensions: int, kind: Kind, touching: bool = False
) -> float:
    """The longer of what memory and arithmetic take. moved: bytes; bonds: each counted at both ends."""
    bandwidth, place = backend.ceilings().best, dimensions - 2
    over_plain = GPU_STEPS[kind][place] / GPU_STEPS["plain"][place]
    if pick(backend, cpu=True, cuda=False):
        over_plain = CPU_OVER_PLAIN.get(kind, (over_plain, over_plain))[place]
        seconds, least = bonds / (BONDS_PER_THREAD[place] * (backend.info.threads or 1)), 0.0
    else:
        seconds, least = GPU_STEPS["plain"][place] * bonds / BONDS[place] * BANDWIDTH / bandwidth, GPU_LEAST[place]
    seconds *= over_plain * (DOUBLE[place] if value_bytes == 8 else 1.0) * (TOUCHING if touching else 1.0)
    return max(moved / bandwidth, seconds, least)
