"""Tests marked ``gpu`` run where there is a usable CUDA device and are skipped with the reason elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engines.backend import open_backend
from engines.backend.base import Backend
from engines.backend.cuda_status import cuda_status


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked:
        return
    status = cuda_status()
    if not status.devices:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=status.sentence))


@pytest.fixture
def gpu() -> Iterator[Backend]:
    """The first GPU, opened for one test."""
    backend = open_backend("cuda:0")
    yield backend
    backend.close()
