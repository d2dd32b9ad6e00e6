"""Frames on disk, as they were seen, within a budget.

What is drawn of a frame is kept without loss: its values are the float32 numbers that the view asked for, and the
charts of that moment. They are compressed and lie in a folder of this process alone; the next process removes what a
killed one has left. A full reel loses every second frame, and takes half as many from then on: it always covers the
whole run.
"""

from __future__ import annotations

import math
import shutil
import time as clock
import zlib
from collections.abc import Container
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from workbench.run.frames import Frame
from workbench.storage.locking import held_folder

FOLDER, LOCK = "workbench-frames-", "lock"
BUDGET = 512 << 20
"""Bytes on disk."""
SECONDS = 0.1
"""Between two frames, to begin with."""
SHARE = 0.03
"""The most of one core that packing may take."""
BRANCHES = 4
"""Branches that a run has left, whose frames are kept."""
PARTS = ("markers", "lines")
"""What a frame draws besides its values."""
FAST = 1
"""zlib's level: the higher ones take three times as long for a tenth less."""
TRIED, WORTH = 1 << 16, 0.75
"""Bytes of a frame that are packed to see whether it becomes so much smaller; else it is written as it is."""


@dataclass(frozen=True, eq=False)
class Kept:
    """A frame on disk. ``rest`` is the frame without its arrays, ``layout`` says of each array whose it is (``values``,
    ``markers``, ``lines``, or that of a chart's curve), its name, dtype and shape, in their order in the file."""

    file: Path
    size: int
    rest: Frame
    layout: tuple[tuple[str, str, str, tuple[int, ...]], ...] = ()
    branch: int = 0
    """Of the run: each rewinding begins another."""

    @property
    def step(self) -> int:
        return self.rest.step

    @property
    def time(self) -> float:
        return self.rest.time

    @property
    def serial(self) -> int:
        return self.rest.serial


class Reel:
    """``take`` asks whether a frame is due; ``write`` may be called on another thread, ``add`` follows it.

    Frames of branches that the run has left stay, those of the last few: a branch shows what came before it, too.
    """

    def __init__(self, budget: int = BUDGET, seconds: float = SECONDS) -> None:
        self.frames: list[Kept] = []
        """In the order in which they were seen."""
        self.budget, self._least = budget, seconds
        self.seconds = seconds
        self._folder: Path | None = None
        self._count = 0
        self._due = 0.0
        self.branch = 0
        """The one that the run is on."""
        self._began: list[tuple[int, float]] = [(-1, 0.0)]
        """Of each branch: the one that it left, and when."""

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(kept.size for kept in self.frames)

    def another(self) -> Reel:
        """An empty one with the same budget."""
        return Reel(self.budget, self._least)

    def due(self, frame: Frame) -> bool:
        """Whether this frame is to be written: each moment once, with the charts of that moment, and not sooner than
        the pace of the reel says."""
        newest = next((kept for kept in reversed(self.frames) if kept.serial == frame.serial), None)
        again = newest is not None and newest.step == frame.step
        return frame.charted and not again and clock.monotonic() >= self._due

    def begin(self) -> Path:
        """The file of the next frame, which is being written from now on. Raises OSError."""
        if self._folder is None:
            self._folder, self._lock = held_folder(FOLDER, LOCK)
        self._count += 1
        self._due = clock.monotonic() + self.seconds
        return self._folder / f"{self._count:08d}"

    def add(self, kept: Kept, seconds: float) -> None:
        """A frame was written, which took so long."""
        self.frames.append(replace(kept, branch=self.branch))
        self._due = max(self._due, clock.monotonic() + seconds / SHARE)
        while self.size > self.budget and len(self.frames) > 2:
            self.seconds *= 2
            self._halve()

    def _halve(self) -> None:
        dropped, self.frames = self.frames[1::2], self.frames[::2]
        _remove(dropped)

    def thin(self, most: int, size: int) -> None:
        """Of a run that is over: frames of the branch it ended on alone, ``most`` of ``size`` bytes at most."""
        ends = self._line(self.branch)
        _remove([kept for kept in self.frames if kept.time > ends.get(kept.branch, -math.inf)])
        self.frames = [kept for kept in self.frames if kept.time <= ends.get(kept.branch, -math.inf)]
        while len(self.frames) > 2 and (len(self.frames) > most or self.size > size):
            self.frames.reverse()  # so that its end is among those that stay
            self._halve()
            self.frames.reverse()

    def of(self, serials: Container[int], branch: int) -> list[Kept]:
        """Those of a branch, in the order of time, that answer these requests: what other requests wanted cannot be
        drawn in the view as it is."""
        return [kept for kept in self.seen(branch) if kept.serial in serials]

    def seen(self, branch: int) -> list[Kept]:
        """All of a branch, in the order of time."""
        ends = self._line(branch)
        found = (kept for kept in self.frames if kept.time <= ends.get(kept.branch, -math.inf))
        return sorted(found, key=lambda kept: kept.time)

    def left(self) -> list[int]:
        """The branches that the run has left, the last one first."""
        ends = self._line(self.branch)
        apart = {kept.branch for kept in self.frames if kept.time > ends.get(kept.branch, -math.inf)}
        return sorted(apart, reverse=True)

    def rewound(self, time: float) -> None:
        """The run stands at ``time`` again, where another branch begins."""
        if any(kept.branch == self.branch for kept in self.frames):
            self._began.append((self.branch, time))
            self.branch = len(self._began) - 1
        else:  # rewound again before it went on
            self._began[self.branch] = (self._began[self.branch][0], time)
        seen = [self._line(branch) for branch in (self.branch, *self.left()[:BRANCHES])]
        stays = [any(each.time <= ends.get(each.branch, -math.inf) for ends in seen) for each in self.frames]
        _remove([each for each, on in zip(self.frames, stays, strict=True) if not on])
        self.frames = [each for each, on in zip(self.frames, stays, strict=True) if on]

    def _line(self, branch: int) -> dict[int, float]:
        """The branches that one goes on from, itself among them, and until when each is a part of it."""
        ends, until = {}, math.inf
        while branch >= 0:
            ends[branch] = until
            branch, began = self._began[branch]
            until = min(until, began)
        return ends

    def clear(self) -> None:
        """Forget all, and let go of the disk."""
        self.frames, self.seconds, self._due = [], self._least, 0.0
        self.branch, self._began = 0, [(-1, 0.0)]
        if self._folder is not None:
            self._lock.release()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def write(frame: Frame, file: Path) -> tuple[Kept, float]:
    """Write what is drawn of a frame; returns it and the seconds of a core that took: where cores or the disk are
    busy it takes longer, of which the reel need not keep off. Raises OSError."""
    began = clock.thread_time()
    arrays = {("values", name): np.ascontiguousarray(array) for name, array in frame.values.items()}
    rest = replace(frame, values={}, inspection=None, measurement=None)
    charts = {}
    for chart, data in frame.charts.items():
        bare = []
        for place, curve in enumerate(data.curves):
            own = _arrays_of(curve)
            arrays |= {(f"{place} {chart}", name): array for name, array in own.items()}
            emptied: dict[str, Any] = {name: array[:0] for name, array in own.items()}
            bare.append(replace(curve, **emptied))
        charts[chart] = replace(data, curves=tuple(bare))
    rest = replace(rest, charts=charts)
    for whose in PARTS:
        drawn = getattr(frame, whose)
        if drawn is None:
            continue
        own = _arrays_of(drawn)
        arrays |= {(whose, name): array for name, array in own.items()}
        rest = replace(rest, **{whose: replace(drawn, **{name: array[:0] for name, array in own.items()})})
    content = _packed(b"".join(array.tobytes() for array in arrays.values()))
    try:
        file.write_bytes(content)
    except OSError:
        file.unlink(missing_ok=True)
        raise
    layout = tuple((*key, array.dtype.str, array.shape) for key, array in arrays.items())
    return Kept(file, len(content), rest, layout), clock.thread_time() - began


def _packed(content: bytes) -> bytes:
    """Numbers of a smooth field hardly become smaller, and packing them takes a core from the run."""
    middle = (len(content) - TRIED) // 8 * 4
    if len(content) > 2 * TRIED and len(zlib.compress(content[middle : middle + TRIED], FAST)) > WORTH * TRIED:
        return zlib.compress(content, zlib.Z_NO_COMPRESSION)
    return zlib.compress(content, FAST)


def read(kept: Kept) -> Frame:
    """The frame as it was seen. Raises OSError."""
    content, at = zlib.decompress(kept.file.read_bytes()), 0
    found: dict[str, dict[str, Any]] = {}
    for whose, name, kind, shape in kept.layout:
        count = int(np.prod(shape))
        found.setdefault(whose, {})[name] = np.frombuffer(content, kind, count, at).reshape(shape)
        at += count * np.dtype(kind).itemsize
    frame = replace(kept.rest, values=found.get("values", {}))
    for whose in PARTS:
        if whose in found:
            frame = replace(frame, **{whose: replace(getattr(frame, whose), **found[whose])})
    charts = {
        name: replace(
            data,
            curves=tuple(replace(curve, **found.get(f"{place} {name}", {})) for place, curve in enumerate(data.curves)),
        )
        for name, data in frame.charts.items()
    }
    return replace(frame, charts=charts)


def _arrays_of(drawn: Any) -> dict[str, Array]:
    """The arrays of a dataclass, by the names of their fields."""
    own = {each.name: getattr(drawn, each.name) for each in fields(drawn)}
    return {name: np.ascontiguousarray(array) for name, array in own.items() if isinstance(array, np.ndarray)}


def _remove(frames: list[Kept]) -> None:
    for kept in frames:
        kept.file.unlink(missing_ok=True)
