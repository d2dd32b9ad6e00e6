"""The device that tests of light run on."""

import pytest

from engines.backend.cpu import CpuBackend


@pytest.fixture(scope="module")
def backend(request):
    """All cores, or as many as a module says in ``THREADS``: small grids and lines gain nothing from the second."""
    backend = CpuBackend()
    backend.threads = getattr(request.module, "THREADS", backend.threads)
    return backend
