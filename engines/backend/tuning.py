"""Launch shapes: measured once per device, driver, kernel and size, then remembered.

The right shape differs by GPU (32×4 blocks that win on one card lose by 25 % on another), so no launcher carries
a constant. What was measured is kept in ``tuning.json`` in :func:`engines.backend.cache_dir.cache_dir`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engines.api.device import DeviceInfo
from engines.api.errors import DeviceError, ProblemError
from engines.backend.cache_dir import cache_dir, keep
from engines.backend.compile.source import source_digest
from engines.reading import read_json

log = logging.getLogger(__name__)

REPETITIONS = 3

Shape = TypeVar("Shape", bound=tuple[int, ...])


@dataclass(frozen=True)
class TuningKey:
    """All that a measured launch shape depends on. ``size_class`` is the power of two below the problem's size."""

    kernel: str
    device: str
    driver: str
    versions: str
    source: str
    size_class: int

    def __str__(self) -> str:
        return "|".join([self.kernel, self.device, self.driver, self.versions, self.source, f"2^{self.size_class}"])


def tuning_key(kernel: str, info: DeviceInfo, source: Path, size: int, macros: Sequence[str] = ()) -> TuningKey:
    """The key for ``kernel`` of the file ``source``, compiled with ``macros``, on about ``size`` elements."""
    versions = ",".join(f"{name} {version}" for name, version in sorted(info.versions.items()))
    name = " ".join([kernel, *macros])
    return TuningKey(name, info.name, info.driver, versions, source_digest(source), max(size, 1).bit_length() - 1)


def tune(key: TuningKey, candidates: Sequence[Shape], time_one: Callable[[Shape], float]) -> Shape:
    """The fastest of ``candidates``: remembered under ``key``, or the least of three measurements of each.

    ``time_one`` launches once and returns seconds. A candidate that the device refuses (DeviceError: too many
    registers or threads) is left out; the last refusal is raised if it refuses all.
    """
    if not candidates:
        raise ValueError("there is nothing to choose from")
    known = _read()
    remembered = known.get(str(key))
    for candidate in candidates:
        if remembered == list(candidate):
            return candidate
    seconds: dict[int, float] = {}
    refusal: DeviceError | None = None
    for index, candidate in enumerate(candidates):
        try:
            time_one(candidate)  # the first launch loads the kernel and warms the caches
            seconds[index] = min(time_one(candidate) for _ in range(REPETITIONS))
        except DeviceError as error:
            refusal = error
    if not seconds:
        assert refusal is not None
        raise refusal
    best = candidates[min(seconds, key=seconds.__getitem__)]
    _remember(str(key), list(best))
    return best


def _path() -> Path:
    return cache_dir() / "tuning.json"


def _read() -> dict[str, list[int]]:
    """What is remembered; an unreadable or damaged file counts as empty, and the next measurement rewrites it."""
    try:
        content = read_json(_path())
    except ProblemError:
        return {}
    return content if isinstance(content, dict) else {}


def _remember(key: str, shape: list[int]) -> None:
    """Add one entry; the file is replaced whole, so a reader never sees half of it.

    Two processes that finish together may lose one entry, which is then measured again.
    """
    path = _path()
    keep(path, json.dumps({**_read(), key: shape}, indent=1, sort_keys=True).encode())
