"""Counts from compiled code, on kernels of known operations and on one of a cell."""

import pytest

from engines.backend.compile.nvrtc import compile_cubin, compile_ptx
from engines.formulas.machine import count_machine_code, count_ptx
from tests.compiled import known_architectures

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
    known_architectures()


@pytest.mark.parametrize("architecture", [75, 90, 120])
@pytest.mark.parametrize(("precision", "real"), [("float32", "float"), ("float64", "double")])
def test_known_operations(tmp_path, precision, real, architecture):
    if architecture not in known_architectures():
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
