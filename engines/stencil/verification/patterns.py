"""Gray-Scott: what the model itself says, and that patterns live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.stencil.parameters.patterns import RATES
from engines.stencil.verification.running import field, square, started

STEPS = 300


def feeding(backend: Backend) -> Sequence[Answer]:
    """With k = 0 the reaction only exchanges: the mean of U + V is fed."""
    equation: dict[str, Any] = {
        "kind": "Gray-Scott",
        "reaction": {"kind": "own rates", "feed": 0.03, "kill": 0.0},
        "start": {"kind": "seeds", "count": 5, "width": 8.0},
    }
    simulation = square(backend, 48, equation, "periodic", 48.0)

    def missing() -> float:
        return float(1 - (field(simulation, "u") + field(simulation, "v")).mean())

    before = missing()
    simulation.advance(STEPS)
    return (Answer("left of what is missing", missing() / before, (1 - 0.03 * simulation.dt) ** STEPS, 1e-9),)


def living(backend: Backend) -> Sequence[Answer]:
    """Spirals after 10,000 s from squares; and a U that glides."""
    cells = 112
    equation: dict[str, Any] = {"kind": "Gray-Scott", "reaction": {"kind": "named", "pattern": "spirals"},
                                "start": {"kind": "seeds", "count": 10}}  # fmt: skip
    spirals = square(backend, cells, equation, "periodic", float(cells), numerics={"precision": "fp32"})
    spirals.advance(8_000)
    highest = []
    for _ in range(20):  # waves that meet rise higher for a moment, and when they do hangs on the last bit
        spirals.advance(100)
        highest.append(float(field(spirals, "v").max()))
    equation = {"kind": "Gray-Scott", "reaction": {"kind": "named", "pattern": "U-skate"},
                "start": {"kind": "seeds", "count": 0}}  # fmt: skip
    skate = square(backend, cells, equation, "periodic", float(cells), numerics={"precision": "fp32"})
    feed, kill = RATES["U-skate"]
    u = (1 - np.sqrt(1 - 4 * (feed + kill) ** 2 / feed)) / 2
    v = feed * (1 - u) / (feed + kill)
    y, x = np.mgrid[:cells, :cells] + 0.5 - cells / 2
    cut = ((abs(np.hypot(x, y) - 8) < 3) & (y >= 0)) | ((abs(abs(x) - 8) < 3) & (y < 0) & (y > -8))
    started(skate, u=np.where(cut, 1.0, u), v=np.where(cut, 0.0, v))

    def seen() -> tuple[float, float]:
        dark = np.maximum(v - 0.1 - field(skate, "v"), 0)
        place = float(np.angle((np.exp(2j * np.pi * y / cells) * dark).sum())) * cells / (2 * np.pi)
        return place, float(dark.sum())

    skate.advance(5_000)
    place, size = seen()
    skate.advance(5_000)
    later, left = seen()
    return (
        Answer("median of the highest V of spirals, 8,000 to 10,000 s", float(np.median(highest)), 0.4, 0.06),
        Answer("size of the U after 5,000 s more", left / size, 1.0, 0.02),
        Answer("way of the U in 5,000 s", later - place, 7.0, 1.0, "mm"),
    )


PATTERNS = (
    VerificationCase(
        "gray-scott-feeding",
        "Without a kill rate the sum of both substances is fed",
        "S' = S + F dt (1 − S) for the mean S of U + V, exact but for rounding.",
        1,
        feeding,
    ),
    VerificationCase(
        "gray-scott-patterns",
        "Spirals live and a U glides",
        "Pearson (1993), doi 10.1126/science.261.5118.189: class α does not die, V of its waves is about 0.4. Munafo "
        "(2014), doi 10.48550/arXiv.1501.01990: at F = 0.062, k = 0.0609 a U moves without changing; how far is no "
        "published figure, but what the CPU gave when this was written.",
        5,
        living,
    ),
)
