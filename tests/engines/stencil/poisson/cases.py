"""Sides and conductivities that the tests of the Poisson solvers share."""

import numpy as np

from engines.stencil.parameters.sides import FixedGradient, FixedValue, Periodic
from engines.stencil.setup.sides import ghosts

PAIRS = {
    "value": (FixedValue(), FixedValue()),
    "gradient": (FixedGradient(), FixedGradient()),
    "periodic": (Periodic(), Periodic()),
    "mixed": (FixedValue(), FixedGradient()),
}
SHIFTED = {
    "value": (FixedValue(value=0.7), FixedValue(value=-0.3)),
    "gradient": (FixedGradient(gradient=0.4), FixedGradient(gradient=-0.9)),
    "periodic": PAIRS["periodic"],
    "mixed": (FixedValue(value=0.7), FixedGradient(gradient=-0.9)),
}


def sides_of(names, spacing, pairs=PAIRS):
    """Ghosts of the pairs of sides ``names``, for x, y (and z)."""
    return ghosts([pairs[name] for name in names], spacing)


def conductivities(shape, contrast=100.0):
    """Per cell, by name: smooth, one ball in the middle, each cell at random."""
    centres = np.meshgrid(*((np.arange(n) + 0.5) / n for n in shape), indexing="ij")
    waves = np.prod([np.sin(7.0 * c) for c in centres], axis=0)
    ball = sum((c - 0.5) ** 2 for c in centres) < 0.09
    random = np.random.default_rng(1).random(shape)
    return {
        "smooth": contrast ** (0.5 * waves),
        "ball": np.where(ball, contrast, 1.0),
        "random": contrast**random,
        "two values at random": np.where(random < 0.5, 1.0, contrast),
    }


def contraction(solver, backend, cycles=14):
    """The largest factor by which one of the last four of ``cycles`` iterations changed the residual, without a source.

    The residual stays far above round-off: 1e-1 per cycle from about 1e4.
    """
    u = backend.array(np.random.default_rng(0).standard_normal(solver.shape).astype(solver.dtype))
    source = backend.array(np.zeros(solver.shape, solver.dtype))
    norms = []
    for _ in range(cycles):
        u = solver.iterate(u, source, 1)
        norms.append(solver.residual_norm(u, source))
    return max(after / before for before, after in zip(norms[-5:-1], norms[-4:], strict=True))
