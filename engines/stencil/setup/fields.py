"""What the parameters describe, as values on the cells: where a problem starts, its sources, its conductivity."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.stencil.parameters import (
    Charges,
    Conductivity,
    Diffusion,
    GrayScott,
    Inclusions,
    Initial,
    Noise,
    Picture,
    Poisson,
    SameEverywhere,
    Seeds,
    Sides,
    Source,
    Spot,
    Spots,
    Start,
    TwoLayers,
    Uniform,
    UniformSource,
)
from engines.stencil.parameters.sides import Side
from engines.stencil.setup.pictures import picture_field

FADED = 4.0
"""Radii from its middle at which a hump is a ten millionth of its height."""


BLURRED = 0.05
"""Of a hump's whole content, by which that on the cells may be another without a word."""
INSULATING = 1e-6
"""Of a diffusivity: what is proposed in the place of none."""
ROOT_PI = math.sqrt(math.pi)


def axes(grid: Grid) -> list[Array]:
    """Cell centres along x, y (and z) [mm], each shaped to broadcast over the grid."""
    found = []
    for axis, (count, spacing) in enumerate(zip(grid.counts, grid.spacing, strict=True)):
        shape = [1] * grid.dimensions
        shape[grid.dimensions - 1 - axis] = count
        found.append(((np.arange(count) + 0.5) * spacing).reshape(shape))
    return found


def squared_distance(grid: Grid, center: Sequence[float]) -> Array:
    """(grid.shape) of each cell from a place; z does not count in two dimensions [mm²]."""
    return np.asarray(sum((x - c) ** 2 for x, c in zip(axes(grid), center, strict=False)))


def initial_field(setting: Initial, grid: Grid, sides: Sides, dtype: np.dtype[Any]) -> Array:
    """(grid.shape) of ``dtype``. Raises ProblemError."""
    if isinstance(setting, Picture):
        return picture_field(setting, grid, "initial state").astype(dtype)
    if isinstance(setting, Noise):
        if setting.low > setting.high:
            raise ProblemError(f"The lowest value of the noise, {setting.low:g}, is above the highest: exchange them.")
        values = np.random.default_rng(setting.seed).random(grid.shape, dtype)
        values *= dtype.type(setting.high - setting.low)
        values += dtype.type(setting.low)
        return values
    if isinstance(setting, Uniform):
        return np.full(grid.shape, setting.value, dtype)
    values = np.full(grid.shape, setting.background if isinstance(setting, Spots) else setting.amplitude, dtype)
    if isinstance(setting, Spots):
        for spot in setting.spots:
            # a product of Gaussians: no grid of distances is needed
            hump: Array = np.array(spot.height)
            for x, c in zip(axes(grid), spot.center, strict=False):
                hump = hump * np.exp(-(((x - c) / spot.radius) ** 2))
            values += hump.astype(dtype)
        return values
    for x, length, number, pair in zip(
        axes(grid), grid.lengths, (setting.m, setting.n, setting.p), sides.pairs(grid.dimensions), strict=False
    ):
        values *= _mode(x / length, number, pair).astype(dtype)
    return values


def beside(equation: Diffusion | Poisson, grid: Grid) -> Iterator[Finding]:
    """Of each spot and inclusion that lies beside the grid, of a hump where nothing is left of it there."""
    found: list[tuple[str, tuple[str | int, ...], Sequence[float], float]] = []
    if isinstance(equation, Diffusion) and isinstance(equation.initial, Spots):
        for k, spot in enumerate(equation.initial.spots):
            found.append((f"Spot {k + 1}", ("initial", "spots", k), spot.center, FADED * spot.radius))
    if isinstance(equation.conductivity, Inclusions):
        for k, one in enumerate(equation.conductivity.inclusions):
            found.append((f"Inclusion {k + 1}", ("conductivity", "inclusions", k), one.center, one.radius))
    for name, place, center, reach in found:
        at = np.array(center[: grid.dimensions])
        if np.linalg.norm(at - np.clip(at, 0.0, grid.lengths)) >= reach:
            text = f"{name} lies beside the grid: it counts for nothing. Move it inside or remove it."
            yield Finding(text, place=("equation", *place, "center"))


def narrow(equation: Diffusion | GrayScott, grid: Grid) -> Iterator[Finding]:
    """Of each spot whose content on the cells is another than its own there, and of seeds of less than a cell."""
    widest = max(grid.spacing)
    if isinstance(equation, GrayScott):
        if isinstance(equation.start, Seeds) and equation.start.count and equation.start.width < widest:
            lost = "some have no cell"
            yield _too_narrow("Seeds of", "wide lie", equation.start.width, widest, lost, "start", "width")
    elif isinstance(equation.initial, Spots):
        for k, spot in enumerate(equation.initial.spots):
            on_cells, own, whole = _contents(spot, grid)
            if spot.height and abs(on_cells - own) > BLURRED * whole:
                has = f"it begins with {on_cells / own:.2g} of its content" if own else "it has none there"
                place = ("initial", "spots", k, "radius")
                yield _too_narrow(f"Spot {k + 1} of", "in radius lies", spot.radius, widest, has, *place)


def _too_narrow(what: str, lies: str, size: float, cell: float, result: str, *place: str | int) -> Finding:
    wider, at = float(f"{cell:.6g}"), ("equation", *place)
    text = f"{what} {size:g} mm {lies} between cells of {cell:.3g} mm: {result}. Take finer cells, or make it wider."
    return Finding(text, place=at, remedy=Remedy(f"Make it {wider:g} mm", {at: wider}), distorts=True)


def _contents(spot: Spot, grid: Grid) -> tuple[float, float, float]:
    """Of a hump of height 1: the sum over the cells, the integral over the grid, and that over all space [mm², mm³]."""
    found = np.ones(3)
    for x, c, h, length in zip(axes(grid), spot.center, grid.spacing, grid.lengths, strict=False):
        reach = math.erf((length - c) / spot.radius) + math.erf(c / spot.radius)
        cells = h * float(np.exp(-(((x - c) / spot.radius) ** 2)).sum())
        found *= (cells, 0.5 * ROOT_PI * spot.radius * reach, ROOT_PI * spot.radius)
    return float(found[0]), float(found[1]), float(found[2])


def extremes(setting: Initial) -> tuple[float, float]:
    """Between what values about a problem starts, told without its field."""
    match setting:
        case Uniform():
            return setting.value, setting.value
        case Spots():
            heights = [setting.background + spot.height for spot in setting.spots]
            return min((setting.background, *heights)), max((setting.background, *heights))
        case Noise() | Picture():
            return setting.low, setting.high
    return -setting.amplitude, setting.amplitude


def _mode(x: Array, number: int, pair: tuple[Side, Side]) -> Array:
    """The eigenfunction with ``number`` half waves between two sides, x in 0 … 1."""
    low, high = pair[0].kind, pair[1].kind
    if low == "periodic":
        return np.sin(2 * np.pi * number * x) if number else np.ones_like(x)
    if low == high:
        return np.sin(np.pi * number * x) if low == "value" else np.cos(np.pi * number * x)
    waves = max(number, 1) - 0.5
    return np.sin(np.pi * waves * x) if low == "value" else np.cos(np.pi * waves * x)


def start_fields(setting: Start, grid: Grid, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """(u, v) of Gray-Scott, (grid.shape) each of ``dtype``. Raises ProblemError."""
    if not isinstance(setting, Seeds):
        v = picture_field(setting, grid, "initial state").astype(dtype)
        return 1 - 2 * v, v
    u, v = np.ones(grid.shape, dtype), np.zeros(grid.shape, dtype)
    random = np.random.default_rng(setting.seed)
    for _ in range(setting.count):
        center = random.random(grid.dimensions) * grid.lengths
        block = tuple(
            slice(max(0, round((c - setting.width / 2) / h)), max(1, round((c + setting.width / 2) / h)))
            for c, h in zip(center, grid.spacing, strict=True)
        )[::-1]
        u[block], v[block] = 0.5, 0.25
    if setting.noise:
        for values in (u, v):
            values *= 1 - dtype.type(setting.noise) * random.random(grid.shape, dtype)
    return u, v


def source_field(setting: Source, grid: Grid, dtype: np.dtype[Any]) -> Array:
    """(grid.shape) of ``dtype``: the right-hand side of Poisson's equation. Raises ProblemError."""
    if isinstance(setting, Picture):
        return picture_field(setting, grid, "source").astype(dtype)
    values = np.full(grid.shape, setting.value if isinstance(setting, UniformSource) else 0.0, dtype)
    if isinstance(setting, Charges):
        volume = float(np.prod(grid.spacing))
        flat = values.reshape(-1)
        for number, charge in enumerate(setting.charges, 1):
            place = np.array([*charge.center[: grid.dimensions], 0.0, 0.0][:3])
            if not all(0 <= c <= length for c, length in zip(place, grid.lengths, strict=False)):
                raise ProblemError(f"Charge {number} lies outside of the grid: move it inside.")
            flat[grid.nearest(place)] += charge.strength / volume
    return values


def relative_conductivity(setting: Conductivity, grid: Grid) -> Array | None:
    """(grid.shape) float32 diffusivity of each cell over that of the equation; None where it is 1 everywhere.

    Raises ProblemError for values that are not above 0.
    """
    if isinstance(setting, SameEverywhere):
        return None
    if isinstance(setting, Picture):
        values = picture_field(setting, grid, "diffusivity")
        if not (values > 0).all():
            place = ("equation", "conductivity")
            low, high = (value if value > 0 else INSULATING for value in (setting.low, setting.high))
            raise ProblemError(
                f"The picture's diffusivity falls to {float(values.min()):g} of the equation's: make its Low (black) "
                f"and High (white) both greater than 0, {INSULATING:g} for what insulates.",
                (*place, "low" if setting.low <= 0 else "high"),
                Remedy(f"Let it fall to {min(low, high):g}", {(*place, "low"): low, (*place, "high"): high}),
            )
        return values
    values = np.ones(grid.shape, np.float32)
    if isinstance(setting, TwoLayers):
        axis = "xyz".index(setting.axis)
        if axis >= grid.dimensions:
            raise ProblemError("A grid of two dimensions has no layers along z: choose x or y.")
        far = axes(grid)[axis] >= setting.position * grid.lengths[axis]
        values[np.broadcast_to(far, grid.shape)] = setting.factor
    elif isinstance(setting, Inclusions):
        for inclusion in setting.inclusions:
            values[squared_distance(grid, inclusion.center) <= inclusion.radius**2] = inclusion.factor
    return values
