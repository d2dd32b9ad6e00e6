"""Engines that offer cases: a fake one whose cases go right, wrong and astray, and the grid engine with one more."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from engines.api import Problem
from engines.api.device import Backend
from engines.api.errors import InstabilityError
from engines.api.verification import Answer, VerificationCase
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters
from tests.workbench.fake_engine import WaveEngine, WaveParameters, block

TAU, STEP, STEPS = 0.5, 0.02, 50


def relaxation(backend: Backend) -> Sequence[Answer]:
    """Cells behind the front follow v' = (20 mV − v)/τ, by Euler from −80 mV."""
    problem = Problem(WaveParameters(tau=TAU, step=STEP, speed=1e6), block())
    simulation = WaveEngine().build(problem, backend)
    simulation.advance(1 + STEPS)  # at the first the front has not left the side
    voltage = float(simulation.field("voltage")[-1])
    exact = 20 - 100 * (1 - STEP / TAU) ** STEPS
    return [Answer("Voltage behind the front", voltage, exact, 1e-4, "mV", peer="paper 1.0: 7.0 mV")]


def too_slow(backend: Backend) -> Sequence[Answer]:
    return [Answer("Speed | of it", 1.9, 2.0, 0.01, "um"), Answer("Length", 3.0, 3.0, 0.0)]


def undefined(backend: Backend) -> Sequence[Answer]:
    return [Answer("Ratio", math.nan, 1.0, 0.1)]


def unstable(backend: Backend) -> Sequence[Answer]:
    raise InstabilityError("The voltage is no longer a number: use a smaller step.")


def astray(backend: Backend) -> Sequence[Answer]:
    return [Answer("Share", 1 / 0, 1.0, 0.1)]


def nothing(backend: Backend) -> Sequence[Answer]:
    return []


def interrupted(backend: Backend) -> Sequence[Answer]:
    raise KeyboardInterrupt


def engine_with(*measures: Callable[[Backend], Sequence[Answer]]) -> WaveEngine:
    """The wave with these cases, each called as its function."""

    class Verified(WaveEngine):
        def verification(self) -> Sequence[VerificationCase]:
            return [
                VerificationCase(measure.__name__.replace("_", "-"), "A case", "On paper.", 0.1, measure)
                for measure in measures
            ]

    return Verified()


def heat_mode(backend: Backend) -> Sequence[Answer]:
    """A mode between sides at zero keeps 1 − 4 D Δt/Δx² (sin²(mπ/2N) + sin²(nπ/2N)) in each step."""
    cells, size, steps = 64, 64.0, 200
    content = {
        "grid": {"kind": "2D", "cells_x": cells, "cells_y": cells, "size_x": size, "size_y": size},
        "equation": {"kind": "diffusion", "diffusivity": 1.0, "initial": {"kind": "mode", "m": 3, "n": 2}},
    }
    problem = Problem(StencilParameters.model_validate(content))
    simulation = StencilEngine().build(problem, backend)
    before = np.abs(simulation.field("u")).max()
    simulation.advance(steps)
    rate = 4 * simulation.dt * (np.sin(3 * np.pi / 2 / cells) ** 2 + np.sin(2 * np.pi / 2 / cells) ** 2)
    after = float(np.abs(simulation.field("u")).max() / before)
    simulation.close()
    return [Answer("Amplitude left", after, float((1 - rate) ** steps), 2e-6)]


class GridEngine(StencilEngine):
    """As a user's installation has it, with a case that it would offer."""

    def verification(self) -> Sequence[VerificationCase]:
        return [VerificationCase("heat-mode", "Decay of a mode", "Eigenvalue of the scheme; float32.", 1.0, heat_mode)]
