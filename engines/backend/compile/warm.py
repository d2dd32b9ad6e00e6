"""Compile ahead: what a first run needs is ready in the caches, so that Run does not compile.

Set-up calls :func:`warm`. Numba and CuPy keep what they compile on disk; a second call finds it there.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path

import numpy as np

from engines.api import Progress, Selection, no_progress
from engines.api.registry import engines
from engines.backend.ceilings import curve, curve_cpu
from engines.backend.ceilings import memory as ceilings
from engines.backend.compile.source import ENGINES
from engines.backend.compile.stamp import remember_compiled
from engines.backend.compile.variants import Variant, declared, sources
from engines.backend.cpu import FEW
from engines.backend.cuda import CudaBackend
from engines.backend.devices.cuda_status import cuda_status
from engines.backend.devices.select import open_backend
from engines.backend.threads import usable_cores


def warm(progress: Progress = no_progress, others: Sequence[Callable[[], None]] = ()) -> None:
    """Warm the CPU backend, the first usable GPU if there is one, and each installed engine on both.

    others: functions of modules that compile what else runs on the CPU. Raises DeviceError if a kernel does not
    compile on the GPU.
    """
    gpus = [device.id for device in cuda_status().devices[:1]]
    _warm_on_cpu(others, _part(progress, 0.0, 1.0 / (1 + len(gpus))))
    for name in gpus:
        report = _part(progress, 0.5, 0.5)
        backend = open_backend(name)
        try:
            if isinstance(backend, CudaBackend):
                warm_cuda(backend, report)
            for engine in engines().values():
                report(f"Compiling {engine.title}", 0.8)
                engine.warm(backend)
        finally:
            backend.close()
    remember_compiled()
    progress("Kernels are compiled", 1.0)


SECONDS_TO_COMPILE = {"battery": 43, "fdtd": 34, "peridynamics": 26, "cardiac": 22, "spiking": 10}
"""Of one core, for what is warmed of an engine; measured together with the longest, stencil's 50. Others come first."""


COMPILERS = 8
"""Of kernels for a GPU at once at most: each takes some 50 MB."""


def _warm_on_cpu(others: Sequence[Callable[[], None]], progress: Progress) -> None:
    """The backend's kernels, which all use, each engine, the longest first, and ``others``; on several cores in
    processes, since Numba compiles on one."""
    jobs: list[tuple[str, Callable[[], None]]] = [("kernels of fields", _warm_fields)]
    ids = sorted(engines(), key=lambda engine: -SECONDS_TO_COMPILE.get(engine, 50))
    jobs += [(engines()[each].title, partial(_warm_engine, each)) for each in ids]
    jobs += [(other.__module__, other) for other in others]
    if min(usable_cores(), len(ids)) == 1:
        for done, (title, job) in enumerate(jobs):
            progress(f"Compiling {title}", done / len(jobs))
            job()
        return
    with ProcessPoolExecutor(usable_cores(), multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(job): title for title, job in jobs}
        for done, future in enumerate(as_completed(futures), 1):
            future.result()
            progress(f"Compiled {futures[future]}", done / len(jobs))


def _warm_engine(engine: str) -> None:
    backend = open_backend("cpu")
    ceilings.cpu_ceilings(backend.info.threads, 1)  # for estimates, which else take gigabytes where caches are large
    try:
        engines()[engine].warm(backend)
    finally:
        backend.close()


def _part(progress: Progress, start: float, share: float) -> Progress:
    """A progress that fills ``share`` of ``progress`` from ``start`` on."""
    return lambda message, fraction: progress(message, start + share * fraction)


def _warm_fields() -> None:
    """Call each Numba kernel of the backend with the data types and layouts that fields come in."""
    backend = open_backend("cpu")
    many, one = np.zeros(FEW + 1, np.int32), np.zeros(1, np.int32)  # fewer are NumPy's
    handles = [backend.select(Selection(many)), backend.select(Selection(one, np.array([0, 1], np.int32)))]
    for dtype in (np.float32, np.float64):
        components = np.zeros((3, FEW), dtype)
        for values in (components[0], components.T):
            for handle in handles:
                backend.gather(values, handle)
        backend.first_non_finite(components)
    # What measures the memory for estimates and meters, without the gigabytes that it takes where caches are large.
    ceilings.measure_cpu(backend.info.threads, 1)
    list(curve_cpu.measure(backend.info.threads, [curve.SMALLEST], True, curve.METERED))
    backend.close()


def warm_cuda(backend: CudaBackend, progress: Progress = no_progress) -> None:
    """Compile every variant that every ``.cu`` file of the engines declares, for the present device.

    Side by side: NVRTC compiles on as many threads as call it. Raises DeviceError for the first that does not compile.
    """
    with ThreadPoolExecutor(min(COMPILERS, usable_cores())) as pool:
        futures = {pool.submit(backend.compile, path, macros): path for path, macros in all_variants()}
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                progress(f"Compiled {futures[future].relative_to(ENGINES).as_posix()}", 0.8 * done / len(futures))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def all_variants(root: Path = ENGINES) -> Iterator[tuple[Path, Variant]]:
    """Each ``.cu`` file below ``root`` with each set of macros that it declares."""
    for path in sources(root):
        for macros in declared(path.read_text(encoding="utf-8")).variants:
            yield path, macros
