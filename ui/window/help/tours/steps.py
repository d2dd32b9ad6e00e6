"""The tours as ``tours.toml`` tells them: one per engine, and a first measurement in the Kernel Lab.

A step points at a thing of the window: ``view``, ``run`` and the like (:data:`~ui.window.help.tours.places.PLACES`),
``field PATH`` of the form, ``dock NAME``, ``chart NAME``. It goes on by itself when ``until`` has come about
(:data:`~ui.window.help.tours.places.DONE`), and with Next in any case. A step that is ``live`` asks for something that
is seen in a run that goes on: where none does, its card has the button that lets it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("tours.toml")
SLOW_READER = 180.0
"""Seconds that a run goes on whose steps are live."""


@dataclass(frozen=True)
class Step:
    """``text``: what to do, and what is seen then. ``side``: "corner" has its card in the window's lower right
    one, out of the way of what is seen then."""

    title: str
    text: str
    at: str
    until: str = ""
    live: bool = False
    side: str = ""


@dataclass(frozen=True)
class Tour:
    """``id``: of its engine; ``preset``: the ready problem that it is about, empty for the Kernel Lab's.

    ``run``: ``pace`` and ``until`` of that problem in a tour, where its own run is over before a slow reader has come
    to the last step that is about it (:data:`SLOW_READER`).
    """

    id: str
    title: str
    steps: tuple[Step, ...]
    preset: str = ""
    run: Mapping[str, float] = field(default_factory=dict)


@cache
def tours() -> tuple[Tour, ...]:
    told = tomllib.loads(FILE.read_text("utf-8"))["tour"]
    return tuple(Tour(steps=tuple(Step(**step) for step in each.pop("step")), **each) for each in told)
