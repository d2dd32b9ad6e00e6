"""Progress of what a script waits for: a bar by rich or tqdm where one is installed, a function, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from engines.api import no_progress

Progress = Callable[[str, float], None]
"""Called with a text ("12.5 ms") and the part that is done, 0..1 (0 where nobody knows)."""


@contextmanager
def shown(progress: bool | Progress) -> Iterator[Progress]:
    """What progress is told to, inside of the block."""
    if callable(progress):
        yield progress
        return
    for bar in (_rich, _tqdm) if progress else ():
        try:
            made = bar()
        except ImportError:
            continue
        with made as show:
            yield show
        return
    yield no_progress


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
            task = bars.add_task("", total=None)
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
