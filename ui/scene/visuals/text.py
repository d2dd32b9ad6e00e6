"""Text as coverage arrays, set with the window's font, which comes with the application, at exact pixel sizes."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

import freetype
import numpy as np

from engines.api import Array


@cache
def _font() -> tuple[freetype.Face, bytes]:
    from io import BytesIO

    data = files("assets").joinpath("fonts", "Inter-Medium-subset.otf").read_bytes()
    return freetype.Face(BytesIO(data)), data


@lru_cache(maxsize=4096)
def _glyph(character: str, pixels: int) -> tuple[Array, int, int, float]:
    """Coverage (h, w) uint8, left and top bearing [px], advance [px]."""
    face, _ = _font()
    face.set_pixel_sizes(0, pixels)
    # Light hinting snaps stems vertically only: crisp, and the advance widths stay those of the design.
    face.load_char(character, freetype.FT_LOAD_RENDER | freetype.FT_LOAD_TARGET_LIGHT)
    bitmap = face.glyph.bitmap
    cover = np.array(bitmap.buffer, np.uint8).reshape(bitmap.rows, bitmap.pitch)[:, : bitmap.width]
    return cover, face.glyph.bitmap_left, face.glyph.bitmap_top, face.glyph.linearHoriAdvance / 65536


@lru_cache(maxsize=128)  # a view has some fifty lines; those of meters are others at each tick
def line(text: str, pixels: int) -> Array:
    """One line of text: coverage (height, width) uint8; the height is the same for every text of this size."""
    ascent, height = line_metrics(pixels)
    advances = [_glyph(character, pixels)[3] for character in text]
    image = np.zeros((height, int(np.ceil(sum(advances))) + 2), np.uint8)
    pen = 1.0
    for character, advance in zip(text, advances, strict=True):
        cover, left, top, _ = _glyph(character, pixels)
        x, y = max(round(pen) + left, 0), max(ascent - top, 0)
        h, w = min(cover.shape[0], image.shape[0] - y), min(cover.shape[1], image.shape[1] - x)
        if h > 0 and w > 0:
            target = image[y : y + h, x : x + w]
            np.maximum(target, cover[:h, :w], out=target)
        pen += advance
    return image


@cache
def line_metrics(pixels: int) -> tuple[int, int]:
    """Ascent and line height [px] of the size."""
    return round(0.95 * pixels), round(1.25 * pixels)


def width(text: str, pixels: int) -> int:
    return int(line(text, pixels).shape[1])
