"""What flows in through the sides of a grid, against the change of its content and closed forms."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.ranks.slabs import Slab
from engines.stencil.engine import StencilEngine
from engines.stencil.setup.sides import Ghost
from engines.stencil.watch.inflow import inflow
from tests.engines.stencil.problems import CUBE, PERIODIC, SMALL, heat, problem

ENGINE = StencilEngine()
GRIDS = {"2d": SMALL, "3d": CUBE}
MATERIALS = {
    "one": {"kind": "uniform"},
    "layers": {"kind": "two layers", "axis": "x", "position": 0.3, "factor": 0.2},
    "inclusions": {"kind": "inclusions", "inclusions": [{"center": (1.0, 3.0, 0.0), "radius": 3.0, "factor": 0.1}]},
}
VALUES = {"x_low": 2.0, "x_high": -0.5, "y_high": 0.25, "z_low": 1.0}
SIDES = {
    **{name: {"kind": "value", "value": value} for name, value in VALUES.items()},
    "y_low": {"kind": "gradient", "gradient": -0.3},
    "z_high": {"kind": "gradient", "gradient": 0.0},
}


@pytest.fixture(params=["cpu", "cuda on host"])
def backend(request):
    return CpuBackend() if request.param == "cpu" else request.getfixturevalue("on_host")


def flows(seen):
    return {name.removeprefix("inflow_"): value for name, value in seen.items() if name.startswith("inflow_")}


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("grid", GRIDS)
def test_the_content_changes_by_the_sum_of_all(backend, grid, material):
    """In one step of double precision, with another factor than that of the beginning, too."""
    equation = heat(conductivity=MATERIALS[material], source=0.5)
    given = problem(equation, GRIDS[grid], sides=SIDES, numerics={"precision": "fp64", "step": 0.005})
    run = ENGINE.build(given, backend)
    volume = np.prod(run.geometry.lengths)
    names = ["x_low", "x_high", "y_low", "y_high", "z_low"][: 5 if grid == "3d" else 4]
    for scale in (1.0, 0.25):
        run.set_control("equation.diffusivity_scale", scale)
        before = run.observe()
        run.advance(1)
        changed = (run.observe()["content"] - before["content"]) / run.dt
        assert list(flows(before)) == names
        assert min(map(abs, flows(before).values())) > 0
        assert changed == pytest.approx(sum(flows(before).values()) + 0.5 * volume, rel=1e-8)
    assert [each.name for each in run.series][2:] == [f"inflow_{name}" for name in names]
    assert [chart.series for chart in run.charts] == [
        ("content",), ("largest",), tuple(f"inflow_{name}" for name in names),
    ]  # fmt: skip


@pytest.mark.parametrize("grid", GRIDS)
def test_a_slab_between_two_temperatures(backend, grid):
    """At rest D A Δu/L comes in and goes out: 2·17·(3 − 1)/24 in the plane."""
    sides = {f"{axis}_{end}": {"kind": "gradient"} for axis in "yz" for end in ("low", "high")}
    sides |= {"x_low": {"kind": "value", "value": 3.0}, "x_high": {"kind": "value", "value": 1.0}}
    run = ENGINE.build(problem(heat(), GRIDS[grid], sides=sides, numerics={"precision": "fp64"}), backend)
    length, *across = run.geometry.lengths[: run.geometry.dimensions]
    count = run.geometry.counts[0]
    x = (np.arange(count) + 0.5) / count
    run.restore(run.state() | {"u": np.broadcast_to(3.0 - 2.0 * x, run.geometry.shape).copy()})
    expected = 2.0 * np.prod(across) * 2.0 / length
    assert flows(run.observe()) == pytest.approx({"x_low": expected, "x_high": -expected}, rel=1e-12)


def test_without_held_sides_there_is_none(backend):
    for sides in (PERIODIC, {name: {"kind": "gradient"} for name in SIDES}):
        run = ENGINE.build(problem(heat(), sides=sides), backend)
        assert [each.name for each in run.series] == ["content", "largest"]
        assert list(run.observe()) == ["content", "largest"]
        assert run.charts == ()


def test_poissons_solution_lets_out_what_its_source_gives(backend):
    equation = {
        "kind": "Poisson", "source": {"kind": "uniform", "value": 0.3},
        "conductivity": {"kind": "two layers", "axis": "y", "position": 0.5, "factor": 5.0},
    }  # fmt: skip
    run = ENGINE.build(problem(equation, sides=SIDES, numerics={"precision": "fp64"}), backend)
    run.advance(30)
    found = flows(run.observe())
    assert sum(found.values()) == pytest.approx(-0.3 * np.prod(run.geometry.lengths), rel=1e-6)
    assert min(map(abs, found.values())) > 1


@pytest.mark.parametrize("material", ["one", "many"])
@pytest.mark.parametrize("shape", [(23, 18), (17, 9, 12)])
def test_slabs_have_parts_of_it(shape, material):
    """Each its own cells of a side, and the two outer ones all of the sides that they lie at."""
    from engines.geometry.grid import Grid

    backend, grid, random = CpuBackend(), Grid(shape, (0.5, 1.0, 2.0)[: len(shape)]), np.random.default_rng(0)
    ghosts = ((Ghost(False, -1.0, 0.6), Ghost(False, 1.0, 0.05)),) * len(shape)
    conductivity = None if material == "one" else 0.2 + random.random(shape)
    u = random.random(shape)
    given = (ghosts, conductivity, np.dtype(float), 3.0, "1/s")
    whole = inflow(backend, grid, *given).observe(u)
    parts = []
    for rank in range(3):
        slab = Slab((0, 5, 9, shape[0]), rank, False, grid)
        parts.append(inflow(backend, grid, *given, slab).observe(slab.of_own(u)))
    assert len(whole) == 2 * len(shape)
    for name, value in whole.items():
        assert sum(part[name] for part in parts) == pytest.approx(value, rel=1e-12)
    last = "yz"[len(shape) - 2]
    assert [part[f"inflow_{last}_low"] != 0 for part in parts] == [True, False, False]
    assert [part[f"inflow_{last}_high"] != 0 for part in parts] == [False, False, True]
