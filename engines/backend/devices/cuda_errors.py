"""CUDA's errors, in one sentence that says what to change."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from engines.api.errors import DeviceError

_SENTENCES = {
    "MEMORYALLOCATION": "The GPU ran out of memory: use a smaller problem, single precision, or another device.",
    "OUTOFMEMORY": "The GPU ran out of memory: use a smaller problem, single precision, or another device.",
    "ILLEGALADDRESS": "A kernel left its memory on the GPU: restart the application before the next run on it.",
    "MISALIGNEDADDRESS": "A kernel left its memory on the GPU: restart the application before the next run on it.",
    "ILLEGALINSTRUCTION": "A kernel failed on the GPU: restart the application before the next run on it.",
    "LAUNCHFAIL": "A kernel failed on the GPU: restart the application before the next run on it.",
    "LAUNCHTIMEOUT": "The display watchdog stopped a kernel: use a smaller problem or a GPU that drives no display.",
    "DEVICESUNAVAILABLE": "Another program holds the GPU for itself: close it or choose another device.",
    "INSUFFICIENTDRIVER": "The NVIDIA driver is too old for this CuPy: update it or install the CuPy that fits it.",
    "NOKERNELIMAGEFORDEVICE": "The installed CuPy has no code for this GPU: install a CuPy wheel that supports it.",
    "NOBINARYFORGPU": "The installed CuPy has no code for this GPU: install a CuPy wheel that supports it.",
    "NODEVICE": "There is no NVIDIA GPU in this machine: choose the device 'cpu'.",
    "ECCUNCORRECTABLE": "The GPU's memory reported an uncorrectable error: choose another device and check this one.",
    **dict.fromkeys(
        ("DEVICELOST", "CONTEXTISDESTROYED", "DEINITIALIZED", "CUDARTUNLOADING"),
        "The GPU does not answer any more, as after a reset of its driver: restart the application before the next run "
        "on it.",
    ),
}
"""Part of an error's name to its sentence. The runtime writes cudaErrorNoDevice, the driver CUDA_ERROR_NO_DEVICE."""
_LASTING = (
    "ILLEGALADDRESS", "MISALIGNEDADDRESS", "INVALIDADDRESSSPACE", "INVALIDPC", "ILLEGALINSTRUCTION", "HARDWARESTACK",
    "LAUNCHFAIL", "LAUNCHTIMEOUT", "ERRORASSERT", "ERRORCONTAINED", "ECCUNCORRECTABLE", "NVLINKUNCORRECTABLE",
    "NODEVICE", "ERRORUNKNOWN", "DEVICELOST", "CONTEXTISDESTROYED", "DEINITIALIZED", "CUDARTUNLOADING",
)  # fmt: skip
"""Parts of the names of errors after which CUDA answers every call of this process with the same one."""


def is_cuda_error(error: BaseException) -> bool:
    """Whether ``error`` is one of CuPy's own (runtime, driver, NVRTC, out of memory); told without importing CuPy."""
    return any(base.__module__.split(".")[0] in ("cupy", "cupy_backends") for base in type(error).__mro__)


def describe(error: BaseException) -> str:
    """One sentence for a CUDA error."""
    kind = type(error).__name__
    text = " ".join(str(error).split())
    if kind == "OutOfMemoryError":
        return _SENTENCES["MEMORYALLOCATION"]
    if kind == "CompileException":
        first = next((line.strip() for line in str(error).splitlines() if "error" in line), text)
        return f"A CUDA kernel does not compile on this machine ({first}): report it with what 'workbench doctor' says."
    for part, sentence in _SENTENCES.items():
        if part in _name(error):
            return sentence
    return f"The GPU reported an error ({text}): restart the application, or choose the device 'cpu'."


def as_device_error(error: BaseException) -> DeviceError:
    """The same in one sentence, and whether the device is lost to this process."""
    return DeviceError(describe(error), lost=any(part in _name(error) for part in _LASTING))


def _name(error: BaseException) -> str:
    """As it stands before the colon, in capitals alone."""
    return str(error).split(":")[0].upper().replace("_", "")


@contextmanager
def translated() -> Iterator[None]:
    """Turn CuPy's errors inside into DeviceError, with the original as the cause."""
    try:
        yield
    except Exception as error:
        if is_cuda_error(error):
            raise as_device_error(error) from error
        raise


class _Hushed:
    """A hook of ``sys`` that leaves out what CuPy's destructors raise. It uses no global name: the interpreter calls it
    until its end, when there are none any more."""

    def __init__(self, before: Callable[..., Any], trace_of: Callable[..., TracebackType | None]) -> None:
        self._before, self._trace_of = before, trace_of

    def __call__(self, *given: Any) -> None:
        trace = self._trace_of(*given)
        if trace is None or not trace.tb_frame.f_code.co_filename.startswith("cupy"):
            self._before(*given)


def hush_destructors() -> None:
    """From now on nobody is told of what CuPy's destructors raise.

    On a device that is lost each array, module and graph that is let go of raises the error again, where no caller can
    catch it; the run has ended with the first. Cython gives such an error to ``sys.excepthook`` and to
    ``sys.unraisablehook``: tracebacks on the terminal, and in a window on whatever thread lets go. What a call of ours
    raises has a line of ours above CuPy's.
    """
    if not isinstance(sys.excepthook, _Hushed):
        sys.excepthook = _Hushed(sys.excepthook, lambda kind, error, trace: trace)
    if not isinstance(sys.unraisablehook, _Hushed):
        sys.unraisablehook = _Hushed(sys.unraisablehook, lambda about: about.exc_traceback)
