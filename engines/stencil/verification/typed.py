"""Typed equations: fronts whose speed is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array, Simulation
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.stencil.verification.running import field, square

CLOSED = "gradient"


def strip(
    backend: Backend, cells: int, h: float, line: str, start: str, numbers: dict[str, float], step: float | None = None
) -> Simulation:
    """One field u on two rows of so many cells of h [mm], in fp64."""
    equation: dict[str, Any] = {
        "kind": "own equations",
        "lines": [line],
        "parameters": [{"name": name, "value": value} for name, value in numbers.items()],
        "fields": [{"name": "u", "start": start}],
    }
    grid = {"kind": "2D", "cells_x": cells, "cells_y": 2, "size_x": cells * h, "size_y": 2 * h}
    return square(backend, cells, equation, CLOSED, grid=grid, numerics={"precision": "fp64", "step": step})


def position(simulation: Simulation, h: float) -> float:
    """Where u falls through 1/2 along x [mm]."""
    row: Array = field(simulation, "u")[0]
    at = int(np.nonzero(row > 0.5)[0][-1])
    return h * (at + 0.5 + (row[at] - 0.5) / (row[at] - row[at + 1]))


def speed(simulation: Simulation, h: float, begin: float, end: float) -> float:
    """Of the front between these times [mm/s]."""
    found = []
    for until in (begin, end):
        simulation.advance(round((until - simulation.time) / simulation.dt))
        found.append((simulation.time, position(simulation, h)))
    (first, there), (last, further) = found
    return (further - there) / (last - first)


def fronts(backend: Backend) -> Sequence[Answer]:
    """Of Fisher's equation from a step, and of Nagumo's with its own front on two grids, Δt as h²."""
    numbers, h, dt = {"D": 1.0, "r": 1.0}, 0.5, 0.01
    pulled = strip(backend, 520, h, "du/dt = D*laplacian(u) + r*u*(1 - u)", "where(x < 10, 1, 0)", numbers, dt)
    s = np.linspace(0.5, 1.5, 2001)
    least = float((np.log(1 + dt * (2 * np.cosh(s * h) - 2) / h**2 + dt) / (s * dt)).min())
    behind = 1.5 * math.log(100 / 60) / 40
    found = speed(pulled, h, 60.0, 100.0)
    a, exact, errors = 0.1, math.sqrt(0.5) * (1 - 2 * 0.1), []
    for cells, h in ((160, 0.5), (320, 0.25)):
        line, start = "du/dt = laplacian(u) + u*(1 - u)*(u - a)", "1/(1 + exp((x - 20)/sqrt(2)))"
        pushed = speed(strip(backend, cells, h, line, start, {"a": a}, 0.16 * h**2), h, 10.0, 60.0)
        errors.append(pushed / exact - 1)
    return (
        Answer("speed of Fisher's front, 60 to 100 s", found, least - behind, 0.01 * least, "mm/s"),
        Answer("the same over 2√(rD)", found / 2, 1.0, 0.03),
        Answer("speed of Nagumo's front over √(D/2) (1 − 2a), h = 0.25", 1 + errors[1], 1.0, 5e-3),
        Answer("its error, h = 0.5 over h = 0.25", errors[0] / errors[1], 4.0, 0.4),
    )


TYPED = (
    VerificationCase(
        "typed-fronts",
        "Fronts of equations that are typed",
        "Kolmogorov, Petrovsky and Piskunov (1937): 2√(rD), of which the grid and Euler's steps have the least speed "
        "of e^{−s(x − ct)}, and 3/2 ln t of the way is still missing (Bramson 1983, doi 10.1090/memo/0285). Nagumo's "
        "front is exact; of second order, so that h halved and Δt with its square leave a quarter of the error.",
        2,
        fronts,
    ),
)
