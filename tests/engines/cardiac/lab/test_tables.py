"""The thesis' tables: each is measured in a tiny form, and its published rows belong to rows that are measured."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engines.api.device import Ceilings
from engines.api.lab import LabTable, Row
from engines.backend import open_backend
from engines.backend.lab import timing as lab_timing
from engines.cardiac.diffusion.weights import assemble
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.lab.cells.expressions import ExponentialsTable
from engines.cardiac.lab.cells.kernels import BoundTable, KernelTimeTable
from engines.cardiac.lab.cells.throughput import MANY, CodePathTable, ProblemSizeTable
from engines.cardiac.lab.diffusion.clusters import ClusterTable, cluster_order
from engines.cardiac.lab.diffusion.convergence import ConvergenceTable, cosine_error
from engines.cardiac.lab.diffusion.orders import OrderTable
from engines.cardiac.lab.meshes import THESIS_CELLS, cube, first_rows, side_of, tissue_matrix
from engines.cardiac.lab.steps import WholeStepTable, bound_seconds
from engines.cardiac.lab.stream import StreamTable
from engines.cardiac.lab.tables import TABLES
from engines.cardiac.tissue.operator import cell_order
from tests.cuda_on_host import HostCudaBackend

FEW = {"cpu": 64}
BY_ID = {table.id: table for table in TABLES}


class TinyStream(StreamTable):
    largest = 1 << 16


class TinyConvergence(ConvergenceTable):
    sides = (2, 3, 4, 2, 3, 4, 2, 3)


class TinyOrders(OrderTable):
    cells, mesh = (500, 500), (700, 700)


class TinyClusters(ClusterTable):
    cells, mesh, sizes = (48, 48), (48, 48), (8, 32)


class TinyPaths(CodePathTable):
    cells, thorough_cells = FEW, 64


class TinySizes(ProblemSizeTable):
    sizes = (64, 128)


class TinySteps(WholeStepTable):
    meshes = tuple(cells // 10_000 for cells in THESIS_CELLS)


class TinyKernels(KernelTimeTable):
    cells, thorough_cells = FEW, 64


class TinyBounds(BoundTable):
    cells, thorough_cells = FEW, 64


TINY = (
    TinyStream(),
    TinyConvergence(),
    TinyOrders(),
    TinyClusters(),
    ExponentialsTable(),
    TinyKernels(),
    TinyBounds(),
    TinyPaths(),
    TinySizes(),
    TinySteps(),
)


BY_SIZE = ("problem-size", "clusters")
"""Sizes are their keys, and tiny ones are not published."""
EMPTY = (("kernel-times", "Generated, states of a cell together"),)
"""Published, and not measured here."""


@pytest.fixture(scope="module")
def backend():
    """What is timed is timed briefly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lab_timing, "BUDGET", {"cpu": 1e-3})
        yield open_backend("cpu")


@pytest.fixture(scope="module")
def measured(backend):
    """Rows by the table's id, measured once."""
    found: dict[str, list[Row]] = {}

    def rows(table: LabTable) -> list[Row]:
        if table.id not in found:
            on = backend if "cpu" in table.devices else HostCudaBackend()
            found[table.id] = list(table.measure(on, thorough=True))
        return found[table.id]

    return rows


def keys(table: LabTable) -> int:
    """How many of its first columns say what a row is about."""
    return [column.result for column in table.columns].index(True)


def test_the_engine_lists_them_by_ids_of_their_own():
    assert CardiacEngine().tables() == TABLES
    assert len(BY_ID) == len(TABLES)
    for table in TABLES:
        results = [column.result for column in table.columns]
        assert results == sorted(results), "columns that tell rows apart come first"


@pytest.mark.parametrize("table", TINY, ids=lambda table: table.id)
def test_a_table_is_measured(table, measured):
    rows = measured(table)
    assert len(rows) > 1
    assert rows[0][keys(table)] is not None
    for row in rows:
        assert len(row) == len(table.columns)
        assert all(value is None or isinstance(value, str) or math.isfinite(value) for value in row)
    named = [row[: keys(table)] for row in rows]
    assert len(set(named)) == len(named)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.id)
def test_published_rows_have_the_columns_of_the_table(table):
    for rows in table.published:
        assert rows.rows
        assert rows.source.startswith("Monodomain solver on a DGX-2, ")
        for row in rows.rows:
            assert len(row) == len(table.columns)
            for value, column in zip(row, table.columns, strict=True):
                assert value is None or not column.result or isinstance(value, int | float)


@pytest.mark.parametrize("table", [table for table in TINY if table.id not in BY_SIZE], ids=lambda table: table.id)
def test_published_rows_belong_to_measured_ones(table, measured):
    named = {row[: keys(table)] for row in measured(table)}
    for rows in table.published:
        for row in rows.rows:
            assert row[: keys(table)] in named or (table.id, row[0]) in EMPTY


def test_sizes_of_tables_are_the_published_ones():
    for rows in BY_ID["problem-size"].published:
        assert [row[1] for row in rows.rows] == list(ProblemSizeTable.sizes)
    for rows in BY_ID["clusters"].published:
        assert set(ClusterTable.sizes) <= {row[0] for row in rows.rows}
        assert len(rows.rows) == 31
    assert MANY == 10**7


def figure(table: str, number: str, device: str, key: tuple, column: str):
    """One published figure by the titles of the table."""
    found = BY_ID[table]
    (rows,) = (rows for rows in found.published if rows.source.endswith(number) and rows.device == device)
    (row,) = (row for row in rows.rows if row[: len(key)] == key)
    return row[[each.title for each in found.columns].index(column)]


def test_published_figures_are_those_of_the_thesis():
    """Read once more from the text: corners of the tables, and one inside."""
    assert figure("stream", "table 2.4", "P100", ("Copy",), "Bandwidth") == 541
    assert figure("stream", "table 2.4", "V100", ("Triad",), "Bandwidth") == 887
    assert figure("convergence", "table 3.1", "", ("8",), "Cells") == 3995489
    assert figure("convergence", "table 3.1", "", ("1",), "E") == 0.37
    assert figure("convergence", "table 3.1", "", ("7",), "Δt") == 9.4e-5
    assert figure("orders", "4.1 and 4.2", "P100", ("No reordering",), "DRAM read transactions") == 246_772_163
    assert figure("orders", "4.3 and 4.4", "V100", ("Best reordering",), "DRAM written") == 27.704
    assert figure("clusters", "fig. 4.2", "P100", (32,), "32 threads") == 5.902
    assert figure("clusters", "fig. 4.2", "P100", (1024,), "256 threads") == 6.194
    assert figure("clusters", "fig. 4.3", "V100", (1048576,), "1024 threads") == 9.125
    assert figure("scheme-errors", "table 3.2", "", (2**-3,), "LRL") == 18.50
    assert figure("scheme-errors", "table 3.2", "", (2**-1,), "GRL1") == 55.11
    assert figure("scheme-errors", "table 3.2", "", (2**-9,), "FE") == 0.23
    assert figure("scheme-instructions", "table 3.3", "", ("generated", "Registers used"), "GRL1") == 238
    assert figure("scheme-instructions", "table 3.3", "", ("generated", "FP64 instructions"), "LRL") == 1750
    assert figure("scheme-times", "table 3.4", "V100", ("LRL",), "Time to solution") == 298
    assert figure("path-instructions", "table 5.1", "", ("generated", "2 and b"), "Total") == 1774
    assert figure("path-instructions", "table 5.2", "", ("optimised", "1 and a"), "FMA") == 752
    assert figure("exponentials", "table 5.3", "", ("Action 1",), "Cost, optimised") == 32
    assert figure("kernel-times", "table 5.4", "P100", ("Optimised by hand",), "Time per step") == 7.6
    assert figure("cell-bounds", "table 5.5", "V100", ("Memory bound / achieved",), "Value") == 0.845
    assert figure("code-paths", "table 6.1", "P100", ("V < −40 mV",), "Relative time") == 1.07
    assert figure("problem-size", "table 6.2", "V100", ("fp64", 125_000), "Relative throughput") == 0.636
    assert figure("whole-steps", "table 6.3", "P100", ("5",), "Diffusion") == 6.038
    assert figure("whole-steps", "table 6.4", "V100", ("1",), "Cell model, cell steps") == 2.401e9
    assert figure("whole-steps", "table 6.5, one GPU", "V100", ("6",), "50,000 steps") == 400.098


def test_the_bound_is_521_bytes_per_cell_and_step():
    """Eq. 6.8: 216 and 305; on the DGX-2 it gives 349.8 s for 50,000 steps of 11,688,851 cells (eq. 6.28)."""

    class Device:
        def __init__(self, copy, triad):
            self._ceilings = Ceilings(copy, triad)

        def ceilings(self):
            return self._ceilings

    assert bound_seconds(Device(1.0, 1.0), 1, 8) == 521
    # the published bytes are rounded to 2.52 and 3.57 GB
    assert 50_000 * bound_seconds(Device(859e9, 887e9), 11_688_851, 8) == pytest.approx(349.8, rel=2e-3)


def test_the_error_falls_like_the_thesis_one(backend):
    """Between 1,296 and 6,000 tetrahedra the thesis' own order is 2.2; a first-order scheme would have 1 at most."""
    (_, coarse), (step, fine) = (cosine_error(backend, cube(side, 1 / side)) for side in (6, 10))
    assert math.log(fine / coarse) / math.log(6 / 10) > 1.3
    # 5,047 tetrahedra: E = 0.071 and Δt = 0.01
    assert fine < 1.2 * 0.071
    assert 0.005 < step < 0.02


def test_the_first_rows_are_the_operator_without_the_rest(backend):
    matrix, order = tissue_matrix(backend, 1500)
    assert sorted(order) == list(range(matrix.n_rows))
    part = first_rows(matrix, 600)
    assert part.n_rows == 608
    inside = matrix.to_csr()[:608, :608]
    off = part.to_csr() - inside
    off.setdiag(0)
    assert abs(off).max() == 0
    assert (abs(part.to_csr().sum(axis=1)) < 1e-12).all()
    assert first_rows(matrix, matrix.n_rows + 5) is matrix


def test_the_matrix_of_a_box_is_the_engines(backend):
    """Where no gradient is limited, leaving out the search for growing modes changes nothing."""
    matrix, _ = tissue_matrix(backend, 700)
    assert matrix.n_rows == 6 * side_of(matrix.n_rows) ** 3 >= 700
    mesh = cube(side_of(matrix.n_rows), 0.5)
    order, neighbours = cell_order(mesh)
    found = assemble(mesh.take_cells(order), np.diag([0.1, 0.02, 0.02]), neighbours)
    assert (found.correction == 1).all()
    np.testing.assert_array_equal(found.matrix.weights, matrix.weights)


def test_clusters_keep_their_cells_and_lose_the_order_inside():
    order = cluster_order(1000, 32)
    assert sorted(order) == list(range(1000))
    np.testing.assert_array_equal(order // 32, np.arange(1000) // 32)
    assert (np.diff(order) != 1).mean() > 0.9
