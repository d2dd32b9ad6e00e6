"""Answers what viewers ask of a moment: selections are placed on the device once, then gathered for each frame."""

from __future__ import annotations

from typing import Any

from engines.api import Simulation
from workbench.frames import Frame, FrameRequest, Mailbox


class FrameSource:
    """Fills a mailbox with frames. ``request`` may be set from any thread; the rest belongs to the worker."""

    def __init__(self) -> None:
        self.frames: Mailbox[Frame] = Mailbox()
        self.request: FrameRequest | None = None
        self._handles: dict[str, tuple[str, Any]] = {}
        self._serial: int | None = None

    @property
    def is_asked(self) -> bool:
        """Whether there is a request that no frame has answered yet."""
        request = self.request
        return request is not None and request.serial != self._serial

    def answer(self, simulation: Simulation) -> None:
        """Gather what is wanted of this moment."""
        request = self.request
        if request is None:
            self.release()
            return
        if request.serial != self._serial:
            self._handles = {
                part: (name, simulation.select(selection)) for part, (name, selection) in request.parts.items()
            }
            self._serial = request.serial
        values = {part: simulation.gather(name, handle) for part, (name, handle) in self._handles.items()}
        self.frames.put(Frame(request.serial, simulation.step, simulation.time, values))

    def release(self) -> None:
        """Let go of what is on the device."""
        self._handles, self._serial = {}, None
