"""The worker thread that owns a simulation: builds it, advances it, answers its viewers.

The thread takes steps in batches that last about one frame. Between batches it carries out what others
asked for, so pausing, closing and changing a parameter take effect within a frame; it never waits for
the window. Viewers poll: :attr:`Runner.frames`, :meth:`Runner.take_samples`, :meth:`Runner.take_messages`.
"""

from __future__ import annotations

import threading
import time as clock
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

import numpy as np

from engines.api import Array, KernelTiming, Progress, Selection, Simulation, SimulationInfo
from engines.backend.base import Backend
from engines.errors import InstabilityError, WorkbenchError
from workbench.frames import Frame, FrameRequest, KernelRate, Mailbox, Message, RunState, Sample

T = TypeVar("T")
Build = Callable[[Backend, Progress], Simulation]

FRAME_SECONDS = 1 / 30


class Observer(Protocol):
    """Something on the worker thread that wants to see the simulation at certain steps (a recorder)."""

    def next_step(self, simulation: Simulation) -> int | None:
        """The next step at which :meth:`observe` must be called; None for never."""

    def observe(self, simulation: Simulation) -> None: ...

    def sampled(self, sample: Sample) -> None:
        """Called after each batch."""

    def finish(self, simulation: Simulation, state: RunState) -> None:
        """The run ended (finished, failed or closed); write what is left. Called once."""


class Runner:
    """Runs one simulation on one worker thread.

    ``make_backend`` and ``build`` are called on the worker; ``until`` is in the engine's time unit, None
    for open end. The runner starts in BUILDING, and goes on to RUNNING at once if ``autostart``.
    """

    def __init__(
        self,
        make_backend: Callable[[], Backend],
        build: Build,
        *,
        time_unit: str,
        until: float | None = None,
        probes: Sequence[tuple[str, int]] = (),
        observers: Sequence[Observer] = (),
        autostart: bool = False,
    ) -> None:
        self.frames: Mailbox[Frame] = Mailbox()
        self.time_unit = time_unit
        self.until = until
        self.info: SimulationInfo | None = None
        self.error: WorkbenchError | None = None
        self.progress: tuple[str, float] = ("", 0.0)
        self._make_backend = make_backend
        self._build = build
        self._observers = list(observers)
        self._wanted = RunState.RUNNING if autostart else RunState.READY
        self._state = RunState.BUILDING
        self._steps_wanted: int | None = None
        self._condition = threading.Condition()
        self._calls: deque[tuple[Callable[[Simulation], Any], Future[Any]]] = deque()
        self._samples: deque[Sample] = deque(maxlen=4096)
        self._messages: deque[Message] = deque(maxlen=4096)
        self._request: FrameRequest | None = None
        self._handles: dict[str, tuple[str, Any]] = {}
        self._handles_serial: int | None = None
        self._probes: list[tuple[str, int]] = list(probes)
        self._probe_handle: Any = None
        self._seconds_per_step = 0.0
        self._rates: dict[str, KernelTiming] = {}
        self._thread = threading.Thread(target=self._work, name="workbench-runner", daemon=True)
        self._thread.start()
