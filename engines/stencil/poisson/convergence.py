"""How far a solution is from where its iterations go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engines.api import Finding, Remedy
from engines.quantities import percent
from engines.stencil.poisson.iterations import Method, PoissonSolver

CYCLES = 3
"""V-cycles on from a solution, which leave some thousandths of its error: what they change is the error."""
ENOUGH = 12
"""V-cycles, each of which leaves about a tenth of the error, until single precision tells no more."""
NEARLY = 0.01
"""Of the span of the solution: an error that nobody need be told of."""


def error_of(multigrid: PoissonSolver, u: Any, source: Any) -> float:
    """The largest error of the device array ``u``, as a part of the span that the solution has in truth."""
    backend = multigrid.backend
    with backend.active():
        better = multigrid.iterate(u.copy(), source, CYCLES)
        span = max(float(better.max()) - float(better.min()), abs(float(better.mean())))
        change = abs(better - u)
        return float(change.max()) / span if span else 0.0


def convergence_findings(error: float, method: Method, iterations: int) -> Sequence[Finding]:
    """What is told of a solution after so many iterations."""
    if not error > NEARLY:
        return ()
    told = f"After {iterations:,} iterations the solution is still off by up to {percent(error)} of its span"
    if method == "multigrid":
        return (Finding(f"{told}: run {ENOUGH} of them.", "warning", (), distorts=True),)
    remedy = Remedy("Solve it by multigrid", {("equation", "method"): "multigrid"})
    text = f"{told}: run longer, or solve it by multigrid, of which {ENOUGH} are enough."
    return (Finding(text, "warning", ("equation", "method"), remedy, distorts=True),)
