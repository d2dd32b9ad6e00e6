"""Progress of what a script waits for: a bar of a notebook's page, one by rich or tqdm where one is installed, a
function, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any

from engines.api import no_progress
from workbench.words.amounts import duration_text

Progress = Callable[[str, float], None]
"""Called with a text ("12.5 ms") and the part that is done, 0..1 (0 where nobody knows)."""
READY = "Getting ready"
BETWEEN = 0.1
"""[s] between two updates of a notebook's page."""


@contextmanager
def shown(progress: bool | Progress) -> Iterator[Progress]:
    """What progress is told to, inside of the block."""
    if callable(progress):
        yield progress
        return
    for bar in (_notebook, _rich, _tqdm) if progress else ():
        try:
            made = bar()
        except ImportError:
            continue
        with made as show:
            yield show
        return
    yield no_progress


def _notebook() -> Any:
    """Of the page's own elements, which needs no widgets and stays as it was last. Raises ImportError elsewhere."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:
        raise ImportError("no notebook's kernel runs this")
    display = import_module("IPython.display")

    @contextmanager
    def bar() -> Iterator[Progress]:
        began, last = time.monotonic(), (READY, 0.0)
        line = display.display(display.HTML(_line(READY, 0.0, 0.0)), display_id=True)
        told_at = 0.0

        def show(text: str, part: float) -> None:
            nonlocal last, told_at
            last, now = (text, part), time.monotonic()
            if now - told_at >= BETWEEN:
                told_at = now
                line.update(display.HTML(_line(text, part, now - began)))

        try:
            yield show
        finally:
            line.update(display.HTML(_line(*last, time.monotonic() - began, ended=True)))

    return bar()


def _line(text: str, part: float, seconds: float, ended: bool = False) -> str:
    """What the bar says: how far it is, and what is left at the pace up to now, or what it took."""
    left = "" if not 0.0 < part < 1.0 else f"{duration_text(seconds * (1 - part) / part)} left"
    words = [f"{100 * part:.0f} %" if part else "", text, f"took {duration_text(seconds)}" if ended else left]
    told = " · ".join(escape(word) for word in words if word)
    if ended and not part:  # of a run whose end nobody knew
        return f"<small>{told}</small>"
    value = f'value="{part:.4f}" ' if part else ""
    return f'<progress {value}style="width:16em;vertical-align:middle"></progress> <small>{told}</small>'


def _rich() -> Any:
    rich, console = import_module("rich.progress"), import_module("rich.console").Console(stderr=True)
    columns = (
        rich.BarColumn(),
        rich.TextColumn("{task.percentage:>3.0f} %"),
        rich.TimeRemainingColumn(),
        rich.TextColumn("{task.description}"),
    )

    @contextmanager
    def bar() -> Iterator[Progress]:
        shows = console.is_terminal or console.is_jupyter
        with rich.Progress(*columns, console=console, transient=True, disable=not shows) as bars:
            task = bars.add_task(READY, total=None)
            yield lambda text, part: bars.update(task, description=text, completed=part, total=1.0 if part else None)

    return bar()


def _tqdm() -> Any:
    tqdm = import_module("tqdm.auto").tqdm

    @contextmanager
    def bar() -> Iterator[Progress]:
        with tqdm(total=1.0, bar_format="{l_bar}{bar}| {remaining} left {postfix}", leave=False) as line:

            def show(text: str, part: float) -> None:
                line.set_postfix_str(text, refresh=False)
                line.update(part - line.n)

            yield show

    return bar()
