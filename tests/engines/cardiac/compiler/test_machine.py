"""Counts from compiled code, on kernels of known operations and on one of a cell."""

from __future__ import annotations

import pytest

from engines.api.errors import DeviceError
from engines.backend.compile.nvrtc import compile_cubin, compile_ptx, supported_architectures
from engines.cardiac.compiler.machine import count_machine_code, count_ptx, machine_counts
from engines.cardiac.compiler.tissue import shipped_step

KERNEL = """extern "C" __global__ void known(REAL* x) {
    REAL a = x[0], b = x[1];
    a = a * b + b; b = b * a + a; a = a * b + b;  // three multiply-adds
    a = a * x[2]; a = a * x[3];                   // two products
    x[9] = a;
    x[8] = x[4] + x[5];                           // four sums
    x[7] = x[6] + x[8] + x[10];
    x[11] = x[7] - x[9];
}
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))
    try:
        supported_architectures()
    except (ImportError, DeviceError) as error:
        pytest.skip(f"no NVRTC on this platform: {error}")


@pytest.mark.parametrize("architecture", [75, 90, 120])
@pytest.mark.parametrize(("precision", "real"), [("float32", "float"), ("float64", "double")])
def test_known_operations(tmp_path, precision, real, architecture):
    if architecture not in supported_architectures():
        pytest.skip(f"this NVRTC does not know sm_{architecture}")
    path = tmp_path / "known.cu"
    path.write_text(KERNEL, "utf-8")
    macros = (f"-DREAL={real}",)
    in_text = count_ptx(compile_ptx(path, macros, architecture), precision)
    in_code = count_machine_code(compile_cubin(path, macros, architecture).cubin, precision)
    for found in (in_text, in_code):
        assert (found.fma, found.mul, found.add) == (3, 2, 4)
        assert found.total == 9
        assert found.other == {}


def test_what_is_no_machine_code_is_refused():
    with pytest.raises(ValueError, match="no 64-bit ELF"):
        count_machine_code(b"PTX text", "float64")


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
