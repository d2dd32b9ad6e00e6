"""Counts from the compiled code of a cell."""

import pytest

from engines.cardiac.compiler.report import machine_counts
from engines.cardiac.compiler.tissue import shipped_step
from tests.compiled import known_architectures


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))
    known_architectures()


def test_a_cells_kernel_has_what_its_graph_has():
    """In float the hardware's exponential is one ex2 each; a double's exponential and division are written out by
    ``cell_math.cuh``, so that PTX and machine code differ by little more than which product is fused."""
    single = machine_counts(shipped_step("bueno_orovio_2008", "float32", "FE"))
    assert single.ptx.other["ex2"] == single.static.exponentials
    assert single.ptx.other["div"] == single.static.divisions + 1  # the crossing of the threshold
    assert single.ptx.total > 0
    assert single.spilled == 0
    double = machine_counts(shipped_step("bueno_orovio_2008", "float64", "FE"))
    assert double.machine.total == pytest.approx(double.ptx.total, rel=0.05)
    assert double.ptx.other["rcp"] == double.static.divisions + 1
    assert 0.7 < double.machine.total / double.static.total < 2.0
    assert single.registers < double.registers <= 255
