"""Interfaces that pass through cells: a composite slab, its slowest mode, discs in a square, on both backends.

The slab's answers are its resistances in series and, for the mode, the root of a₁m₁ cot m₁X + a₂m₂ cot m₂(L − X) = 0
with m = √(λ/a); discs in a square array conduct as Perrins, McKenzie and McPhedran (1979) give,
doi 10.1098/rspa.1979.0160, to the eighth power of their share.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.optimize import brentq

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.geometry.grid import Grid
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import Picture, StencilParameters
from engines.stencil.setup.interfaces import pictured
from engines.stencil.setup.pictures import picture_field, picture_pixels
from engines.stencil.setup.sides import Ghost
from workbench.project.parameter_files import with_values

ENGINE = StencilEngine()
CLOSED = {"kind": "gradient"}
FP64 = {"precision": "fp64"}
POISSON = {"kind": "Poisson", "source": {"kind": "painted only"}}


def given(n: int, equation: dict[str, Any], *, across: str = "x", cells_along: int = 2, **sides: Any) -> dict[str, Any]:
    """A square of side 1 mm (or a strip of ``cells_along``) between values along the axis ``across``, else closed."""
    counts = {"x": cells_along, "y": cells_along, across: n}
    held = {
        f"{across}_low": {"kind": "value", "value": 0.0},
        f"{across}_high": {"kind": "value", "value": 1.0},
        **sides,
    }
    return {
        "grid": {
            "kind": "2D", "cells_x": counts["x"], "cells_y": counts["y"], "size_x": counts["x"] / n,
            "size_y": counts["y"] / n,
        },
        "equation": equation,
        "sides": {f"{axis}_{end}": CLOSED for axis in "xy" for end in ("low", "high")} | held,
        "numerics": {"precision": "fp64"},
    }  # fmt: skip


def flow(backend, values: dict[str, Any], across: str = "x") -> float:
    """Through the low side, where k is 1, for a difference of 1 over 1 mm."""
    simulation = ENGINE.build(Problem(StencilParameters.model_validate(values)), backend)
    simulation.advance(25)
    u = np.array(simulation.state()["u"]).reshape(simulation.geometry.shape)
    first = u[:, 0] if across == "x" else u[0]
    return float(first.mean() * 2 / simulation.geometry.spacing["xy".index(across)])


def layers(axis: str, position: float, factor: float) -> dict[str, Any]:
    return {"kind": "two layers", "axis": axis, "position": position, "factor": factor}


@pytest.mark.parametrize("device", ["cpu", "on_host"])
@pytest.mark.parametrize("axis", ["x", "y"])
def test_a_slab_conducts_as_its_layers_in_series(device, axis, request):
    """Wherever the layers meet, in a cell's middle or beside a side: exact but for rounding."""
    backend = request.getfixturevalue(device)
    for position in (0.37, 0.5, 0.96, 0.02):
        equation = {"kind": "Poisson", "source": {"kind": "painted only"}, "conductivity": layers(axis, position, 0.1)}
        found = flow(backend, given(10, equation, across=axis), axis)
        first = 1.0 if position >= 0.05 else 1 / (position * 20 + (1 - position * 20) / 0.1)
        assert found * first == pytest.approx(1 / (position + (1 - position) / 0.1), rel=1e-9), position


def test_layers_side_by_side_conduct_beside_each_other(cpu):
    equation = {"kind": "Poisson", "source": {"kind": "painted only"}, "conductivity": layers("y", 0.37, 0.1)}
    values = given(10, equation, cells_along=10)
    simulation = ENGINE.build(Problem(StencilParameters.model_validate(values)), cpu)
    faces = simulation._solver.levels[0].faces[0]
    assert faces.reshape(10, 11).mean(axis=0) == pytest.approx(0.37 + 0.63 * 0.1)


def test_the_slowest_mode_of_a_slab_decays_at_its_rate_to_order_two(cpu):
    """Both values 0, layers 1 and 0.1 that meet at 0.37: the rate from the mode's decay, its error a quarter each."""
    position, second = 0.37, 0.1

    def mismatch(rate: float) -> float:
        m = np.sqrt(rate / np.array([1.0, second]))
        lengths = np.array([position, 1 - position])
        return float((np.array([1.0, second]) * m / np.tan(m * lengths)).sum())

    exact = brentq(mismatch, 0.5, 2.4)
    errors = []
    for n in (10, 20, 40):
        equation = {"kind": "diffusion", "diffusivity": 1.0, "conductivity": layers("x", position, second),
                    "initial": {"kind": "uniform", "value": 1.0}}  # fmt: skip
        values = given(n, equation, x_high={"kind": "value", "value": 0.0})
        simulation = ENGINE.build(Problem(StencilParameters.model_validate(values)), cpu)
        simulation.advance(round(1.0 / simulation.dt))
        before = simulation.observe()["content"]
        steps = round(0.2 / simulation.dt)
        simulation.advance(steps)
        factor = (simulation.observe()["content"] / before) ** (1 / steps)
        errors.append(abs((1 - factor) / simulation.dt - exact) / exact)  # of space alone: a step multiplies 1 − λ dt
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[2] < 1.5e-3
    assert orders.min() > 1.8


def in_a_square(factor: float, share: float) -> float:
    t = (1 + factor) / (1 - factor)
    left = 0.305827 * share**4 * t / (t * t - 1.402958 * share**8) + 0.013362 * share**8 / t
    return 1 - 2 * share / (t + share - left)


@pytest.mark.parametrize(("radius", "factor"), [(0.35, 0.1), (0.35, 10.0), (0.3, 0.01), (0.3, 100.0)])
def test_discs_conduct_as_rayleighs_series_says(cpu, radius, factor):
    """About 10 cells a radius; cells of one material each were 1.2 to 3 % off, to either side."""
    disc = {"kind": "inclusions", "inclusions": [{"center": (0.5, 0.5, 0.5), "radius": radius, "factor": factor}]}
    equation = {"kind": "Poisson", "source": {"kind": "painted only"}, "conductivity": disc}
    found = flow(cpu, given(30, equation, cells_along=30))
    assert found == pytest.approx(in_a_square(factor, np.pi * radius**2), rel=0.015)


def test_a_ball_on_few_cells_is_told_with_the_cells_that_it_needs(cpu):
    disc = {"kind": "inclusions", "inclusions": [{"center": (0.5, 0.5, 0.5), "radius": 0.2, "factor": 0.1}]}
    equation = {"kind": "diffusion", "conductivity": disc, "initial": {"kind": "uniform"}}
    values = given(20, equation, cells_along=20)
    (told,) = ENGINE.estimate(Problem(StencilParameters.model_validate(values)), cpu).findings
    assert told.place == ("equation", "conductivity", "inclusions", 0, "radius")
    assert "4 cells" in told.message
    mended = with_values(values, told.remedy.changes)
    assert mended["grid"]["cells_x"] == 50
    assert not ENGINE.estimate(Problem(StencilParameters.model_validate(mended)), cpu).findings


def picture_of(path: Path, pixels: np.ndarray) -> dict[str, Any]:
    """k from 0.1 (black) to 1 (white)."""
    Image.fromarray(pixels.astype(np.uint8)).save(path)
    return {"kind": "picture", "picture": str(path), "low": 0.1, "high": 1.0, "fitting": "stretch"}


@pytest.mark.parametrize("device", ["cpu", "on_host"])
@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("ends", [(300, 600), (325, 610), (120, 950)])
def test_layers_of_a_picture_conduct_in_series(device, axis, ends, tmp_path, request):
    """Three layers on 20 cells, between cells and within them: exact but for rounding. With brightness that a filter as
    wide as two cells had smeared it was 25 % too much."""
    grey = np.full(1000, 255)
    grey[ends[0] : ends[1]], grey[ends[1] :] = 0, 127
    pixels = np.tile(grey, (4, 1)) if axis == "x" else np.tile(grey[::-1, None], (1, 4))
    conductivity = picture_of(tmp_path / "layers.png", pixels)
    k = 0.1 + 0.9 * grey / 255
    found = flow(
        request.getfixturevalue(device), given(20, {**POISSON, "conductivity": conductivity}, across=axis), axis
    )
    assert found == pytest.approx(1 / (1 / k).mean(), rel=1e-9)


@pytest.mark.parametrize(("factor", "within"), [(0.1, 0.015), (0.01, 0.025)])
def test_a_disc_of_a_picture_conducts_as_rayleighs_series_says(cpu, tmp_path, factor, within):
    """10.5 cells a radius, pixels a tenth of a cell. Nothing says which of two materials encloses the other, so a disc
    that insulates is not met as well as one that is an inclusion."""
    y, x = (np.mgrid[:300, :300] + 0.5) / 300 - 0.5
    conductivity = picture_of(tmp_path / "disc.png", np.where(x**2 + y**2 <= 0.35**2, 0, 255))
    equation = {**POISSON, "conductivity": {**conductivity, "low": factor}}
    found = flow(cpu, given(30, equation, cells_along=30))
    assert found == pytest.approx(in_a_square(factor, np.pi * 0.35**2), rel=within)


def test_pixels_of_a_picture_that_is_fitted_are_those_of_its_field(tmp_path):
    """What is beside it is black: faces and cells are of the same picture, in three dimensions and periodic too."""
    conductivity = Picture(**picture_of(tmp_path / "wide.png", np.full((40, 80), 255)) | {"fitting": "fit"})
    for counts in ((8, 8), (4, 8, 8)):
        grid = Grid(counts, (1.0,) * len(counts))
        ghosts = tuple((Ghost(True),) * 2 for _ in counts)
        held = pictured(picture_pixels(conductivity, grid, "diffusivity"), grid, ghosts)
        assert np.asarray(held.cells) == pytest.approx(picture_field(conductivity, grid, "diffusivity"), rel=1e-6)
        assert held.faces[1][..., 2, :] == pytest.approx(2 / (1 + 1 / 0.1))
        assert [face.shape for face in held.faces] == [
            tuple(n + (axis == len(counts) - 1 - dimension) for dimension, n in enumerate(counts))
            for axis in range(len(counts))
        ]


@pytest.mark.parametrize("grid", ["2D", "3D"])
@pytest.mark.parametrize("factor", [0.01, 50.0])
def test_an_inclusion_across_a_periodic_side_conducts_alike_on_both_faces_of_it(grid, factor):
    """The first face and the last are one: else what leaves a cell does not enter the opposite one."""
    counts = {f"cells_{axis}": n for axis, n in zip("xyz", (17, 6, 5), strict=True)}
    sizes = {f"size_{axis}": 17.0 for axis in "xyz"}
    if grid == "2D":
        del counts["cells_z"], sizes["size_z"]
    inclusions = [{"center": (0.4, 9.0, 8.0), "radius": 5.0, "factor": factor}]
    equation = {
        "kind": "diffusion",
        "diffusivity": 10.0,
        "conductivity": {"kind": "inclusions", "inclusions": inclusions},
        "initial": {"kind": "spots", "spots": [{"center": (1.0, 9.0, 8.0), "radius": 4.0}]},
    }
    sides = {f"{axis}_{end}": {"kind": "periodic"} for axis in "xyz" for end in ("low", "high")}
    problem = StencilParameters.model_validate(
        {"grid": {"kind": grid, **counts, **sizes}, "equation": equation, "sides": sides, "numerics": FP64}
    )
    simulation = ENGINE.build(Problem(problem), CpuBackend())
    before = np.array(simulation.state()["u"], float)
    simulation.advance(100)
    after = np.array(simulation.state()["u"], float)
    assert np.abs(after - before).max() > 0.01
    assert after.sum() == pytest.approx(before.sum(), rel=1e-12)
