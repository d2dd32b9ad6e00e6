"""How a run stands, on a terminal in one line that renews itself, elsewhere in a line now and then."""

from __future__ import annotations

import sys
import time as clock

from workbench.run.frames import Sample
from workbench.run.runner import Runner
from workbench.words.amounts import duration_text
from workbench.words.units import number_text, percent, time_text, with_unit

TERMINAL_SECONDS = 0.2
QUIET_SECONDS = 10.0
BELIEVED_SECONDS = 2.0
"""For which a run has gone on before it is told how long it will: its pace is the mean of about a second."""


class ProgressLine:
    """Writes to stderr. ``until`` is in ``unit``, None for a run that ends by itself; one that ``may_end`` by itself
    comes to ``until`` at most. ``quiet``: nothing is written."""

    def __init__(self, until: float | None, unit: str, *, may_end: bool = False, quiet: bool = False) -> None:
        self._until, self._unit, self._quiet = until, unit, quiet
        self._of = "of at most" if may_end else "of"
        self._seconds = 0.0
        """Of wall time, for which it has run since its first batch, which compiles kernels."""
        self._terminal = sys.stderr.isatty()
        self._shown = 0.0
        self._built = ""
        self._sample: Sample | None = None
        self._rate = 0.0  # simulated time per second, and
        self._moved = 0.0  # bytes per second, both smoothed over about a second

    def show(self, runner: Runner, *, last: bool = False) -> None:
        """Look at the run and write if it is time to."""
        for sample in runner.take_samples():
            self._seconds += 0.0 if self._sample is None else sample.wall_seconds
            self._sample = sample
            weight = min(1.0, sample.wall_seconds) if self._rate else 1.0
            self._rate += weight * (sample.time_per_second - self._rate)
            self._moved += weight * (sample.bytes_per_second - self._moved)
        now = clock.monotonic()
        if self._quiet:
            return
        if not last and now - self._shown < (TERMINAL_SECONDS if self._terminal else QUIET_SECONDS):
            return
        text = self._text(runner)
        if text and (self._terminal or text != self._built):
            end = "\n" if last or not self._terminal else ""
            print(f"\r\x1b[K{text}" if self._terminal else text, end=end, file=sys.stderr, flush=True)
            self._built = text
            self._shown = now

    def _text(self, runner: Runner) -> str:
        sample = self._sample
        if sample is None:
            message, fraction = runner.progress
            return f"{message} ({percent(fraction)})" if message else ""
        ceiling = sample.bytes_per_second / sample.fraction_of_ceiling
        part = sample.part if self._until is None else max(sample.part or 0.0, min(1.0, sample.time / self._until))
        parts = [] if part is None else [f"{percent(part):>5}"]
        if self._until is None:
            parts += [time_text(sample.time, self._unit, ".6g")]
        else:
            parts += [f"{number_text(sample.time, self._unit, '.6g')} {self._of} {time_text(self._until, self._unit)}"]
        parts += [
            f"{_rate_text(self._rate, self._unit)}/s",
            f"{self._moved / 1e9:.3g} GB/s ({percent(self._moved / ceiling)} of the measured ceiling)",
        ]
        if sample.remaining and self._seconds > BELIEVED_SECONDS:
            parts.append(f"{duration_text(sample.remaining)} left")
        return "  ".join(parts)


def _rate_text(rate: float, unit: str) -> str:
    """What is simulated in a second: three digits, a count of some size in whole numbers."""
    return time_text(rate, unit, ".3g") if rate >= 10 else with_unit(f"{rate:.3g}", unit)


class Line:
    """A :data:`Progress` for work that is no run of its own: a line that renews itself, elsewhere one now and then."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._shown = clock.monotonic()

    def __call__(self, message: str, fraction: float) -> None:
        now = clock.monotonic()
        if now - self._shown < (TERMINAL_SECONDS if self._terminal else QUIET_SECONDS):
            return
        self._shown = now
        text = f"{message} ({percent(fraction)})"
        print(f"\r\x1b[K{text}" if self._terminal else text, end="" if self._terminal else "\n", file=sys.stderr)
        sys.stderr.flush()

    def clear(self) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
