"""Two materials that meet inside a cell."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.stencil.verification.running import field, square

CLOSED = {"kind": "gradient"}
BETWEEN = {"x_low": {"kind": "value", "value": 0.0}, "x_high": {"kind": "value", "value": 1.0}} | dict.fromkeys(
    ("y_low", "y_high", "z_low", "z_high"), CLOSED
)


def slab(backend: Backend) -> Sequence[Answer]:
    """30 cells across, layers of 1 and 0.1 that meet at 0.37; and a disc of 0.1 and of 10 in a square."""
    layers = {"kind": "two layers", "position": 0.37, "factor": 0.1}
    answers = [Answer("flow through layers", _flow(backend, layers), 1 / (0.37 + 0.63 / 0.1), 1e-9)]
    for factor, expected in ((0.1, 0.519415), (10.0, 1.925241)):
        disc = {"center": (0.5, 0.5, 0.5), "radius": 0.35, "factor": factor}
        flow = _flow(backend, {"kind": "inclusions", "inclusions": [disc]})
        answers.append(Answer(f"flow around a disc of {factor:g}", flow, expected, 0.015 * expected))
    return answers


def _flow(backend: Backend, conductivity: dict[str, object]) -> float:
    """Between sides at 0 and 1 of a square of 1 mm, where k is 1 beside them."""
    equation = {"kind": "Poisson", "source": {"kind": "painted only"}, "conductivity": conductivity}
    simulation = square(backend, 30, equation, sides=BETWEEN)
    simulation.advance(30)
    return float(field(simulation, "u")[:, 0].mean() * 2 * 30)


SLAB = VerificationCase(
    "composite-slab",
    "Layers and discs of another material",
    "Resistances of layers in series, exact; a disc in a square array by the series of Perrins, McKenzie and McPhedran "
    "(1979), doi 10.1098/rspa.1979.0160, which 10 cells a radius meet within 1.5 %.",
    3,
    slab,
)
