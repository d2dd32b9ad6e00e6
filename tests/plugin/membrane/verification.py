"""A case with a known answer: ``workbench verify membrane``."""

import numpy as np

from engines.api import Problem
from engines.api.verification import Answer, VerificationCase
from membrane.parameters import MembraneParameters

SOURCE = (
    "Discrete dispersion relation, sin²(ωΔt/2) = (cΔt/Δx)² (sin²(mπ/2N) + sin²(nπ/2N)), at rest half a step before the "
    "start. Tolerance: float32, whose rounding grows with the steps."
)


def swing(engine, backend):
    """A mode keeps its shape and swings as the discrete equation has it."""
    p = MembraneParameters(cells=32, mode_x=3, mode_y=2)
    simulation = engine.build(Problem(p), backend)
    start = simulation.field("u").astype(float)
    courant = p.speed * 1e-3 * p.step * p.cells / p.side
    sines = [np.sin(mode * np.pi / 2 / p.cells) ** 2 for mode in (p.mode_x, p.mode_y)]
    turn = 2 * np.arcsin(courant * np.sqrt(sum(sines)))  # of a step
    highest = np.abs(start).argmax()
    for steps in (1, 2, 150):
        simulation.advance(steps)
        share = np.cos(turn * (simulation.step + 0.5)) / np.cos(turn / 2)
        u, tolerance = simulation.field("u").astype(float), 2e-7 * (simulation.step + 5)
        told = f"step {simulation.step}"
        yield Answer(f"Displacement, {told}", u[highest], share * start[highest], tolerance, "mm")
        yield Answer(f"Farthest from the mode, {told}", np.abs(u - share * start).max(), 0.0, tolerance, "mm")
    simulation.close()


def cases(engine):
    return [VerificationCase("swing", "A mode swings", SOURCE, 1.0, lambda backend: tuple(swing(engine, backend)))]
