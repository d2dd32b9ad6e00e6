"""The watchers' kernels of both kinds of device."""

from __future__ import annotations

import numpy as np

from engines.api.device import Backend
from engines.cardiac.tissue.silent import Silent
from engines.cardiac.watch.cuda import CudaKernels
from engines.cardiac.watch.kernels import KERNELS, WatcherKernels
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER


def both_kernels(backend: Backend, dtype: str, n: int = 5) -> list[WatcherKernels]:
    kinds: list[WatcherKernels] = [KERNELS.open(backend, n, np.dtype(dtype))]
    if COMPILER is not None:
        kinds.append(CudaKernels(HostCudaBackend(), n, np.dtype(dtype)))
    return kinds


def alive(kernels: WatcherKernels, n: int) -> Silent:
    """Of a tissue without scar."""
    return Silent(kernels.backend, np.zeros(n, bool))
