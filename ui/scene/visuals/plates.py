"""Pictures made of text and bars, on translucent plates: composed here, drawn by :mod:`ui.scene.visuals.screen`.

An image is (h, w, 4) uint8 with premultiplied alpha; sizes are device pixels, ``scale`` the device pixels per
point of the design.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array, FieldInfo
from ui.scene.colormaps import MISSING
from ui.scene.visuals import text
from workbench.words.numbers import tick_texts, told_apart
from workbench.words.units import unit_text

Colour = tuple[int, int, int]
TITLE_WIDTH = 100
"""Points: a longer title of a colour bar takes a second line rather than cover what is drawn."""
BEYOND_ROOM = 26
"""Points that an end takes which values are beyond: pointed, with words."""
NOTE_ROOM = 18
"""And a line below the colours."""
LINE_SAMPLE, LINE_SHADE = 150, 0.35
"""The entry of the colours that a sample of an isochrone lies on, and how dark the line is on it."""


@dataclass(frozen=True)
class Theme:
    """Colours of what surrounds the data; sRGB."""

    top: Colour
    bottom: Colour
    glow: Colour
    ink: Colour
    faint: Colour
    plate: tuple[int, int, int, int]


DARK = Theme((26, 29, 36), (14, 15, 19), (20, 23, 30), (236, 238, 242), (150, 156, 168), (12, 13, 17, 150))
LIGHT = Theme((222, 227, 234), (188, 195, 206), (26, 25, 22), (26, 30, 38), (92, 100, 114), (255, 255, 255, 165))


def plate(width: int, height: int, theme: Theme, scale: float) -> Array:
    """An empty plate with round corners."""
    y, x = np.mgrid[0:height, 0:width] + 0.5
    radius = 6 * scale
    dx = np.maximum(np.maximum(radius - x, x - (width - radius)), 0)
    dy = np.maximum(np.maximum(radius - y, y - (height - radius)), 0)
    cover = np.clip(radius + 0.5 - np.hypot(dx, dy), 0, 1) * theme.plate[3] / 255
    image = np.empty((height, width, 4), np.float32)
    image[..., :3] = np.array(theme.plate[:3]) * cover[..., None]
    image[..., 3] = 255 * cover
    return np.rint(image).astype(np.uint8)


def write(image: Array, string: str, x: int, y: int, size: int, colour: Colour) -> None:
    """Set ``string`` with its top left at (x, y); what does not fit is cut."""
    cover = text.line(string, size)
    target = image[y : y + cover.shape[0], x : x + cover.shape[1]]
    blend(target, cover[: target.shape[0], : target.shape[1]], colour)


def blend(target: Array, cover: Array, colour: Colour) -> None:
    """``colour`` over premultiplied ``target`` where ``cover`` (uint8) says."""
    alpha = cover[..., None].astype(np.float32) / 255
    source = np.array([*colour, 255], np.float32) * alpha
    target[...] = np.rint(source + target * (1 - alpha)).astype(np.uint8)


def text_plate(lines: Sequence[str], theme: Theme, scale: float, size: float = 12.5) -> Array:
    """Lines of text; a tab in a line aligns what follows in a second column."""
    pixels, margin = round(size * scale), round(9 * scale)
    _, step = text.line_metrics(pixels)
    step += round(2 * scale)
    cells = [line.split("\t", 1) for line in lines]
    first = max((text.width(cell[0], pixels) for cell in cells if len(cell) == 2), default=0) + round(12 * scale)
    width = max(
        text.width(cell[0], pixels) if len(cell) == 1 else first + text.width(cell[1], pixels) for cell in cells
    )
    image = plate(width + 2 * margin, len(cells) * step + 2 * margin - round(3 * scale), theme, scale)
    for row, cell in enumerate(cells):
        y = margin + row * step
        write(image, cell[0], margin, y, pixels, theme.faint if len(cell) == 2 else theme.ink)
        if len(cell) == 2:
            write(image, cell[1], margin + first, y, pixels, theme.ink)
    return image


def label(string: str, theme: Theme, scale: float) -> Array:
    """A small tag, for probes and axes."""
    pixels, margin = round(11.5 * scale), round(4 * scale)
    _, height = text.line_metrics(pixels)
    image = plate(text.width(string, pixels) + 2 * margin, height + 2 * round(2 * scale), theme, scale)
    write(image, string, margin, round(2 * scale), pixels, theme.ink)
    return image


def legend(entries: Sequence[tuple[str, Colour]], theme: Theme, scale: float, title: str = "") -> Array:
    """Names with their colours, under a ``title`` if there is one."""
    pixels, margin, swatch = round(12.5 * scale), round(9 * scale), round(11 * scale)
    _, step = text.line_metrics(pixels)
    step += round(3 * scale)
    width = max([text.width(name, pixels) for name, _ in entries], default=0) + swatch + round(8 * scale)
    width = max(width, text.width(title, pixels))
    rows = len(entries) + bool(title)
    image = plate(width + 2 * margin, rows * step + 2 * margin - round(3 * scale), theme, scale)
    if title:
        write(image, title, margin, margin, pixels, theme.ink)
    for row, (name, colour) in enumerate(entries, start=int(bool(title))):
        y = margin + row * step
        _disc(image, margin, y + round(1.5 * scale), swatch, colour)
        write(image, name, margin + swatch + round(8 * scale), y, pixels, theme.ink)
    return image


def _disc(image: Array, x: int, y: int, size: int, colour: Colour) -> None:
    v, u = np.mgrid[0:size, 0:size] + 0.5 - size / 2
    cover = np.clip(size / 2 + 0.5 - np.hypot(u, v), 0, 1) * 255
    blend(image[y : y + size, x : x + size], cover.astype(np.uint8), colour)


def _point(image: Array, x: int, y: int, width: int, down: bool, colour: Colour) -> None:
    """The end of a bar that points down or up from the row ``y``."""
    for row in range(width // 2):
        at = y + row if down else y - 1 - row
        image[at, x + row : x + width - row] = [*colour, 255]


def _line_sample(image: Array, x: int, y: int, width: int, scale: float, ground: Colour) -> None:
    """A line of equal value as the surface shows it on all but its darkest colours."""
    high, thick = round(11 * scale), round(1.5 * scale)
    image[y : y + high, x : x + width] = [*ground, 255]
    middle = y + (high - thick) // 2
    image[middle : middle + thick, x : x + width] = [*(round(LINE_SHADE * int(part)) for part in ground), 255]


def colour_bar(
    field: FieldInfo,
    limits: tuple[float, float],
    lut: Array,
    theme: Theme,
    scale: float,
    height: int,
    line_step: float = 0.0,
    log: bool = False,
    beyond: tuple[str, str] = ("", ""),
    offer: str = "",
) -> Array:
    """A vertical bar with title, unit and round ticks, ``height`` pixels high; grey swatch where data may miss, and
    what is between two lines of equal value where there are any. ``beyond``: what is said of values below and above,
    beside an end that points there; ``offer``: what a click would do."""
    pixels, margin = round(12 * scale), round(10 * scale)
    ascent, line_height = text.line_metrics(pixels)
    marks = log_ticks(*limits) if log else ticks(*limits)
    texts = told_apart(marks, 3) if log else tick_texts(marks)
    places = [_share(mark, limits, log) for mark in marks]
    titles = wrapped(field.title, pixels, round(TITLE_WIDTH * scale))
    unit = f"[{unit_text(field.unit)}]" if unit_text(field.unit) else ""
    note_height = round(NOTE_ROOM * scale)
    notes = [field.missing_title] if field.missing is not None else []
    notes += [f"every {tick_texts([line_step])[0]} {unit_text(field.unit)}".rstrip()] if line_step else []
    notes += [offer] if offer else []
    under, over = (round(BEYOND_ROOM * scale) * bool(said) for said in beyond)
    foot = note_height * len(notes) + round(2 * scale) * bool(notes) + under
    bar_width, head = round(14 * scale), (len(titles) + bool(unit)) * line_height + round(8 * scale) + over
    inner = max(
        *(text.width(line, pixels) for line in titles),
        text.width(unit, pixels) if unit else 0,
        bar_width + round(9 * scale) + max((text.width(t, pixels) for t in texts), default=0),
        *(bar_width + round(9 * scale) + text.width(note, pixels) for note in notes if note != offer),
        *(text.width(said, pixels) for said in (*beyond, offer)),
    )
    image = plate(inner + 2 * margin, height, theme, scale)
    for row, line in enumerate([*titles, *([unit] if unit else [])]):
        colour = theme.ink if row < len(titles) else theme.faint
        write(image, line, margin, margin - round(2 * scale) + row * line_height, pixels, colour)
    top = margin + head
    bottom = height - margin - foot - round(4 * scale)
    rows = np.round(np.linspace(255, 0, bottom - top)).astype(int)
    image[top:bottom, margin : margin + bar_width, :3] = lut[rows][:, None]
    image[top:bottom, margin : margin + bar_width, 3] = 255
    thick = max(1, round(scale))
    every = thinned(places, bottom - top, line_height)
    for share, string in zip(places[::every], texts[::every], strict=True):
        y = round(bottom - 1 - share * (bottom - 1 - top))
        right = margin + bar_width
        image[y : y + thick, right : right + round(5 * scale)] = [*theme.ink, 255]
        write(image, string, right + round(9 * scale), y - ascent + round(0.37 * pixels), pixels, theme.ink)
    for said, down, end, y in (
        (beyond[0], True, bottom, bottom + under - note_height), (beyond[1], False, top, top - over)
    ):  # fmt: skip
        if said:
            _point(image, margin, end, bar_width, down, tuple(lut[0 if down else 255]))
            write(image, said, margin, y, pixels, theme.ink)
    for place, note in enumerate(notes):
        y = height - margin - round(14 * scale) - note_height * (len(notes) - 1 - place)
        if note == offer:
            write(image, note, margin, y, pixels, theme.faint)
            continue
        if note == field.missing_title:
            _disc(image, margin + round(1.5 * scale), y + round(1 * scale), round(11 * scale), MISSING)
        else:
            _line_sample(image, margin, y + round(1 * scale), bar_width, scale, tuple(lut[LINE_SAMPLE]))
        write(image, note, margin + bar_width + round(9 * scale), y, pixels, theme.faint)
    return image


def _share(value: float, limits: tuple[float, float], log: bool) -> float:
    """Where a value is between the limits, 0 to 1."""
    low, high = limits
    return math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten within [low, high], or where there are not two 1, 2 and 5 times them."""
    first, last = math.floor(math.log10(low) + 1e-9), math.floor(math.log10(high) + 1e-9)
    for steps in ((1.0,), (1.0, 2.0, 5.0)):
        found = [m * 10.0**k for k in range(first, last + 1) for m in steps]
        found = [value for value in found if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
        if len(found) > 1:
            return found
    return [low, high]


def thinned(marks: Sequence[float], pixels_per_unit: float, apart: float) -> int:
    """Every so manieth of evenly spaced ``marks`` is written so that two stand ``apart`` pixels at least."""
    step = abs(marks[1] - marks[0]) * pixels_per_unit if len(marks) > 1 else apart
    return max(1, math.ceil(apart / step))


def wrapped(string: str, pixels: int, most: int) -> list[str]:
    """Lines of whole words that are at most ``most`` pixels wide, if no word is wider."""
    lines: list[str] = []
    for word in string.split():
        if lines and text.width(f"{lines[-1]} {word}", pixels) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Round values within [low, high], about ``count`` of them."""
    step = nice_step((high - low) / count)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return [k * step for k in range(first, last + 1)]


def nice_step(rough: float, steps: Sequence[float] = (1.0, 2.0, 2.5, 5.0, 10.0)) -> float:
    """The smallest of ``steps`` × 10ⁿ that is not less than ``rough``."""
    power = 10.0 ** math.floor(math.log10(max(rough, 1e-300)))
    return next(m * power for m in steps if m * power >= rough * (1 - 1e-9))


def bare_text(string: str, colour: Colour, scale: float, size: float = 12) -> Array:
    """Text without a plate."""
    pixels = round(size * scale)
    cover = text.line(string, pixels)
    image = np.zeros((*cover.shape, 4), np.uint8)
    blend(image, cover, colour)
    return image
