"""Each named pattern of Gray-Scott is what it is called, from the usual start, long after it.

Shapes are read off the pixels above (or below) the middle of V's range: a component of area A with the polar moment
of inertia J has the compactness A²/(2πJ), 1 for a disc and near 0 for a stripe; those that borders cut do not count.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.ndimage import label

from engines.api import Problem, Simulation
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters
from engines.stencil.parameters.patterns import RATES

ENGINE = StencilEngine()
PERIODIC = {f"{axis}_{end}": {"kind": "periodic"} for axis in "xyz" for end in ("low", "high")}
SHORT, LONG = (112, 6_000), (192, 30_000)
"""Cells of a side [mm] and steps [s]."""
FORMS = [pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=pytest.mark.slow)]


def started(cpu, pattern: str, cells: int, seed: int = 1, **start: Any) -> Simulation:
    given = {
        "grid": {"kind": "2D", "cells_x": cells, "cells_y": cells, "size_x": float(cells), "size_y": float(cells)},
        "equation": {
            "kind": "Gray-Scott",
            "reaction": {"kind": "named", "pattern": pattern},
            "start": {"kind": "seeds", "count": 10, "seed": seed, **start},
        },
        "sides": PERIODIC,
    }
    return ENGINE.build(Problem(StencilParameters.model_validate(given)), cpu)


def field(simulation: Simulation, name: str = "v") -> np.ndarray:
    return np.array(simulation.field(name), float).reshape(simulation.geometry.shape)


def compactness(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(areas, compactnesses) of the components that no border cuts."""
    numbers, count = label(mask)
    at_border = set(np.concatenate([numbers[0], numbers[-1], numbers[:, 0], numbers[:, -1]]))
    areas, values = [], []
    for number in set(range(1, count + 1)) - at_border:
        y, x = np.nonzero(numbers == number)
        moment = ((x - x.mean()) ** 2 + (y - y.mean()) ** 2).sum() + len(x) / 6  # of the pixels themselves
        areas.append(len(x))
        values.append(len(x) ** 2 / (2 * np.pi * moment))
    return np.array(areas), np.array(values)


def slenderness(mask: np.ndarray) -> float:
    """Mean area of a component over W², where W is twice the area over the outline: L/W of stripes, 5 of dots."""
    outline = sum(int((mask != np.roll(mask, 1, axis)).sum()) for axis in (0, 1))
    width = 2 * mask.sum() / outline
    return float(mask.sum() / label(mask)[1] / width**2)


def middle(v: np.ndarray) -> float:
    return float(v.max() + v.min()) / 2


def tips(u: np.ndarray, v: np.ndarray) -> tuple[int, int]:
    """Ends of waves that turn to the left and to the right: around them the phase of (u, v) goes round once."""
    phase = np.arctan2(v - 0.1, u - 0.4)
    turns = 0.0
    corners = [np.roll(phase, shift, (0, 1)) for shift in ((0, 0), (0, 1), (1, 1), (1, 0))]
    for first, second in zip(corners, corners[1:] + corners[:1], strict=True):
        turns = turns + (second - first + np.pi) % (2 * np.pi) - np.pi
    return int((turns > 3).sum()), int((turns < -3).sum())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("pattern", ["mitosis", "solitons", "pulsating spots"])
def test_spots_are_many_and_round(cpu, pattern, form):
    simulation = started(cpu, pattern, form[0])
    simulation.advance(600)
    early = label(field(simulation) > 0.15)[1]
    simulation.advance(form[1] - 600)
    v = field(simulation)
    areas, round_ = compactness(v > middle(v))
    assert len(areas) >= 40 * (form[0] / 112) ** 2
    assert np.median(round_) > 0.9
    if pattern == "mitosis":  # each seed became many
        assert label(v > 0.15)[1] > 5 * early
        return
    seen = []
    for _ in range(20):
        simulation.advance(50)
        seen.append(field(simulation))
    pulse = np.ptp(seen, axis=0).max()
    assert pulse > 0.25 if pattern == "pulsating spots" else pulse < 0.2


@pytest.mark.parametrize("form", FORMS)
def test_holes_are_many_and_round(cpu, form):
    simulation = started(cpu, "holes", form[0])
    simulation.advance(form[1])
    v = field(simulation)
    areas, round_ = compactness(v < middle(v))
    assert len(areas) >= 40 * (form[0] / 112) ** 2
    assert np.median(round_) > 0.9


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("pattern", ["coral growth", "mazes", "worms"])
def test_stripes_fill_the_plane_and_are_long(cpu, pattern, form):
    """Neither round dots nor round holes: as in a stripe of length L and width W, bright and dark parts alike."""
    simulation = started(cpu, pattern, form[0])
    simulation.advance(form[1])
    v = field(simulation)
    bright = v > middle(v)
    assert 0.3 < bright.mean() < 0.7
    assert slenderness(bright) > 10
    assert slenderness(~bright) > 10


@pytest.mark.parametrize("form", FORMS)
def test_chaos_does_not_come_to_rest(cpu, form):
    simulation = started(cpu, "chaos", form[0])
    simulation.advance(form[1])
    before = field(simulation)
    simulation.advance(500)
    after = field(simulation)
    assert min(before.std(), after.std()) > 0.02
    assert abs(np.corrcoef(before.ravel(), after.ravel())[0, 1]) < 0.5


def homogeneous(feed: float, kill: float) -> tuple[float, float]:
    """The rest state with V: v = F (1 − u)/(F + k), of F (1 − u) = u v² the smaller u."""
    u = (1 - np.sqrt(1 - 4 * (feed + kill) ** 2 / feed)) / 2
    return u, feed * (1 - u) / (feed + kill)


@pytest.mark.parametrize(
    "steps", [pytest.param(4_000, id="short"), pytest.param(20_000, id="long", marks=pytest.mark.slow)]
)
def test_a_u_skate_glides_without_changing(cpu, steps):
    """A horseshoe cut into the state with V becomes a U that glides, 7 mm in 5,000 s, with the same size."""
    cells = 112
    simulation = started(cpu, "U-skate", cells, count=0)
    u, v = homogeneous(*RATES["U-skate"])
    y, x = np.mgrid[:cells, :cells] + 0.5
    x, y = x - cells / 2, y - cells / 2
    cut = ((abs(np.hypot(x, y) - 8) < 3) & (y >= 0)) | ((abs(abs(x) - 8) < 3) & (y < 0) & (y > -8))
    state = simulation.state()
    state["u"][:], state["v"][:] = np.where(cut, 1.0, u), np.where(cut, 0.0, v)
    simulation.restore(state)
    simulation.advance(5_000)

    def skate() -> tuple[float, float]:
        dark = np.maximum(v - 0.1 - field(simulation), 0)
        angle = float(np.angle((np.exp(2j * np.pi * y / cells) * dark).sum()))
        return angle * cells / (2 * np.pi), float(dark.sum())

    place, size = skate()
    simulation.advance(steps)
    later, left = skate()
    assert left == pytest.approx(size, rel=0.02)
    assert 1.2e-3 < (later - place) / steps < 1.6e-3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", [1, 2])
def test_spirals_live_and_turn(cpu, form, seed):
    """Waves have ends that turn both ways, and each place is passed again and again."""
    simulation = started(cpu, "spirals", form[0], seed)
    simulation.advance(form[1])
    seen = []
    for _ in range(60):
        simulation.advance(25)
        seen.append(field(simulation)[::8, ::8] > 0.15)
    passed = (np.diff(np.array(seen, int), axis=0) > 0).sum(axis=0)
    left, right = tips(field(simulation, "u"), field(simulation))
    assert min(left, right) >= 3
    assert (passed > 0).mean() > 0.6
    assert passed.mean() > 1
