"""What the stencil tests share."""

from __future__ import annotations

import pytest

from tests.cuda_on_host import COMPILER, HostCudaBackend


@pytest.fixture
def on_host(tmp_path, monkeypatch) -> HostCudaBackend:
    """A CUDA device that is emulated on the host; launch shapes are chosen anew, and forgotten afterwards."""
    if COMPILER is None:
        pytest.skip("no C++ compiler, or not Linux")
    monkeypatch.setenv("WORKBENCH_CACHE_DIR", str(tmp_path))
    return HostCudaBackend()
