"""W s and Wᵀ s for binary events against float64, on fresh random input, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from engines.errors import ProblemError
from engines.spiking import EventMatrix
from engines.spiking.events import cuda
from engines.spiking.events.reference import product

DENSITIES = (0.0, 0.001, 0.01, 0.1, 1.0)
SHAPE = (301, 523)
"""(postsynaptic, presynaptic): no multiples of packs, warps or stretches; three stretches of rows."""


@pytest.fixture(autouse=True)
def few_shapes(monkeypatch):
    monkeypatch.setattr(cuda, "SHAPES", ((64, 256), (128, 128)))


def events_of(rng, size, density):
    events = rng.random(size) < density
    events[rng.integers(size)] |= density > 0
    return events


def close(result, weights, events):
    """Each sum of up to 523 float32 numbers, in two stages of at most 256, rounds by 6e-8 of at most the sum of sizes
    each time: 260 × 6e-8, of which random signs leave far less."""
    assert result.dtype == np.float32
    sizes = product(np.abs(weights), events).max(initial=1e-30)
    np.testing.assert_allclose(result, product(weights, events), rtol=0, atol=260 * 6e-8 * sizes)


@pytest.mark.parametrize("density", DENSITIES)
def test_dense_equals_float64(backend, density):
    rng = np.random.default_rng()
    weights = rng.normal(size=SHAPE).astype(np.float32)
    matrix = EventMatrix.dense(weights, backend)
    assert matrix.shape == SHAPE
    assert matrix.T.shape == SHAPE[::-1]
    for matrix_, table in ((matrix, weights), (matrix.T, weights.T)):
        events = events_of(rng, table.shape[1], density)
        first = matrix_ @ events
        close(first, table, events)
        np.testing.assert_array_equal(matrix_ @ events.astype(float), first)  # and the same bits again


@pytest.mark.parametrize("density", DENSITIES)
def test_sparse_equals_float64(backend, density):
    rng = np.random.default_rng()
    weights = scipy.sparse.random(*SHAPE, density=0.05, rng=rng, data_rvs=rng.standard_normal).astype(np.float32)
    matrix = EventMatrix.sparse(weights, backend)
    table = weights.toarray()
    events = events_of(rng, SHAPE[1], density)
    # integers: one rounding of the sum to float32 at the end
    np.testing.assert_allclose(matrix @ events, product(table, events), rtol=6.1e-8, atol=1e-12)
    events = events_of(rng, SHAPE[0], density)
    close(matrix.T @ events, table.T, events)


def test_fixed_number_and_batches(backend):
    rng = np.random.default_rng()
    targets = np.stack([rng.permutation(70)[:9] for _ in range(90)])
    table = np.zeros((70, 90))
    np.put_along_axis(table.T, targets, -0.3, axis=1)
    events = rng.random((90, 3)) < 0.2
    result = EventMatrix.fixed_number(targets, -0.3, 70, backend) @ events
    np.testing.assert_allclose(result, product(np.float32(table), events), rtol=6.1e-8, atol=1e-12)


def test_sums_do_not_depend_on_threads(monkeypatch):
    from engines.backend.cpu import CpuBackend

    rng = np.random.default_rng()
    weights, events = rng.normal(size=(5000, 200)), rng.random(200) < 0.5
    backend = CpuBackend()
    matrix = EventMatrix.dense(weights, backend)
    first = matrix @ events
    backend.threads = 1
    np.testing.assert_array_equal(matrix @ events, first)


@pytest.mark.parametrize(
    ("events", "sentence"),
    [
        (np.array([0, 1, 2, 0]), "Events are 0 or 1; number 2 is 2"),
        (np.array([0, np.nan, 1, 0]), "Events are 0 or 1; number 1 is nan"),
        (np.zeros(5, bool), r"A matrix \(3, 4\) takes 4 events; this array has the shape \(5,\)"),
    ],
)
def test_events_that_are_none(events, sentence):
    with pytest.raises(ProblemError, match=sentence):
        EventMatrix.dense(np.ones((3, 4))) @ events


def test_weights_that_are_none():
    weights = np.ones((3, 4))
    weights[2, 1] = np.nan
    with pytest.raises(ProblemError, match=r"hold nan at \(2, 1\)"):
        EventMatrix.dense(weights)
    with pytest.raises(ProblemError, match="hold nan"):
        EventMatrix.sparse(scipy.sparse.csr_array(weights))
    with pytest.raises(ProblemError, match="rows and columns"):
        EventMatrix.dense(np.ones(3))
    with pytest.raises(ProblemError, match="from 0 to 2; these are from 0 to 3"):
        EventMatrix.fixed_number(np.array([[0, 3]]), 1.0, 3)
    with pytest.raises(ProblemError, match="different shapes"):
        EventMatrix.fixed_number(np.array([[0, 2]]), np.ones(3), 3)
