"""The thesis' tables on a GPU: each is measured in a small form, and what must be there is there."""

import pytest

from engines.backend import open_backend
from engines.cardiac.lab.cells.kernels import BoundTable, KernelTimeTable
from engines.cardiac.lab.cells.peak import peak_rate
from engines.cardiac.lab.cells.schemes import SchemeTimeTable
from engines.cardiac.lab.cells.throughput import CodePathTable, ProblemSizeTable
from engines.cardiac.lab.diffusion.clusters import THREADS, ClusterTable
from engines.cardiac.lab.diffusion.convergence import cosine_error
from engines.cardiac.lab.diffusion.orders import OrderTable
from engines.cardiac.lab.meshes import cube
from engines.cardiac.lab.steps import WholeStepTable
from engines.cardiac.lab.stream import StreamTable

pytestmark = pytest.mark.gpu
CELLS = 20_000
FEW = {"cuda": CELLS}
A_FEW = {"cuda": 500}
"""As a part of the hearts' cells."""


class SmallOrders(OrderTable):
    cells, mesh = (CELLS, CELLS), (CELLS, CELLS)


class SmallClusters(ClusterTable):
    cells, mesh, sizes = (CELLS, CELLS), (CELLS, CELLS), (32, 4096)


class SmallKernels(KernelTimeTable):
    cells = FEW


class SmallBounds(BoundTable):
    cells = FEW


class SmallPaths(CodePathTable):
    cells = FEW


class SmallSizes(ProblemSizeTable):
    sizes = (CELLS, 2 * CELLS)


class SmallSteps(WholeStepTable):
    quick = A_FEW


class SmallTimes(SchemeTimeTable):
    cells = FEW


SMALL = (
    StreamTable(), SmallOrders(), SmallKernels(), SmallBounds(), SmallPaths(), SmallSizes(), SmallSteps(), SmallTimes(),
)  # fmt: skip


@pytest.mark.parametrize("table", SMALL, ids=lambda table: table.id)
def test_a_table_is_measured(gpu, table):
    rows = table.measure(gpu)
    assert rows
    for row in rows:
        assert len(row) == len(table.columns)
        assert all(value is None or isinstance(value, str) or value > 0 for value in row)


def test_blocks_that_fit_are_timed(gpu):
    """1024 threads of float64 may need more registers than there are; fewer never do."""
    for row in SmallClusters().measure(gpu):
        assert len(row) == 1 + len(THREADS)
        assert all(value is not None and value > 0 for value in row[1:5])


def test_the_bounds_of_arithmetic_are_known(gpu):
    values = dict(SmallBounds().measure(gpu))
    assert values["Compute bound, optimised [ms]"] < values["Compute bound, generated [ms]"]


def test_single_precision_is_at_least_as_fast_as_double(gpu):
    """Measured rates differ by a few percent."""
    assert peak_rate(gpu, "float32") > 0.9 * peak_rate(gpu, "float64") > 0


def test_the_error_of_diffusion_is_that_of_the_cpu(gpu):
    """The same arithmetic in float64, in another order of the sums."""
    (step, error), (same, wanted) = (cosine_error(backend, cube(6, 1 / 6)) for backend in (gpu, open_backend("cpu")))
    assert step == same
    assert error == pytest.approx(wanted, rel=1e-9)
