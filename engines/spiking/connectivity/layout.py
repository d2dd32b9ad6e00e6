"""Where neurons stand: populations in sheets of their own, one above the other, in slabs, in balls or on grids."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from engines.api import Array
from engines.geometry.particles import Particles, named_parts
from engines.spiking.connectivity.wiring import Space
from engines.spiking.parameters.populations import Population, Slab

PITCH = 30.0
"""Between neurons of a sheet of the most numerous population [µm]."""
RADIUS = 0.38
"""Of a neuron, of its sheet's pitch."""
SCATTER = 0.22
"""How far neurons stand off a regular grid, of the pitch."""
APART = 0.28
"""Distance of sheets, of their side."""

Place = tuple[str, int, float, float]
"""Kind, number of neurons, side or diameter [µm] or 0; of a slab its thickness [µm], of a sheet how many sheets it is
above the first population's, below where negative."""


def places_of(populations: Sequence[Population], sheets: str = "upwards") -> tuple[Place, ...]:
    """``sheets``: which way they follow each other."""
    up = -1.0 if sheets == "downwards" else 1.0
    return tuple(
        (
            each.place.kind,
            each.number,
            each.place.side,
            each.place.thickness if isinstance(each.place, Slab) else up * place + 0.0,  # never -0
        )
        for place, each in enumerate(populations)
    )


@lru_cache(maxsize=4)
def particles(places: tuple[Place, ...], names: tuple[str, ...] = ()) -> Particles:
    """Neurons of populations, one after the other; the same object for the same places and ``names``, its labels."""
    generator = np.random.default_rng(0)
    found: list[Array] = []
    radii: list[Array] = []
    usual = usual_side(places)
    for kind, number, given, high in places:
        if not number:
            continue
        side = given or usual
        if kind == "slab":
            spots, pitch = _slab(number, side, high, generator)
        else:
            spots, pitch = _stand(kind, number, side, generator)
        if kind == "sheet":
            spots[:, 2] = high * APART * usual
        found.append(spots)
        radii.append(np.full(number, RADIUS * min(pitch, 1.5 * PITCH)))
    neurons = Particles(np.concatenate(found), np.concatenate(radii))
    return named_parts(neurons, names, [number for _, number, *_ in places]) if names else neurons


def usual_side(places: tuple[Place, ...]) -> float:
    """Of populations that give none [µm]."""
    return float(PITCH * np.sqrt(max(number for _, number, *_ in places)))


def extent(places: tuple[Place, ...]) -> float:
    """What two neurons are apart at most, as rules see them: without the heights of sheets [µm]."""
    usual = usual_side(places)
    most = 0.0
    for kind, _, given, thickness in places:
        side = given or usual
        most = max(most, math.hypot(math.sqrt(2) * side, {"sheet": 0.0, "slab": thickness}.get(kind, side)))
    return most


def share_near(place: Place, usual: float, kernel: str, width: float) -> float:
    """Part of the neurons of a place that are near another one: the integral of a kernel that falls from 1, over the
    place's area or volume; borders leave less."""
    kind, _, side, thickness = place
    reach = width / (side or usual)
    if kind == "sheet":
        return min(1.0, 2 * math.pi * reach**2)
    if kind == "slab":  # thin ones are sheets
        deep = (math.sqrt(2 * math.pi) if kernel == "gaussian" else 4) * width / thickness
        return min(1.0, 2 * math.pi * reach**2 * min(1.0, deep))
    volume = math.pi / 6 if kind == "ball" else 1.0
    return min(1.0, ((2 * math.pi) ** 1.5 if kernel == "gaussian" else 8 * math.pi) * reach**3 / volume)


def _stand(kind: str, number: int, side: float, generator: np.random.Generator) -> tuple[Array, float]:
    """(number, 3) places from 0 to ``side``, and the pitch between them."""
    if kind == "sheet":
        columns = int(np.ceil(np.sqrt(number)))
        pitch = side / columns
        spots = np.stack(np.divmod(np.arange(number), columns)[::-1], axis=1) + 0.5
        spots = (spots + generator.uniform(-SCATTER, SCATTER, spots.shape)) * pitch
        return np.column_stack([spots, np.zeros(number)]), pitch
    pitch = side / int(np.ceil(np.cbrt(number)))
    if kind == "ball":
        ways = generator.standard_normal((number, 3))
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        return (ways * np.cbrt(generator.random(number))[:, None] + 1) * side / 2, pitch
    columns = int(np.ceil(np.cbrt(number)))
    return (np.stack(np.unravel_index(np.arange(number), (columns,) * 3)[::-1], axis=1) + 0.5) * pitch, pitch


def _slab(number: int, side: float, thickness: float, generator: np.random.Generator) -> tuple[Array, float]:
    """The same around z = 0: about evenly, off a grid of sites of which some stay empty."""
    pitch = float(np.cbrt(side * side * thickness / number))
    layers = max(1, round(thickness / pitch))
    columns = int(np.ceil(np.sqrt(number / layers)))
    sites = np.sort(generator.permutation(layers * columns**2)[:number])
    spots = np.stack(np.unravel_index(sites, (layers, columns, columns))[::-1], axis=1) + 0.5
    spots += generator.uniform(-SCATTER, SCATTER, spots.shape)
    spacing = np.array([side / columns, side / columns, thickness / layers])
    return spots * spacing - [0.0, 0.0, thickness / 2], pitch


def space(places: tuple[Place, ...]) -> Space:
    """The same for rules and delays: distance between neurons of sheets is along them, of all others in space."""
    spots = np.array(particles(places).positions, float)
    usual = usual_side(places)
    sides: dict[int, float] = {}
    flat: dict[int, bool] = {}
    first = 0
    for kind, number, side, _ in places:
        sides[first], flat[first] = side or usual, kind in ("sheet", "slab")
        if kind == "sheet":
            spots[first : first + number, 2] = 0.0
        first += number
    return Space(spots, sides, flat)
