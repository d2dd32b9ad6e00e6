"""The devices that tests of the engines run on: the CPU, and a GPU whose kernels run thread by thread on the host."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engines.backend.cpu import CpuBackend
from tests.cuda_on_host import COMPILER, HostCudaBackend


@pytest.fixture(scope="module")
def cpu() -> Iterator[CpuBackend]:
    """All cores."""
    backend = CpuBackend()
    yield backend
    backend.close()


@pytest.fixture(params=["cpu", "cuda on host"])
def backend(request, tmp_path, monkeypatch):
    """Each in turn."""
    if request.param == "cpu":
        return CpuBackend()
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))  # launch shapes are chosen anew
    return HostCudaBackend()
