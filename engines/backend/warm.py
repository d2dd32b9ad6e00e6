"""Compile ahead: what a first run needs is ready in the caches, so that Run does not compile.

Set-up calls :func:`warm`. Numba and CuPy keep what they compile on disk; a second call finds it there.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np

from engines.api import Progress, Selection, no_progress
from engines.backend.base import Backend
from engines.backend.cuda import CudaBackend
from engines.backend.cuda_status import cuda_status
from engines.backend.select import open_backend
from engines.backend.source import ENGINES
from engines.backend.threads import usable_cores
from engines.backend.variants import Variant, declared, sources
from engines.registry import engines


def warm(progress: Progress = no_progress, others: Sequence[Callable[[], None]] = ()) -> None:
    """Warm the CPU backend, the first usable GPU if there is one, and each installed engine on both.

    others: functions of modules that compile what else runs on the CPU. Raises DeviceError if a kernel does not
    compile on the GPU.
    """
    gpus = [device.id for device in cuda_status().devices[:1]]
    names = ["cpu", *gpus]
    for index, name in enumerate(names):
        backend = open_backend(name)
        report = _part(progress, index / len(names), 1.0 / len(names))
        try:
            if isinstance(backend, CudaBackend):
                warm_cuda(backend, report)
                for engine in engines().values():
                    report(f"Compiling {engine.title}", 0.8)
                    engine.warm(backend)
            else:
                warm_cpu(backend, report)
                _warm_engines(backend, others, report)
        finally:
            backend.close()
    progress("Kernels are compiled", 1.0)


def _warm_engines(backend: Backend, others: Sequence[Callable[[], None]], progress: Progress) -> None:
    """Each engine on the CPU, the largest first, and ``others``; on several cores in processes, since Numba compiles
    on one."""
    if min(usable_cores(), len(engines())) == 1:
        for engine in engines().values():
            progress(f"Compiling {engine.title}", 0.8)
            engine.warm(backend)
        for other in others:
            progress(f"Compiling {other.__module__}", 0.8)
            other()
        return
    ids = sorted(engines(), key=_kernel_bytes, reverse=True)
    with ProcessPoolExecutor(usable_cores(), multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(_warm_engine, each): engines()[each].title for each in ids}
        futures |= {pool.submit(other): other.__module__ for other in others}
        for done, future in enumerate(as_completed(futures), 1):
            future.result()
            progress(f"Compiled {futures[future]}", 0.2 + 0.8 * done / len(futures))


def _kernel_bytes(engine: str) -> int:
    """How much there is to compile, about: the size of the files with functions for Numba."""
    folder = Path(sys.modules[type(engines()[engine]).__module__].__file__ or "").parent
    texts = (path.read_bytes() for path in folder.rglob("*.py"))
    return sum(len(text) for text in texts if b"njit" in text)


def _warm_engine(engine: str) -> None:
    backend = open_backend("cpu")
    try:
        engines()[engine].warm(backend)
    finally:
        backend.close()


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
    backend.ceiling_over(1)  # the meters of a small problem ask for it


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
