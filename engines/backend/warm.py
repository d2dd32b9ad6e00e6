"""Compile ahead: what a first run needs is ready in the caches, so that Run does not compile.

Set-up calls :func:`warm`. Numba and CuPy keep what they compile on disk; a second call finds it there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engines.api import Progress, Selection, no_progress
from engines.backend.base import Backend
from engines.backend.cuda import CudaBackend
from engines.backend.cuda_status import cuda_status
from engines.backend.select import open_backend
from engines.backend.source import ENGINES
from engines.backend.variants import Variant, declared, sources
from engines.registry import engines


def warm(progress: Progress = no_progress) -> None:
    """Warm the CPU backend, the first usable GPU if there is one, and each installed engine on both.

    Raises DeviceError if a kernel does not compile on the GPU.
    """
    gpus = [device.id for device in cuda_status().devices[:1]]
    names = ["cpu", *gpus]
    for index, name in enumerate(names):
        backend = open_backend(name)
        report = _part(progress, index / len(names), 1.0 / len(names))
        try:
            if isinstance(backend, CudaBackend):
                warm_cuda(backend, report)
            else:
                warm_cpu(backend, report)
            for engine in engines().values():
                report(f"Compiling {engine.title}", 0.8)
                engine.warm(backend)
        finally:
            backend.close()
    progress("Kernels are compiled", 1.0)


def _part(progress: Progress, start: float, share: float) -> Progress:
    """A progress that fills ``share`` of ``progress`` from ``start`` on."""
    return lambda message, fraction: progress(message, start + share * fraction)


def warm_cpu(backend: Backend, progress: Progress = no_progress) -> None:
    """Call each Numba kernel of the backend with the data types and layouts that fields come in."""
    progress("Compiling kernels for the CPU", 0.0)
    elements = np.zeros(1, np.int32)
    handles = [backend.select(Selection(elements)), backend.select(Selection(elements, np.array([0, 1], np.int32)))]
    for dtype in (np.float32, np.float64):
        components = np.zeros((3, 4), dtype)
        for values in (components[0], components.T):
            for handle in handles:
                backend.gather(values, handle)
        backend.first_non_finite(components)
    backend.ceilings()


def warm_cuda(backend: CudaBackend, progress: Progress = no_progress) -> None:
    """Compile every variant that every ``.cu`` file of the engines declares, for the present device."""
    work = list(all_variants())
    for index, (path, macros) in enumerate(work):
        progress(f"Compiling {path.relative_to(ENGINES).as_posix()}", 0.8 * index / len(work))
        backend.compile(path, macros)


def all_variants(root: Path = ENGINES) -> Iterator[tuple[Path, Variant]]:
    """Each ``.cu`` file below ``root`` with each set of macros that it declares."""
    for path in sources(root):
        for macros in declared(path.read_text(encoding="utf-8")).variants:
            yield path, macros
