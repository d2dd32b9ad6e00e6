"""The GPU of the tests marked ``gpu``, which the conftest above skips where there is none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engines.api.device import Backend
from engines.backend import open_backend


@pytest.fixture
def gpu() -> Iterator[Backend]:
    """The first GPU, opened for one test."""
    backend = open_backend("cuda:0")
    yield backend
    backend.close()
