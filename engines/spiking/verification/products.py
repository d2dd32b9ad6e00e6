"""Products of a weight matrix with events, against NumPy in float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.spiking.events.matrix import EventMatrix

SHAPE = (300, 700)


def products(backend: Backend) -> Sequence[Answer]:
    """Fresh random weights and events of densities from none to all, both ways."""
    random, answers = np.random.default_rng(), []
    table = random.normal(size=SHAPE).astype(np.float32)
    sparse = np.where(random.random(SHAPE) < 0.1, table, 0)
    matrices = {
        "dense": (EventMatrix.dense(table, backend), table),
        "sparse": (EventMatrix.sparse(scipy.sparse.csr_array(sparse), backend), sparse),
    }
    for name, (matrix, weights) in matrices.items():
        worst = 0.0
        for density in (0.0, 0.001, 0.1, 1.0):
            for operator, held in ((matrix, weights), (matrix.T, weights.T)):
                events = random.random(held.shape[1]) < density
                exact = held.astype(float) @ events
                sizes = np.abs(held).astype(float) @ events
                worst = max(worst, float((np.abs(operator @ events - exact) / np.maximum(sizes, 1e-30)).max()))
        answers.append(Answer(f"largest error of a {name} product", worst, 0.0, 700 * 6e-8))
    return answers


PRODUCTS = VerificationCase(
    "products",
    "Matrices times events",
    "NumPy in float64; an error of 6e-8 of the sum of sizes for each of at most 700 roundings.",
    2,
    products,
)
