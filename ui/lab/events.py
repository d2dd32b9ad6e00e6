"""What a measurement of the Lab tells the window, and what the window may ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.bench.records import LabRecord, MachineRecord, VariantRecord


@dataclass(frozen=True)
class Progress:
    """What is being measured, and how much of the whole is done (0..1)."""

    text: str
    fraction: float


@dataclass(frozen=True)
class Ceilings:
    """What the device can deliver: measured before any variant."""

    machine: MachineRecord


@dataclass(frozen=True)
class Measured:
    """One more figure."""

    record: VariantRecord


@dataclass(frozen=True)
class Finished:
    """All that was asked for, or all there was until it was cancelled."""

    record: LabRecord


@dataclass(frozen=True)
class Failed:
    """One sentence: why the measurement ended."""

    sentence: str


LabEvent = Progress | Ceilings | Measured | Finished | Failed


class LabRun(Protocol):
    """A measurement on its own thread; nothing here waits."""

    def start(self) -> None: ...

    def cancel(self) -> None: ...

    @property
    def alive(self) -> bool: ...

    def poll(self) -> Sequence[LabEvent]:
        """What has happened since the last call."""
