"""Opening devices by name, and what is said where a part of CUDA is missing."""

from __future__ import annotations

import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from engines.api.device import DeviceInfo
from engines.api.errors import DeviceError, ProblemError
from engines.backend import available, cuda, open_backend
from engines.backend.devices.cuda_errors import describe, is_cuda_error, translated
from engines.backend.devices.cuda_status import cuda_status
from workbench.words.failures import as_sentence


class CUDARuntimeError(RuntimeError):
    """Stands in for CuPy's class of this name, which cannot be made without its library."""


CUDARuntimeError.__module__ = "cupy_backends.cuda.api.runtime"


def raiser(error: BaseException):
    def call(*_):
        raise error

    return call


def fake_cupy(count=1, count_error=None, driver=13000, nvrtc_error=None):
    properties = {
        "name": b"Test GPU",
        "totalGlobalMem": 8 << 30,
        "multiProcessorCount": 10,
        "maxThreadsPerMultiProcessor": 2048,
        "major": 8,
        "minor": 9,
    }
    runtime = SimpleNamespace(
        getDeviceCount=raiser(count_error) if count_error else lambda: count,
        driverGetVersion=lambda: driver,
        runtimeGetVersion=lambda: 12090,
        getDeviceProperties=lambda device: properties,
    )
    nvrtc = SimpleNamespace(getVersion=raiser(nvrtc_error) if nvrtc_error else lambda: (12, 9))
    return SimpleNamespace(__version__="14.2.0", cuda=SimpleNamespace(runtime=runtime, nvrtc=nvrtc))


def test_importing_the_package_loads_neither_numba_nor_cupy():
    script = "import sys, engines.backend; print([m for m in ('numba', 'cupy', 'scipy') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("loads", "missing", "says"),
    [
        (raiser(ModuleNotFoundError("No module named 'cupy'", name="cupy")), "cupy", "not installed"),
        (raiser(ModuleNotFoundError("No module named 'fastrlock'", name="fastrlock")), "cupy-broken", "fastrlock"),
        (raiser(ImportError("libcudart.so.12: cannot open")), "cupy-broken", r"libcudart\.so\.12"),
        (
            lambda: fake_cupy(count_error=CUDARuntimeError("cudaErrorInsufficientDriver: CUDA driver"), driver=0),
            "driver",
            "no NVIDIA driver",
        ),
        (
            lambda: fake_cupy(count_error=CUDARuntimeError("cudaErrorInsufficientDriver: CUDA driver"), driver=11040),
            "driver-old",
            "too old",
        ),
        (lambda: fake_cupy(count_error=CUDARuntimeError("cudaErrorNoDevice: none")), "gpu", "no NVIDIA GPU"),
        (lambda: fake_cupy(count=0), "gpu", "CUDA_VISIBLE_DEVICES"),
        (lambda: fake_cupy(nvrtc_error=RuntimeError("no libnvrtc.so.12")), "nvrtc", r"libnvrtc\.so\.12"),
        (lambda: fake_cupy(count_error=CUDARuntimeError("cudaErrorUnknown: odd")), "runtime", "odd"),
    ],
)
def test_each_missing_part_has_its_own_sentence(monkeypatch, loads, missing, says):
    monkeypatch.setattr(cuda, "load_cupy", loads)
    status = cuda_status()
    assert status.devices == ()
    assert status.missing == missing
    assert re.search(says, status.sentence)
    assert status.sentence.endswith(".")
    assert isinstance(open_backend("auto").info, DeviceInfo)  # the CPU remains
    with pytest.raises(ProblemError, match="valid names: auto, cpu\\)") as error:
        open_backend("cuda:0")
    assert status.sentence in str(error.value)


def test_a_working_gpu_is_described(monkeypatch):
    monkeypatch.setattr(cuda, "load_cupy", lambda: fake_cupy(count=2))
    monkeypatch.setattr(cuda, "_kernel_module_version", lambda: "580.95.05")
    first, second, processor = available()
    assert (first.id, second.id, processor.id) == ("cuda:0", "cuda:1", "cpu")
    assert first.name == "Test GPU"
    assert first.compute_capability == "8.9"
    assert first.memory_bytes == 8 << 30
    assert first.threads == 20480
    assert first.driver == "580.95.05"
    assert first.versions == {"cupy": "14.2.0", "cuda_runtime": "12.9", "cuda_driver": "13.0", "nvrtc": "12.9"}
    with pytest.raises(ProblemError, match=r"'cuda:2'.*valid names: auto, cpu, cuda:0, cuda:1"):
        open_backend("cuda:2")


def test_auto_takes_the_gpu_with_most_free_memory_and_skips_what_fails(monkeypatch):
    monkeypatch.setattr(cuda, "load_cupy", lambda: fake_cupy(count=3))
    monkeypatch.setattr(cuda, "free_memory", lambda device: [1, 3, 2][device])
    opened: list[int] = []

    def construct(device):
        opened.append(device)
        if device == 1:
            raise DeviceError("Another program holds the GPU for itself.")
        return f"GPU {device}"

    monkeypatch.setattr(cuda, "CudaBackend", construct)
    assert open_backend("auto") == "GPU 2"
    assert opened == [1, 2]
    monkeypatch.setattr(cuda, "free_memory", raiser(DeviceError("The GPU is busy.")))
    assert open_backend("auto").id == "cpu"


@pytest.mark.parametrize("name", ["gpu", "CPU", "", "cuda", "cuda:-1"])
def test_an_unknown_name_is_answered_with_the_valid_ones(name):
    with pytest.raises(ProblemError, match="valid names: auto, cpu"):
        open_backend(name)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cudaErrorMemoryAllocation: out of memory", "ran out of memory"),
        ("CUDA_ERROR_OUT_OF_MEMORY: out of memory", "ran out of memory"),
        ("cudaErrorIllegalAddress: an illegal memory access", "restart the application"),
        ("CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access", "restart the application"),
        ("CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image", "no code for this GPU"),
        ("cudaErrorSomethingNew: a new failure", "a new failure"),
    ],
)
def test_cuda_errors_become_one_sentence(text, says):
    with pytest.raises(DeviceError, match=says) as caught, translated():
        raise CUDARuntimeError(text)
    assert isinstance(caught.value.__cause__, CUDARuntimeError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("cudaErrorMemoryAllocation: out of memory", False),
        ("cudaErrorIllegalAddress: an illegal memory access", True),
        ("CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure", True),
        ("cudaErrorUnknown: unknown error", True),
        ("cudaErrorInvalidValue: invalid argument", False),
    ],
)
def test_it_is_known_whether_the_device_is_lost_to_this_process(text, lost):
    with pytest.raises(DeviceError) as caught, translated():
        raise CUDARuntimeError(text)
    assert caught.value.lost is lost
    assert caught.value.torn
    known = as_sentence(CUDARuntimeError(text))  # where a backend was not the one that met it
    assert (str(known), known.torn) == (str(caught.value), True)


def test_other_errors_pass_untouched():
    assert not is_cuda_error(RuntimeError("cudaErrorMemoryAllocation"))
    with pytest.raises(ZeroDivisionError), translated():
        raise ZeroDivisionError


def test_cupys_own_classes_are_recognised():
    """The names that :func:`describe` goes by are those of the installed CuPy."""
    cupy = pytest.importorskip("cupy", exc_type=ImportError)
    shortage = cupy.cuda.memory.OutOfMemoryError(8 << 30, 0, 0)
    assert is_cuda_error(shortage)
    assert "ran out of memory" in describe(shortage)
    broken = cupy.cuda.compiler.CompileException("k.cu(3): error: x is undefined\n1 error", "", "k.cu", ())
    assert is_cuda_error(broken)
    assert "k.cu(3): error: x is undefined" in describe(broken)
    assert all(
        base.__module__.startswith("cupy")
        for base in (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError)
    )
