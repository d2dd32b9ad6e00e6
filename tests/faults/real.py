"""Faults that a GPU really has, in a process of its own: after most of them CUDA answers it nothing any more.

python -m tests.faults.real FAULT run …         a command of Workbench's; the fault comes after its first checkpoint
python -m tests.faults.real FAULT window        as a window runs: what is left goes on on the CPU in this process
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from engines.api import Simulation
from engines.backend.cuda import CudaBackend
from workbench.cli import main
from workbench.project.presets import open_named
from workbench.run.states import history
from workbench.run.frames import RunState
from workbench.run.observer import Observer
from workbench.run.recording import Recorder
from workbench.run.runner import Runner
from workbench.run.session import start

KERNELS = r"""
extern "C" __global__ void illegal(float* p) { p[threadIdx.x] = 1.0f; }
extern "C" __global__ void misaligned(float* p) { *(float*)((char*)p + 1) = 1.0f; }
extern "C" __global__ void trap(float* p) { asm("trap;"); }
"""
LEFT = 1 << 12
"""Bytes: of a GPU that is full others leave no piece as large."""
_taken: list[Any] = []


def _launch(kernel: str, backend: CudaBackend) -> None:
    """Put a kernel that fails on the stream of the run, which goes on: CUDA tells of it later."""
    import numpy as np

    with backend.active():
        address = np.uint64(16 if kernel == "illegal" else backend.cupy.zeros(64, np.float32).data.ptr)
        backend.cupy.RawModule(code=KERNELS).get_function(kernel)((1,), (32,), (address,))


def _fill(backend: CudaBackend | None = None) -> None:
    """Take what the GPU has left, as another program may."""
    import cupy

    if backend is not None:
        backend.release()
    size = 1 << 34
    while size >= LEFT:
        try:
            _taken.append(cupy.cuda.runtime.malloc(size))
        except cupy.cuda.runtime.CUDARuntimeError:
            size //= 2


def _ask_for_more(backend: CudaBackend) -> None:
    _fill(backend)
    backend.empty(1 << 30, "u1")


LAUNCHED = ("illegal", "misaligned", "trap")
FAULTS: dict[str, Callable[[CudaBackend], None]] = {
    **{kernel: lambda backend, kernel=kernel: _launch(kernel, backend) for kernel in LAUNCHED},  # type: ignore[misc]
    "full": _fill,
    "more": _ask_for_more,
}
"""What happens to a run that goes on: one of the kernels; others take all memory; and the run asks for more then."""


def _opened(backends: list[CudaBackend]) -> None:
    """From now on each backend that is opened is put into ``backends``."""
    make = CudaBackend.__init__

    def made(self: CudaBackend, device: int = 0) -> None:
        make(self, device)
        backends.append(self)

    CudaBackend.__init__ = made  # type: ignore[method-assign]


def command(fault: str, arguments: list[str]) -> int:
    """A command of Workbench's; ``full from the start`` comes before it, all else after its first checkpoint."""
    backends: list[CudaBackend] = []
    _opened(backends)
    take = Recorder._take_checkpoint

    def taken(self: Recorder, simulation: Simulation) -> None:
        take(self, simulation)
        self._writer.flush()
        Recorder._take_checkpoint = take  # type: ignore[method-assign]
        FAULTS[fault](backends[-1])
        print(f"provoked at step {simulation.step}", file=sys.stderr)

    if fault == "full from the start":
        _fill()
    else:
        Recorder._take_checkpoint = taken  # type: ignore[method-assign]
    return main(arguments)


class _AtFirstMark(Observer):
    def __init__(self, then: Callable[[], None]) -> None:
        self.runner: Runner | None = None
        self._then: Callable[[], None] | None = then

    def next_step(self, after: int) -> int | None:
        return after + 1

    def observe(self, simulation: Simulation) -> None:
        if self._then is not None and self.runner is not None and self.runner.marks:
            then, self._then = self._then, None
            then()


def window(fault: str) -> int:
    """What a window does: a run with states kept in memory, then another on the CPU from the last of them."""
    backends: list[CudaBackend] = []
    _opened(backends)
    history.FIRST_SECONDS = 0.0
    document = open_named("gray_scott_coral")
    observer = _AtFirstMark(lambda: FAULTS[fault](backends[-1]))
    broken = start(document, "cuda:0", [observer], autostart=True, until=400.0, checkpoints=8)
    observer.runner = broken
    state = broken.wait(RunState.FINISHED)
    broken.join(30)
    assert state is RunState.FAILED, state
    assert broken.error is not None
    assert broken.rescued is not None
    until = broken.rescued.mark.time + 3.0
    ahead = start(document, "cpu", autostart=True, until=until, resume_from=broken.rescued.state)
    state = ahead.wait(RunState.FINISHED)
    ahead.close()
    told = {"error": str(broken.error), "lost": getattr(broken.error, "lost", None), "failure": repr(broken.failure)}
    print(json.dumps({**told, "state": str(state), "later": None if ahead.error is None else str(ahead.error)}))
    return 0


if __name__ == "__main__":
    sys.exit(window(sys.argv[1]) if sys.argv[2] == "window" else command(sys.argv[1], sys.argv[2:]))
