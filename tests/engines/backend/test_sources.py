"""What ``.cu`` files declare, the text that reaches the compiler, and compiling ahead."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from engines.api.errors import DeviceError
from engines.backend import cuda
from engines.backend.cache_dir import source_file
from engines.backend.ceilings import memory
from engines.backend.compile import source, warm
from engines.backend.compile.nvrtc import parse_resources
from engines.backend.compile.source import compile_options, source_digest, source_text
from engines.backend.compile.variants import check_declared, declared


def test_variants_and_stack_are_read_from_the_header():
    text = """// A kernel.
// variants: -DREAL=float; -DREAL=double -DCELLS=4;
//variants: '-DNAME="a b"'
// stack: solve 128
// stack: prepare 64
extern "C" __global__ void solve() {}  // variants: -DNOT
"""
    found = declared(text)
    assert found.variants == (("-DREAL=float",), ("-DREAL=double", "-DCELLS=4"), ('-DNAME="a b"',))
    assert found.stack == {"solve": 128, "prepare": 64}


def test_a_file_without_declarations_has_one_variant_without_macros():
    assert declared("// nothing\n").variants == ((),)
    assert declared("// nothing\n").stack == {}


def test_a_stack_line_of_another_form_is_an_error():
    with pytest.raises(ValueError, match="not enough values"):
        declared("// stack: 128\n")


def test_a_launcher_may_use_only_what_is_declared(tmp_path):
    path = tmp_path / "kernel.cu"
    path.write_text("// variants: -DREAL=float; -DREAL=double\n")
    check_declared(path, ("-DREAL=double",))
    with pytest.raises(ValueError, match=r"'-DREAL=half'.*-DREAL=float; -DREAL=double"):
        check_declared(path, ("-DREAL=half",))


def test_a_changed_header_changes_the_text(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "ENGINES", tmp_path)
    (tmp_path / "common").mkdir()
    outer, inner, kernel = tmp_path / "common/outer.cuh", tmp_path / "common/inner.cuh", tmp_path / "kernel.cu"
    outer.write_text('#include "common/inner.cuh"\n')
    inner.write_text('#include "common/outer.cuh"\n// one\n')  # a circle must not hang
    kernel.write_text('#include "common/outer.cuh"\nvoid f();\n')
    before = source_text(kernel)
    assert before.startswith(kernel.read_text())
    assert source_text(kernel) == before
    digest = source_digest(kernel)
    inner.write_text('#include "common/outer.cuh"\n// two\n')
    assert source_text(kernel) != before
    assert source_digest(kernel) != digest
    assert f"-I{tmp_path.as_posix()}" in compile_options(())


def test_the_report_of_the_assembler_as_nvcc_and_nvrtc_print_it():
    """Lines of CUDA 13.0's nvcc and of NVRTC 13.4: the second starts the frame's line differently."""
    log = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'dyn' for 'sm_90'
ptxas info    : Function properties for dyn
    192 bytes stack frame, 212 bytes spill stores, 244 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 192 bytes cumulative stack size, 512 bytes smem
ptxas info    : Compiling entry function 'clean' for 'sm_90'
ptxas info    : Function properties for clean
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
ptxas info    : Function properties for _Z5heavyPKfi
ptxas         .     8 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads
"""
    dynamic, clean, called = parse_resources(log)
    assert (dynamic.kernel, dynamic.registers, dynamic.stack, dynamic.shared) == ("dyn", 32, 192, 512)
    assert (dynamic.spill_stores, dynamic.spill_loads) == (212, 244)
    assert (clean.kernel, clean.registers, clean.stack, clean.spill_stores, clean.shared) == ("clean", 12, 0, 0, 0)
    assert (called.kernel, called.stack, called.spill_stores) == ("_Z5heavyPKfi", 8, 4)


def test_warming_compiles_the_cpu_kernels_calls_each_engine_and_reports(monkeypatch):
    seen: list[str] = []

    class SomeEngine:
        title = "Some engine"

        def warm(self, backend):
            seen.append(backend.id)
            backend.gather(np.zeros(3, np.float32), backend.select(warm.Selection(np.zeros(1, np.int32))))

    monkeypatch.setattr(memory, "_measured", {})  # of one number each; other tests look at it
    monkeypatch.setattr(warm, "engines", lambda: {"some": SomeEngine()})
    monkeypatch.setattr(cuda, "load_cupy", _no_cupy)
    reports: list[tuple[str, float]] = []
    warm.warm(lambda message, fraction: reports.append((message, fraction)), [lambda: seen.append("another")])
    assert seen == ["cpu", "another"]
    fractions = [fraction for _, fraction in reports]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert "Compiling Some engine" in [message for message, _ in reports]


class Compiling:
    """A GPU's backend that waits until two of its kernels are compiled at once."""

    def __init__(self, broken: str = "") -> None:
        self.broken, self.made, self._both = broken, [], threading.Barrier(2)
        self._first = iter([True, True])

    def compile(self, path, macros):
        if path.name == self.broken:
            raise DeviceError("It does not compile.")
        if not self.broken and next(self._first, False):
            self._both.wait(timeout=30)
        if self.broken:
            time.sleep(0.01)  # a hundred of them take a second
        self.made.append((path, macros))


def test_kernels_of_a_gpu_are_compiled_side_by_side(monkeypatch):
    monkeypatch.setattr(warm, "usable_cores", lambda: 2)
    device, fractions = Compiling(), []
    warm.warm_cuda(device, lambda message, fraction: fractions.append(fraction))
    assert sorted(device.made) == sorted(warm.all_variants())
    assert fractions == sorted(fractions)
    assert len(fractions) == len(device.made) > 300


def test_one_that_does_not_compile_ends_the_others(monkeypatch):
    monkeypatch.setattr(warm, "usable_cores", lambda: 2)
    device = Compiling(next(warm.all_variants())[0].name)
    with pytest.raises(DeviceError, match="does not compile"):
        warm.warm_cuda(device)
    assert len(device.made) < 100


def _no_cupy():
    raise ModuleNotFoundError("No module named 'cupy'", name="cupy")


def torn(path):
    path.write_bytes(b"\xff torn")


def taken_by_a_folder(path):
    path.unlink()
    path.mkdir()


def without_a_folder(path):
    path.unlink()
    path.parent.rmdir()
    path.parent.write_bytes(b"")


@pytest.mark.parametrize("spoil", [torn, taken_by_a_folder, without_a_folder])
def test_code_for_the_compiler_does_not_hang_on_what_is_in_the_cache(tmp_path, spoil, own_cache):
    path = source_file("// µ\n", "made")
    assert path.is_relative_to(tmp_path)
    assert path.read_text("utf-8") == "// µ\n"
    spoil(path)
    assert source_file("// µ\n", "made").read_text("utf-8") == "// µ\n"
