"""Both backends: the CPU, and the GPU's kernels run on the host."""

from __future__ import annotations

import pytest

from engines.backend.cpu import CpuBackend
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER


@pytest.fixture(params=["cpu", "cuda on host"])
def backend(request, tmp_path, monkeypatch):
    if request.param == "cpu":
        return CpuBackend()
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))  # launch shapes are chosen anew
    return HostCudaBackend()
