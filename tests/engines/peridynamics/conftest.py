"""What the tests of peridynamics share."""

from __future__ import annotations

import pytest

from tests.cuda_on_host import COMPILER, HostCudaBackend


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
