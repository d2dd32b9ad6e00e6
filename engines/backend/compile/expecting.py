"""Which kernels will be asked for, as who opens a problem says it; without Numba, which may not be needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.backend.compile.listed import Listed

Source = Callable[[], "Sequence[Listed]"]

_expected: list[Source] = []


def expect(source: Source) -> None:
    """From now on; ``source``, which is asked when a kernel is missing on the disk, gives kernels in the order in which
    they are asked for."""
    _expected[:] = [source]


def waits() -> bool:
    """Whether anything is expected that nobody has taken."""
    return bool(_expected)


def taken() -> Source | None:
    """What is expected, once."""
    return _expected.pop() if _expected else None
