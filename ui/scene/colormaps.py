"""Colour maps: the ones read from ``assets/colormaps`` and the ones made here in OKLab.

A map is (256, 3) uint8 sRGB. Lightness rises (or, in diverging maps, rises and falls) evenly in OKLab, the
perceptual space of B. Ottosson (2020), so equal steps of a value look equally large.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np

from engines.api import Array

MISSING = (116, 118, 122)
"""Neutral grey of "no data", sRGB."""

_ANCHORS: dict[str, list[tuple[float, float, float]]] = {
    # (lightness 0..1, chroma, hue in degrees); from quiescent aubergine through crimson to warm white.
    "voltage": [
        (0.30, 0.065, 305),
        (0.43, 0.125, 345),
        (0.56, 0.185, 18),
        (0.69, 0.175, 45),
        (0.83, 0.150, 80),
        (0.965, 0.06, 102),
    ],
    "diverging": [
        (0.40, 0.13, 258),
        (0.58, 0.12, 252),
        (0.78, 0.07, 245),
        (0.95, 0.0, 90),
        (0.78, 0.08, 50),
        (0.58, 0.15, 35),
        (0.40, 0.13, 25),
    ],
    # Once round, for angles: as light at half a turn as it is dark at the start, and another hue on each way.
    "cycle": [
        (0.42, 0.11, 275),
        (0.32, 0.06, 310),
        (0.46, 0.14, 350),
        (0.68, 0.17, 40),
        (0.86, 0.13, 85),
        (0.93, 0.05, 130),
        (0.80, 0.09, 195),
        (0.60, 0.12, 240),
        (0.42, 0.11, 275),
    ],
    # From the grey of an untouched body through amber to a deep red.
    "damage": [
        (0.74, 0.012, 250),
        (0.80, 0.085, 85),
        (0.74, 0.155, 62),
        (0.62, 0.195, 38),
        (0.50, 0.185, 27),
        (0.36, 0.140, 15),
    ],
    "grey": [(0.15, 0.0, 0), (0.97, 0.0, 0)],
}

_ON_DARK: dict[str, list[tuple[float, float, float]]] = {
    "diverging": [
        (0.93, 0.05, 215),
        (0.76, 0.11, 235),
        (0.56, 0.13, 255),
        (0.27, 0.02, 245),
        (0.56, 0.15, 35),
        (0.76, 0.14, 55),
        (0.93, 0.08, 95),
    ],
}
"""Maps that are others in a dark view."""
DARKEST = 0.33
"""The lightness of the darkest colour of a value in a dark view, whose background has 0.17 to 0.25."""


@cache
def colormap(name: str, dark: bool = False, reverse: bool = False) -> Array:
    """The map called ``name``: (256, 3) uint8. Unknown names give viridis, which suits any scalar.

    dark: for a dark view, where what is at rest neither shines nor is lost: the middle of a diverging map is dark, and
    none begins or ends with a colour as dark as the view.
    """
    if reverse:
        return np.ascontiguousarray(colormap(name, dark)[::-1])
    if dark:
        return _from_anchors(_ON_DARK[name]) if name in _ON_DARK else _seen_on_dark(colormap(name))
    if name in _ANCHORS:
        return _from_anchors(_ANCHORS[name])
    return _from_file(name if name in names() else "viridis")


def _seen_on_dark(lut: Array) -> Array:
    """The map without what is darker than DARKEST at its ends."""
    seen = np.flatnonzero(lightness(lut) >= DARKEST)
    if len(seen) == len(lut) or len(seen) < 2:
        return lut
    at, kept = np.linspace(seen[0], seen[-1], len(lut)), np.arange(len(lut))
    return np.stack([np.rint(np.interp(at, kept, lut[:, k])) for k in range(3)], axis=1).astype(np.uint8)


def lightness(srgb: Array) -> Array:
    """OKLab's, 0 to 1, of (..., 3) uint8."""
    encoded = np.asarray(srgb, float) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    to_lms = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    return np.asarray(np.cbrt(linear @ np.array(to_lms).T) @ [0.2104542553, 0.7936177850, -0.0040720468])


@cache
def names() -> tuple[str, ...]:
    """All maps, in alphabetical order."""
    stored = [
        entry.name[:-4] for entry in files("assets").joinpath("colormaps").iterdir() if entry.name.endswith(".csv")
    ]
    return tuple(sorted([*stored, *_ANCHORS]))


def distinct_colours(count: int, lightness: float = 0.74, chroma: float = 0.075) -> Array:
    """``count`` quiet colours that differ in hue alone: (count, 3) uint8, for regions."""
    # The golden angle keeps neighbours far apart whatever the count is.
    hue = np.deg2rad(35.0 + 137.508 * np.arange(count))
    lab = np.stack([np.full(count, lightness), chroma * np.cos(hue), chroma * np.sin(hue)], axis=1)
    return _srgb(lab)


@cache
def categories(count: int) -> Array:
    """A map of ``count`` colours in steps: (256, 3) uint8, for values 0 … count − 1 over −0.5 … count − 0.5."""
    return np.ascontiguousarray(distinct_colours(count, 0.70, 0.13)[np.arange(256) * count // 256])


def _from_file(name: str) -> Array:
    text = files("assets").joinpath("colormaps", f"{name}.csv").read_text(encoding="ascii")
    return np.array([row.split(",") for row in text.split()], dtype=np.uint8)


def _from_anchors(anchors: list[tuple[float, float, float]]) -> Array:
    lightness, chroma, hue = np.array(anchors).T
    angle = np.deg2rad(hue)
    lab = np.stack([lightness, chroma * np.cos(angle), chroma * np.sin(angle)], axis=1)
    at, where = np.linspace(0, 1, 256), np.linspace(0, 1, len(anchors))
    smooth = np.stack([np.interp(at, where, lab[:, k]) for k in range(3)], axis=1)
    # A short moving mean rounds the corners at the anchors, which would show as faint bands.
    if anchors[0] == anchors[-1]:
        padded = np.concatenate([smooth[-13:-1], smooth, smooth[1:13]])
    else:
        padded = np.pad(smooth, ((12, 12), (0, 0)), mode="reflect", reflect_type="odd")
    kernel = np.full(25, 1 / 25)
    return _srgb(np.stack([np.convolve(padded[:, k], kernel, mode="valid") for k in range(3)], axis=1))


def _srgb(lab: Array) -> Array:
    """OKLab (n, 3) to sRGB (n, 3) uint8 (Ottosson's matrices)."""
    to_lms = np.array(
        [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.2914855480]]
    )
    to_linear = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ]
    )
    linear = np.clip((lab @ to_lms.T) ** 3 @ to_linear.T, 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.rint(255 * encoded).astype(np.uint8)
