"""One core: thousands of steps of a few cells wait for nobody."""

from collections.abc import Iterator

import pytest

from engines.backend.cpu import CpuBackend


@pytest.fixture(scope="module")
def backend() -> Iterator[CpuBackend]:
    with_device = CpuBackend()
    with_device.threads = 1
    yield with_device
    with_device.close()
