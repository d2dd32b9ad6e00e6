"""Sine modes: how they decay by forward Euler, and what Poisson's equation makes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.stencil.verification.running import field, square, started


def decay(backend: Backend) -> Sequence[Answer]:
    """Mode (2, 3) on 48² cells for 300 steps, and mode (1, 1) on two grids for the same time."""
    mode = {"kind": "mode", "m": 2, "n": 3}
    simulation = square(backend, 48, {"kind": "diffusion", "diffusivity": 1.0, "initial": mode})
    before = np.abs(field(simulation, "u")).max()
    r = simulation.dt * 48**2
    simulation.advance(300)
    exact = (1 - 4 * r * sum(math.sin(m * math.pi / 96) ** 2 for m in (2, 3))) ** 300
    errors = []
    for cells in (16, 32):
        step = 0.2 / cells**2
        low = {"kind": "mode", "m": 1, "n": 1}
        equation = {"kind": "diffusion", "diffusivity": 1.0, "initial": low}
        coarse = square(backend, cells, equation, numerics={"precision": "fp64", "step": step})
        first = field(coarse, "u").max()
        steps = round(0.05 / step)
        coarse.advance(steps)
        errors.append(abs(field(coarse, "u").max() / first / math.exp(-2 * math.pi**2 * steps * step) - 1))
    return (
        Answer("left of a mode after 300 steps", float(np.abs(field(simulation, "u")).max() / before), exact, 1e-11),
        Answer("error against the continuum, 16 over 32 cells", errors[0] / errors[1], 4.0, 0.15),
    )


def _sines(cells: int) -> Array:
    x = (np.arange(cells) + 0.5) / cells
    return np.sin(math.pi * x)[:, None] * np.sin(math.pi * x)


def poisson(backend: Backend) -> Sequence[Answer]:
    """A sine as the source: the grid's eigenvalue, and the error against the continuum on three grids."""
    errors, answers = [], []
    for cells in (16, 32, 64):
        simulation = square(backend, cells, {"kind": "Poisson", "source": {"kind": "painted only"}})
        started(simulation, source=_sines(cells))
        simulation.advance(30)
        u = field(simulation, "u")
        errors.append(abs(float((u / _sines(cells)).mean()) * 2 * math.pi**2 - 1))
        eigenvalue = 8 * cells**2 * math.sin(math.pi / (2 * cells)) ** 2
        answers.append(
            Answer(f"eigenvalue, {cells} cells", float((_sines(cells) / u).mean()), eigenvalue, 1e-8, "1/mm²")
        )
    pairs = zip(errors, errors[1:], (16, 32), strict=False)
    return (*answers, *(Answer(f"error, {n} over {2 * n} cells", a / b, 4.0, 0.02) for a, b, n in pairs))


MODES = (
    VerificationCase(
        "mode-decay",
        "A sine mode decays by forward Euler",
        "A step multiplies mode (m, n) by 1 − 4r Σ sin²(mπ/2N), to rounding (300 steps of 1e-15); the continuum decays "
        "as exp(−α π² Σ m² t), and the error of a scheme of order 2 falls to a quarter.",
        2,
        decay,
    ),
    VerificationCase(
        "poisson-sine",
        "Poisson's equation with a sine as its source",
        "The five-point Laplacian has the eigenvalue (4/h²) Σ sin²(πh/2); of order 2, so halving h leaves a quarter of "
        "the error against 2π².",
        3,
        poisson,
    ),
)
