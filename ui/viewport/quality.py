"""How much the 3D view may cost on this machine.

With a graphics card it draws everything, smoothed. On a software renderer drawing takes the processor from the
solver, so the view keeps its own cost down: fewer pixels (scaled up), fewer triangles, fewer frames, such that
drawing takes at most a quarter of the machine (:data:`SHARE`). It draws one full picture when things come to rest.
"""

from __future__ import annotations

import threading
import time as clock
from collections import deque
from collections.abc import Callable

from ui.scene.layers.layer import MOST_SAMPLES, Layer

SHARE = 0.3
"""Largest part of the time that a software renderer may draw. While it draws it keeps 1.7 of two cores busy (measured
with llvmpipe: the rest is vertex work on one thread), so this is a quarter of the machine."""
HANDS_ON = 0.5
"""The same while the mouse turns or cuts: for these moments the hand comes before the solver."""
LEVELS = (1.0, 0.85, 0.75, 0.65, 0.55)
SLOW, FAST = 0.032, 0.016
"""Seconds of drawing above which a software renderer gets fewer pixels, and below which it gets more."""
NEWS_SECONDS = 5.0
FEWEST_SAMPLES = 512 * 512
"""Values of a grid that every machine shows: sending them costs less than 1 ms."""


class Quality:
    """Decides resolution, triangles and pace from what drawing has cost so far."""

    def __init__(self, coarse_ready: Callable[[], None]) -> None:
        """``coarse_ready`` is called on a thread of its own when the layer has a surface of fewer triangles."""
        self._coarse_ready = coarse_ready
        self.renderer = ""
        self.hands_on = False
        self.software = False
        self.shared_by = 1
        """Views that draw at the same time, and have what one may take together."""
        self.seconds = 0.0
        """Time to draw a frame, smoothed."""
        self._level = 0
        self._frames = 0
        self._recent: deque[float] = deque(maxlen=12)
        self._resting = False
        self._last_news: str | None = None
        self._told_of: tuple[int, str] | None = None
        self._told_at = 0.0
        self._thread: threading.Thread | None = None
        self._cancelled = threading.Event()

    def set_renderer(self, renderer: str, software: bool) -> None:
        """What GL calls itself on this display."""
        self.renderer, self.software = renderer, software
        self._level = 2 if software else 0

    @property
    def interval(self) -> float:
        """Seconds from one frame to the next."""
        if not self.software:
            return 1 / 60
        return min(max(self.shared_by * self.seconds / (HANDS_ON if self.hands_on else SHARE), 1 / 15), 0.25)

    def resolution(self, width: int, height: int) -> float:
        """Pixels to draw for each pixel of the view, per side."""
        if self.software:
            full, self._resting = self._resting, False
            return 1.0 if full else LEVELS[self._level]
        # 4K times four samples is more than integrated graphics fill at 60 frames a second.
        return min(2.0, max(1.0, (16e6 / (width * height)) ** 0.5))

    def samples(self, width: int, height: int) -> int:
        """How many values of a grid a view of so many pixels shows: about one for each pixel that is drawn."""
        pixels = width * height * (LEVELS[2] ** 2 if self.software else 1.3)
        return round(min(max(pixels, FEWEST_SAMPLES if self.software else MOST_SAMPLES), 4 * MOST_SAMPLES))

    def took(self, seconds: float) -> None:
        """Told after each frame what drawing it cost (not the full ones at rest)."""
        self._frames += 1
        if self._frames < 3:  # compiling shaders is not the usual cost
            return
        self._recent.append(seconds)
        # The lower quartile: what drawing costs when the solver does not happen to hold the cores.
        self.seconds = sorted(self._recent)[len(self._recent) // 4]
        if self.software and len(self._recent) == self._recent.maxlen:
            self._adapt()

    def _adapt(self) -> None:
        before = self._level
        if self.seconds > SLOW and self._level < len(LEVELS) - 1:
            self._level += 1
        elif self.seconds < FAST and self._level > 0:
            self._level -= 1
        if self._level != before:
            self._recent.clear()

    def rest(self) -> bool:
        """Things came to rest; True if a full picture is worth drawing."""
        self._resting = self.software and LEVELS[self._level] < 1.0
        return self._resting

    def geometry_changed(self, layer: Layer | None) -> None:
        """Prepare what costs less to draw in the background if this machine will want it."""
        self.stop()
        if layer is None or not self.software:
            return
        if layer.has_coarse:
            self._coarse_ready()
            return
        if not layer.wants_reducing():
            return
        cancelled = threading.Event()

        def reduce() -> None:
            if layer.reduce(cancelled.is_set):
                self._coarse_ready()

        self._cancelled = cancelled
        self._thread = threading.Thread(target=reduce, name="workbench-coarse-surface", daemon=True)
        self._thread.start()

    def news(self, layer: Layer | None) -> str | None:
        """A line for the status bar, when it is another than the last one. The frame rate alone, which changes all
        the time, is news every few seconds only."""
        line = self._describe(layer)
        now = clock.monotonic()
        drawn = (self._level, "" if layer is None else layer.note())
        if line == self._last_news or (drawn == self._told_of and now - self._told_at < NEWS_SECONDS):
            return None
        self._last_news, self._told_of, self._told_at = line, drawn, now
        return line

    def _describe(self, layer: Layer | None) -> str:
        note = "" if layer is None else layer.note()
        if not self.software:
            return note and f"In the picture: {note}"
        said = [f"{100 * LEVELS[self._level]:.0f} % resolution"]
        if note:
            said.append(note)
        rate = 1 / self.interval
        said.append(f"about {next((step for step in (15, 10, 7, 5) if rate >= 0.99 * step), 4)} frames a second")
        return "Software rendering: " + ", ".join(said)

    def stop(self) -> None:
        """End the background thread."""
        self._cancelled.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
