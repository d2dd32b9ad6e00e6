"""The CUDA of the Poisson solvers, run thread by thread on the host, against the CPU twin.

Three iterations of values up to 4, each of some 30 roundings, which contract rather than grow: 100 roundings of the
largest value. A norm is as uncertain as the operator makes that of u.
"""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.stencil.poisson.iterations import POISSON
from tests.engines.stencil.poisson.cases import SHIFTED, sides_of

CASES = [
    ((20, 37), ("mixed", "value")),
    ((9, 21), ("periodic", "periodic")),
    ((40, 33), ("gradient", "periodic")),
    ((20, 36), ("mixed", "periodic")),
    ((6, 10, 24), ("gradient", "mixed", "periodic")),
    ((6, 3, 12), ("periodic", "periodic", "value")),
    ((5, 9, 22), ("value", "periodic", "gradient")),
    ((7, 5, 9), ("periodic",) * 3),
    ((8, 8, 8), ("gradient",) * 3),
    ((1, 5), ("value", "periodic")),
    ((3, 1, 1), ("periodic", "gradient", "mixed")),
    ((1, 1), ("gradient", "periodic")),
]


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("varies", [False, True])
@pytest.mark.parametrize("method", ["multigrid", "jacobi", "sor"])
def test_cuda_equals_the_cpu(on_host, method, varies, precision):
    cpu, rng = CpuBackend(reserve_core=True), np.random.default_rng(0)
    eps = float(np.finfo(precision).eps)
    for shape, names in CASES:
        spacing = (0.1, 0.13, 0.09)[: len(shape)]
        k = 1 + 9 * rng.random(shape) if varies else None
        start, source = (rng.standard_normal(shape).astype(precision) for _ in range(2))
        results = []
        for backend in (cpu, on_host):
            pairs = sides_of(names, spacing, SHIFTED)
            solver = POISSON.open(backend, shape, spacing, pairs, precision, k, method)
            given = backend.array(source)
            u = solver.iterate(backend.array(start), given, 3)
            np.testing.assert_array_equal(given, source)
            results.append((np.array(u), solver.residual_norm(u, given)))
        (expected, norm), (got, norm_got) = results
        tolerance = 100 * eps * max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance, err_msg=f"{shape} {names}")
        stiffness = 4 * sum(1 / h**2 for h in spacing) * (10 if varies else 1)
        assert norm_got == pytest.approx(norm, rel=100 * eps, abs=stiffness * tolerance), f"{shape} {names}"
