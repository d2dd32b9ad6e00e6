"""What is said at the end of how far a potential is off, against the solution."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.stencil.engine import StencilEngine
from tests.engines.stencil.problems import CUBE, PERIODIC, SMALL, problem

ENGINE = StencilEngine()
CHARGES = {
    "kind": "point charges",
    "charges": [{"center": (6.0, 6.0, 1.0), "strength": 2.0}, {"center": (8.0, 12.0, 2.0), "strength": -1.0}],
}
LARGE = SMALL | {"cells_x": 96, "cells_y": 68}
LAYERS = {"kind": "two layers", "axis": "x", "position": 0.5, "factor": 8.0}


@pytest.fixture(params=["cpu", "cuda on host"])
def backend(request):
    return CpuBackend() if request.param == "cpu" else request.getfixturevalue("on_host")


def built(backend, method, grid=SMALL, conductivity=None, **more):
    equation = {"kind": "Poisson", "source": CHARGES, "method": method}
    equation |= {"conductivity": conductivity} if conductivity else {}
    return ENGINE.build(problem(equation, grid, **more), backend)


@pytest.mark.parametrize("conductivity", [None, LAYERS])
@pytest.mark.parametrize(
    ("method", "few", "grid"),
    [("sor", 4, SMALL), ("sor", 2, CUBE), ("jacobi", 30, SMALL), ("jacobi", 4, CUBE), ("multigrid", 1, LARGE)],
)
def test_it_tells_by_how_much_too_few_iterations_are_off(backend, method, few, grid, conductivity):
    right = built(backend, "multigrid", grid, conductivity, numerics={"precision": "fp64"})
    right.advance(25)
    run = built(backend, method, grid, conductivity)
    run.advance(few)
    before = run.field("u").copy()
    (found,) = run.noticed()
    assert (run.field("u") == before).all()
    wanted = 100 * np.abs(before - right.field("u")).max() / np.ptp(right.field("u"))
    told = float(found.message.split("up to ")[1].split(" %")[0])
    assert told == pytest.approx(wanted, rel=0.06)
    assert found.message.startswith(f"After {few} iterations the solution is still off")
    assert found.distorts
    assert (found.remedy is None) == (method == "multigrid")


@pytest.mark.parametrize("sides", [{}, PERIODIC])
@pytest.mark.parametrize(("method", "enough"), [("sor", 120), ("jacobi", 3000), ("multigrid", 12)])
def test_nothing_is_said_of_what_has_converged(backend, method, enough, sides):
    run = built(backend, method, sides=sides)
    run.advance(enough)
    assert not run.noticed()


def test_a_device_that_has_no_room_for_it_ends_the_run_all_the_same(backend, monkeypatch):
    run = built(backend, "jacobi")
    run.advance(5)

    def full():
        raise MemoryError

    monkeypatch.setattr(run, "_multigrid", full)
    assert run.noticed() == ()
