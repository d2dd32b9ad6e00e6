"""Real ``.cu`` files, compiled as C++ and run thread by thread on the host: CUDA is tested where there is no GPU.

:class:`HostCudaBackend` stands in for ``CudaBackend``, so that launchers run unchanged on NumPy arrays::

    diffusion = CudaDiffusion(HostCudaBackend(), (37, 53), ...)

What only a device can show (speed, resources, approximate intrinsics, denormals flushed to zero) is in ``tests/gpu``.
"""

from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER, CudaOnHostError, HostModule

__all__ = ["COMPILER", "CudaOnHostError", "HostCudaBackend", "HostModule"]
