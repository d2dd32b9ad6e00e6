"""What a brush does to a grid."""

from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import Dab, Selection
from engines.backend.cpu import CpuBackend
from engines.stencil.step.painting import PaintedSource
from tests.engines.stencil.problems import CUBE, ENGINE, ONE_CHARGE, SMALL, heat, problem


@pytest.mark.parametrize(
    "equation", [heat(), heat(source=0.5), {"kind": "Gray-Scott"}, {"kind": "Poisson", "source": ONE_CHARGE}]
)
@pytest.mark.parametrize("grid", [SMALL, CUBE])
def test_a_dab_adds_its_profile_and_erasing_takes_it_away(cpu, equation, grid):
    """w = (1 − r²/R²)², in the fp32 of the field: 4 roundings of values up to 2."""
    simulation = ENGINE.build(problem(equation, grid), cpu)
    name = simulation.brushes[0].name
    before = simulation.field(name).copy()
    centre, radius = np.array([4.0, 5.0, 1.5]), 2.5
    simulation.paint(Dab(name, tuple(centre), radius, 0.7))
    cells = simulation.geometry.centers(np.arange(simulation.geometry.n_cells))
    flat = cells - centre if len(simulation.geometry.shape) == 3 else (cells - centre)[:, :2]
    weight = np.clip(1 - (flat**2).sum(axis=1) / radius**2, 0, None) ** 2
    assert np.abs(simulation.field(name) - (before + 0.7 * weight)).max() <= 5e-7
    assert (simulation.field(name)[weight == 0] == before[weight == 0]).all()
    for _ in range(400):
        simulation.paint(Dab(name, tuple(centre), 2 * radius, 0.0, erase=True))
    rest = np.zeros_like(before) if name == "v" else before
    assert np.abs(simulation.field(name) - rest)[weight > 0].max() <= 1e-5
    simulation.paint(Dab(simulation.brushes[0].name, (1e6, 0.0, 0.0), radius, 1.0))  # beside the grid: nothing happens


def test_looking_at_a_source_that_is_not_there_allocates_once(cpu):
    simulation = ENGINE.build(problem(heat()), cpu)
    handle = simulation.select(Selection(np.arange(4, dtype=np.int32)))
    assert (simulation.gather("source", handle) == 0).all()
    seen = simulation.values("source")
    assert simulation.values("source") is seen
    assert simulation._source.array is None  # a step does not read it
    simulation.paint(Dab(simulation.brushes[0].name, (4.0, 5.0, 1.0), 2.0, 0.5))
    assert simulation.field("source").max() > 0
    fresh = ENGINE.build(problem(heat()), cpu)
    simulation.restore(fresh.state())
    assert (simulation.field("source") == 0).all()


def test_a_forged_source_of_another_grid_is_refused():
    """A kernel would read behind it."""
    grid = SimpleNamespace(shape=(3, 4))
    source = PaintedSource(CpuBackend(), grid, lambda: np.zeros((3, 4), np.float32), 0.0)
    source.replace(np.ones((3, 4), np.float32))
    with pytest.raises(ValueError, match="a source of"):
        source.replace(np.ones((1, 1), np.float32))
