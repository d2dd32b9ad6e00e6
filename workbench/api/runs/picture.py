"""A picture of a run, as an array, in a notebook, and as a file that opens the problem again."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, SimulationInfo
from engines.api.errors import ProblemError
from workbench.api.arrays import target
from workbench.export.png import encode_png, save_snapshot
from workbench.project.document import Document
from workbench.run import moments

LONGEST_SIDE = 8192
"""Pixels along a side at most: it is drawn at twice the resolution, and drivers have buffers of 16,384."""


class Picture:
    """``pixels: (h, w, 4)`` uint8. Notebooks show it."""

    def __init__(self, pixels: Array, document: Document) -> None:
        self.pixels, self._document = pixels, document

    def save(self, path: Path | str) -> Path:
        """Write a PNG with the project in it, which the window and :func:`workbench.open` open; folders that are not
        there yet are made. Raises ProblemError, StorageError."""
        place = target(path, "A picture", ".png")
        save_snapshot(place, self.pixels, self._document)
        return place

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.pixels, dtype) if copy else np.asarray(self.pixels, dtype)

    def __repr__(self) -> str:
        height, width = self.pixels.shape[:2]
        return f"<Picture of '{self._document.title}', {width} × {height}>"

    def _repr_png_(self) -> bytes:
        return encode_png(self.pixels)


def picture_of(
    document: Document, info: SimulationInfo, ask: Callable[[Any], Any], field: str | None, size: tuple[int, int]
) -> Picture:
    """``ask`` carries a call out on the simulation's thread. Raises ProblemError without a renderer, DeviceError."""
    width, height = _checked(size)
    render = moments.find_renderer()
    if render is None:
        raise ProblemError("This installation draws no pictures: install it with the extra 'window'.")
    view = document.project.view
    if field is not None:
        same = field == (view.field or info.fields[0].name)
        view = view.model_copy(update={"field": field, "range": view.range if same else None})
    moment = ask(lambda simulation: moments.take_moment(simulation, view))
    lines = [document.title, info.device]
    return Picture(moments.render_moment(render, document, info, moment, view, lines, (width, height)), document)


def _checked(size: Any) -> tuple[int, int]:
    try:
        width, height = (index(side) for side in size)
    except (TypeError, ValueError):
        width = height = 0
    if not (1 <= width <= LONGEST_SIDE and 1 <= height <= LONGEST_SIDE):
        raise ProblemError(
            f"The size of a picture is its width and height in whole pixels, 1 to {LONGEST_SIDE:,} each, such as "
            f"(1280, 800), not {size!r}."
        )
    return width, height
