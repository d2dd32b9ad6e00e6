"""The grid on which a step is timed, and what is made of it."""

from __future__ import annotations

import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters
from engines.stencil.setup import pace
from engines.stencil.setup.grid import grid_of

BOX = {"kind": "3D", "cells_x": 200, "cells_y": 100, "cells_z": 150, "size_x": 20.0, "size_y": 20.0, "size_z": 30.0}


def parameters_of(grid: dict) -> StencilParameters:
    return StencilParameters.model_validate({"grid": grid, "equation": {"kind": "Gray-Scott"}})


def test_a_large_grid_is_timed_on_a_corner_with_the_same_cells():
    whole = parameters_of(BOX)
    few = grid_of(pace.of_few_cells(whole))
    assert few.spacing == pytest.approx(grid_of(whole).spacing)
    assert 0.3 * pace.MOST_CELLS < few.n_cells <= pace.MOST_CELLS
    assert all(count % pace.WHOLE == 0 for count in few.shape)


def test_a_thin_grid_stays_thin():
    thin = {"kind": "2D", "cells_x": 1_000_000, "cells_y": 3, "size_x": 1.0, "size_y": 1.0}
    few = grid_of(pace.of_few_cells(parameters_of(thin)))
    assert few.shape[0] == 3
    assert few.n_cells < 1_000_000


def test_a_small_grid_is_timed_as_it_is():
    small = parameters_of({**BOX, "cells_x": 8})
    assert pace.of_few_cells(small) is small


@pytest.mark.parametrize(("computing", "moved", "seconds"), [(2e-3, 0, 2e-3), (0.0, 1 << 30, None)])
def test_the_longer_of_computing_and_moving_counts(monkeypatch, computing, moved, seconds):
    """In proportion to the cells; None: at the ceiling of the memory."""
    backend, problem = CpuBackend(), Problem(parameters_of(BOX))
    monkeypatch.setattr(pace, "measured_pace", lambda *_: (computing, moved))
    few = pace.of_few_cells(problem.parameters)
    more = grid_of(problem.parameters).n_cells / grid_of(few).n_cells
    found = pace.seconds_per_step(problem, 1, backend, StencilEngine().build)
    assert found == pytest.approx(more * (moved / backend.ceilings().best if seconds is None else seconds))
