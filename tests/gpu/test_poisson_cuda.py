"""The Poisson solvers on the GPU: against the CPU twin, converged, and with any launch shape."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.stencil.poisson.iterations import POISSON
from tests.engines.stencil.poisson.cases import SHIFTED, conductivities, contraction, sides_of

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("method", ["multigrid", "jacobi", "sor"])
@pytest.mark.parametrize(
    ("shape", "names"),
    [
        ((200, 301), ("mixed", "value")),
        ((201, 99), ("periodic", "periodic")),
        ((40, 50, 60), ("value", "periodic", "gradient")),
        ((33, 31, 17), ("periodic",) * 3),
    ],
)
def test_the_gpu_equals_the_cpu(gpu, shape, names, method, precision):
    """Three iterations of some 30 roundings of values up to 4: 100 roundings of the largest."""
    rng, spacing = np.random.default_rng(0), (0.1, 0.13, 0.09)[: len(shape)]
    start, source = (rng.standard_normal(shape).astype(precision) for _ in range(2))
    for k in (None, 1 + 9 * rng.random(shape)):
        results = []
        for backend in (CpuBackend(), gpu):
            solver = POISSON.open(backend, shape, spacing, sides_of(names, spacing, SHIFTED), precision, k, method)
            u = solver.iterate(backend.array(start), backend.array(source), 3)
            results.append(backend.to_host(u))
        tolerance = 100 * np.finfo(precision).eps * max(1.0, np.abs(results[0]).max())
        np.testing.assert_allclose(results[1], results[0], rtol=0, atol=tolerance)


@pytest.mark.parametrize(("shape", "bound"), [((512, 512), 0.115), ((64, 64, 64), 0.14)])
def test_v_cycles_contract_as_on_the_cpu(gpu, shape, bound):
    spacing = (1 / shape[0],) * len(shape)
    solver = POISSON.open(gpu, shape, spacing, sides_of(("value",) * len(shape), spacing), "float64")
    assert contraction(solver, gpu) < bound


@pytest.mark.parametrize("block", [(32, 1), (16, 16), (128, 4), (256, 1)])
def test_launch_shapes_do_not_change_a_bit(gpu, block):
    shape, spacing = (77, 130), (0.1, 0.1)
    k = conductivities(shape)["random"]
    results = []
    for chosen in (None, block):
        solver = POISSON.open(gpu, shape, spacing, sides_of(("value", "periodic"), spacing), "float32", k)
        if chosen:
            solver.block = chosen
        u = solver.iterate(gpu.array(np.zeros(shape, np.float32)), gpu.array(np.ones(shape, np.float32)), 2)
        results.append(gpu.to_host(u))
    np.testing.assert_array_equal(*results)
