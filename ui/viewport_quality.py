"""How much the 3D view may cost on this machine.

With a graphics card it draws everything, smoothed. On a software renderer drawing takes the processor from the
solver, so the view keeps its own cost down: fewer pixels (scaled up), fewer triangles, fewer frames, such that
drawing takes at most a quarter of the machine (:data:`SHARE`). It draws one full picture when things come to rest.
"""

from __future__ import annotations

import threading
from collections import deque

from ui.scene.decimate import coarse_surface
from ui.scene.tet_layer import TetLayer

SHARE = 0.25
"""Largest part of the time that a software renderer may draw (it draws with all cores)."""
LEVELS = (1.0, 0.85, 0.7, 0.6, 0.5, 0.4)
SLOW, FAST = 0.024, 0.012
"""Seconds of drawing above which a software renderer gets fewer pixels, and below which it gets more."""
COARSE_TRIANGLES = 20_000


class Quality:
    """Decides resolution, triangles and pace from what drawing has cost so far."""

    def __init__(self) -> None:
        self.renderer = ""
        self.software = False
        self.coarse = False
        self.seconds = 0.0
        """Time to draw a frame, smoothed."""
        self._level = 0
        self._frames = 0
        self._recent: deque[float] = deque(maxlen=12)
        self._resting = False
        self._last_news: str | None = None
        self._layer: TetLayer | None = None
        self._thread: threading.Thread | None = None

    def set_renderer(self, renderer: str, software: bool) -> None:
        """What GL calls itself on this display."""
        self.renderer, self.software = renderer, software
        self._level = 2 if software else 0

    @property
    def interval(self) -> float:
        """Seconds from one frame to the next."""
        if not self.software:
            return 1 / 60
        return min(max(self.seconds / SHARE, 1 / 15), 0.25)

    def resolution(self, width: int, height: int) -> float:
        """Pixels to draw for each pixel of the view, per side."""
        if self.software:
            full, self._resting = self._resting, False
            return 1.0 if full else LEVELS[self._level]
        # 4K times four samples is more than integrated graphics fill at 60 frames a second.
        return min(2.0, max(1.0, (16e6 / (width * height)) ** 0.5))

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

    def geometry_changed(self, layer: TetLayer | None) -> None:
        """Prepare a surface of fewer triangles in the background if this machine will want it."""
        self._layer, self.coarse = layer, False
        if layer is None or not self.software or len(layer.full.triangles) <= 1.25 * COARSE_TRIANGLES:
            return

        def reduce() -> None:
            layer.coarse = coarse_surface(layer.mesh, layer.full, COARSE_TRIANGLES)

        self._thread = threading.Thread(target=reduce, name="workbench-coarse-surface", daemon=True)
        self._thread.start()

    def follow(self) -> bool:
        """Use the surface of fewer triangles once it is ready; True if that changed just now."""
        ready = self._layer is not None and self._layer.coarse is not None
        changed = ready != self.coarse
        self.coarse = ready
        return changed

    def news(self, layer: TetLayer | None) -> str | None:
        """A line for the status bar, when it is another than the last one."""
        line = self._describe(layer)
        if line == self._last_news:
            return None
        self._last_news = line
        return line

    def _describe(self, layer: TetLayer | None) -> str:
        if not self.software:
            return ""
        said = [f"{100 * LEVELS[self._level]:.0f} % resolution"]
        if layer is not None and layer.shape.plan.coarse:
            said.append(f"{_grouped(layer.triangle_count)} of {_grouped(len(layer.full.triangles))} triangles")
        rate = 1 / self.interval
        said.append(f"about {next((step for step in (15, 10, 7, 5) if rate >= 0.99 * step), 4)} frames a second")
        return "Software rendering: " + ", ".join(said)

    def stop(self) -> None:
        """Wait for the background thread."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")
