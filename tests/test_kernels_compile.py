"""Every CUDA kernel compiles for every architecture, with all its declared macros, without spilling a register.

NVRTC needs neither a GPU nor a driver. What a file declares: :mod:`engines.backend.compile.variants`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from zlib import crc32

import pytest

from engines.api.errors import DeviceError
from engines.backend.compile.nvrtc import ARCHITECTURES, KernelResources, compile_cubin
from engines.backend.compile.source import ENGINES
from engines.backend.compile.variants import declared
from engines.backend.compile.warm import all_variants
from tests.compiled import known_architectures, resources_of


def complaints(resources: tuple[KernelResources, ...], stack: dict[str, int]) -> list[str]:
    """What is wrong with the kernels of one file, given the stack that it declares."""
    found = [
        f"{kernel.kernel} spills {kernel.spill_stores} bytes ({kernel.registers} registers)"
        for kernel in resources
        if kernel.spill_stores or kernel.spill_loads
    ]
    found += [
        f"{kernel.kernel} uses {kernel.stack} bytes of local memory, {stack.get(kernel.kernel, 0)} declared"
        for kernel in resources
        if kernel.stack > stack.get(kernel.kernel, 0)
    ]
    return found


GENERATIONS = (80, 90, 120)
"""One of each generation after the oldest: 86 and 89 are of that of 80, 100 of that of 120 (of 25 files compiled for
both, no kernel had other local memory or spills, and few more than 8 registers less or more)."""


@cache
def variants_of(path: Path) -> tuple[tuple[str, ...], ...]:
    return tuple(declared(path.read_text(encoding="utf-8")).variants)


def quick(path: Path, macros: tuple[str, ...]) -> set[int]:
    """What a kernel is compiled for in every run; with --slow for all.

    The oldest and one generation of a file's only variant; of several variants each for one of these in turn, so that
    the file meets them all, or as many as it has variants.
    """
    first = crc32(path.name.encode()) % len(GENERATIONS)
    turns = (ARCHITECTURES[0], *GENERATIONS[first:], *GENERATIONS[:first])
    variants = variants_of(path)
    return set(turns[:2]) if len(variants) == 1 else {turns[variants.index(macros) % len(turns)]}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What no run without --slow compiles is no test there: thousands to collect and to skip."""
    if "architecture" in metafunc.fixturenames:
        every = metafunc.config.getoption("--slow")
        chosen = [
            pytest.param(path, macros, one, id=f"{path.relative_to(ENGINES).as_posix()}[{' '.join(macros)}]-sm_{one}")
            for path, macros in all_variants()
            for one in (ARCHITECTURES if every else sorted(quick(path, macros)))
        ]
        metafunc.parametrize(("path", "macros", "architecture"), chosen)


def test_kernels_compile_without_spills(path, macros, architecture):
    if architecture not in known_architectures():
        pytest.skip(f"this NVRTC knows {known_architectures()}")
    resources = resources_of(path, macros, architecture)
    assert complaints(resources, declared(path.read_text(encoding="utf-8")).stack) == []


SPILLS = """
extern "C" __global__ void crowded(const float* __restrict__ a, float* __restrict__ b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[64];
    #pragma unroll
    for (int k = 0; k < 64; ++k) v[k] = a[i + k * n];
    for (int repeat = 0; repeat < n; ++repeat) {
        #pragma unroll
        for (int k = 0; k < 64; ++k) v[k] = v[k] * v[(k + 7) % 64] + v[(k * 5 + 1) % 64];
    }
    #pragma unroll
    for (int k = 0; k < 64; ++k) b[i + k * n] = v[k];
}
"""

INDEXED = """
// stack: looked_up {declared}
extern "C" __global__ void looked_up(const float* __restrict__ a, float* __restrict__ b, int n) {
    float v[40];
    for (int k = 0; k < 40; ++k) v[k] = a[k];
    for (int k = 0; k < n; ++k) v[(int)a[40 + k]] += a[80 + k];  // an index known only at run time
    __shared__ float s[128];
    s[threadIdx.x] = v[n % 40];
    __syncthreads();
    b[threadIdx.x] = v[(int)a[1]] + s[127 - threadIdx.x];
}
"""


@pytest.fixture
def kernel_file(tmp_path: Path):
    def write(text: str) -> Path:
        known_architectures()  # skips without NVRTC
        path = tmp_path / "kernel.cu"
        path.write_text(text)
        return path

    return write


def test_a_kernel_that_spills_is_found(kernel_file):
    """64 live values in 32 registers cannot but spill; with the registers it wants the same kernel is clean."""
    path = kernel_file(SPILLS)
    (starved,) = compile_cubin(path, ("--maxrregcount=32",), 90).resources
    assert starved.kernel == "crowded"
    assert starved.registers == 32
    # At least the 32 values too many are stored, 4 bytes each.
    assert starved.spill_stores >= 128
    assert any("spills" in line for line in complaints((starved,), {"crowded": starved.stack}))
    (free,) = compile_cubin(path, (), 90).resources
    assert free.registers > 64
    assert complaints((free,), {}) == []


def test_an_array_in_local_memory_must_be_declared(kernel_file):
    path = kernel_file(INDEXED.replace("{declared}", "160"))
    resources = compile_cubin(path, (), 80).resources
    assert [kernel.stack for kernel in resources] == [160]  # 40 floats
    assert [kernel.shared for kernel in resources] == [512]  # 128 floats
    assert complaints(resources, {}) == ["looked_up uses 160 bytes of local memory, 0 declared"]
    assert complaints(resources, declared(path.read_text()).stack) == []
    assert complaints(resources, {"looked_up": 156}) != []


def test_a_kernel_that_does_not_compile_says_where(kernel_file):
    path = kernel_file('extern "C" __global__ void broken() { undeclared = 1; }')
    with pytest.raises(DeviceError, match=r"kernel\.cu does not compile for sm_75 with -DREAL=float: .*undeclared"):
        compile_cubin(path, ("-DREAL=float",), 75)


def test_equal_input_gives_equal_code_and_macros_change_it(kernel_file):
    path = kernel_file('extern "C" __global__ void twice(REAL* a) { a[threadIdx.x] *= 2; }')
    single, again, double = (compile_cubin(path, (f"-DREAL={real}",), 90) for real in ("float", "float", "double"))
    assert single.sha256 == again.sha256
    assert single.sha256 != double.sha256


def test_in_every_run_each_file_meets_the_oldest_architecture_and_others():
    met: dict[Path, set[int]] = {}
    for path, macros in all_variants():
        met.setdefault(path, set()).update(quick(path, macros))
    for path, architectures in met.items():
        assert ARCHITECTURES[0] in architectures, path
        assert len(architectures) == min(max(2, len(variants_of(path))), 1 + len(GENERATIONS)), path
    assert set.union(*met.values()) == {ARCHITECTURES[0], *GENERATIONS}
