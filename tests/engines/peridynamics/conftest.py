"""What the tests of peridynamics share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engines.backend.cpu import CpuBackend
from tests.cuda_on_host import COMPILER, HostCudaBackend


@pytest.fixture(scope="session")
def cpu() -> Iterator[CpuBackend]:
    """All cores."""
    backend = CpuBackend()
    yield backend
    backend.close()


@pytest.fixture
def on_host() -> HostCudaBackend:
    """A CUDA device that is emulated on the host."""
    if COMPILER is None:
        pytest.skip("no C++ compiler, or not Linux")
    return HostCudaBackend()


@pytest.fixture(params=["cpu", "on_host"])
def device(request):
    """Each backend in turn."""
    return request.getfixturevalue(request.param)
