"""Strokes that are taken back leave every engine as it was; what has spread since is told, and nothing is changed."""

from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import Dab, Problem
from engines.api.abilities import Underneath
from engines.backend import open_backend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics
from engines.fdtd.engine import FdtdEngine
from engines.geometry.meshes.box import box_mesh
from engines.spiking.engine import SpikingEngine
from engines.stencil.engine import StencilEngine
from tests.engines.fdtd.media.solids import test_painting as fdtd
from tests.engines.spiking import problems as spiking
from tests.engines.stencil import problems as stencil
from workbench.run.strokes import MOST_BYTES, Outcome, Stroke, Strokes, keep_within


@pytest.fixture(scope="module")
def cpu():
    backend = open_backend("cpu")
    yield backend
    backend.close()


def cardiac():
    numerics = Numerics(step=0.02, precision="fp64", initial_state="published")
    mesh = box_mesh((6, 4, 3), (3.0, 2.0, 1.5), jitter=0.2, seed=4, fibre=(1.0, 2.0, 0.5))
    return Problem(CardiacParameters(cell_model="Mitchell-Schaeffer 2003", numerics=numerics), mesh)


def grids(*equation):
    return lambda: stencil.problem(*equation)


def along(brush, amount, radius=2.5, places=((8.0, 5.0, 1.0), (10.0, 6.0, 1.0), (1e6, 0.0, 0.0))):
    return [Dab(brush, place, radius, amount) for place in places]


HEART = ((0.7, 0.9, 0.8), (1.4, 1.0, 0.7), (1.5, 1.2, 0.6))
NEURONS = ((0.0, 0.0, 0.0), (1.0, 1.0, 0.0))
LASTING = {
    "heat": (StencilEngine, grids(stencil.heat()), along("source", 0.7)),
    "heat with a source": (StencilEngine, grids(stencil.heat(source=0.5)), along("source", 0.7)),
    "Poisson": (StencilEngine, grids({"kind": "Poisson", "source": stencil.ONE_CHARGE}), along("source", 0.7)),
    "materials": (FdtdEngine, fdtd.problem, fdtd.dabs()),
    "scar": (CardiacEngine, cardiac, along("scar", 0.2, 0.6, HEART)),
    "lesion": (SpikingEngine, spiking.plain, along("lesion", 0.6, 9.0, NEURONS)),
}
PASSING = {
    "substance": (StencilEngine, grids({"kind": "Gray-Scott"}), along("v", 0.25)),
    "stimulus": (CardiacEngine, cardiac, along("stimulus", 5e4, 0.6, HEART[:1])),
    "input": (SpikingEngine, spiking.plain, along("stimulate", 3.0, 9.0, NEURONS)),
}


def painted(cpu, engine, problem, dabs):
    simulation = engine().build(problem(), cpu)
    simulation.advance(3)
    stroke, before = Stroke(), simulation.state()
    for dab in dabs:  # as they come, one by one
        stroke.paint(simulation, [dab], lambda text: None)
    return simulation, stroke, before


def same(one, other):
    """Bit for bit; what is no number yet is that in both."""
    return one.keys() == other.keys() and all(
        np.array_equal(values, other[name], equal_nan=values.dtype.kind == "f") for name, values in one.items()
    )


@pytest.mark.parametrize(("engine", "problem", "dabs"), (LASTING | PASSING).values(), ids=[*LASTING, *PASSING])
def test_a_stroke_is_taken_back_and_painted_again(cpu, engine, problem, dabs):
    simulation, stroke, before = painted(cpu, engine, problem, dabs)
    after = simulation.state()
    assert not same(before, after)
    assert stroke.take_back(simulation) is Outcome.DONE
    assert same(before, simulation.state())
    stroke.again(simulation, lambda text: None)
    assert same(after, simulation.state())
    stroke.again(simulation, lambda text: None)  # it is there already
    assert same(after, simulation.state())


@pytest.mark.parametrize(("engine", "problem", "dabs"), LASTING.values(), ids=list(LASTING))
def test_what_lasts_is_taken_back_however_far_the_run_has_gone_on(cpu, engine, problem, dabs):
    simulation, stroke, before = painted(cpu, engine, problem, dabs)
    after = simulation.state()
    name = {"source": "source", "material": "cells", "scar": "scar_cells", "lesion": None}[dabs[0].brush]
    simulation.advance(4)
    assert stroke.take_back(simulation) is Outcome.DONE
    if name is None:  # who is silent, of what else tells when neurons fired
        assert np.isnan(simulation.field("activity")).sum() == 0
    else:
        assert np.array_equal(simulation.state()[name], before[name])
        assert not np.array_equal(after[name], before[name])
    assert simulation.step == 7


@pytest.mark.parametrize(("engine", "problem", "dabs"), PASSING.values(), ids=list(PASSING))
def test_what_has_spread_since_stays_and_is_told(cpu, engine, problem, dabs):
    simulation, stroke, _ = painted(cpu, engine, problem, dabs)
    simulation.advance(1)
    now = simulation.state()
    assert stroke.take_back(simulation) is Outcome.GONE_ON
    assert same(now, simulation.state())
    stroke.again(simulation, lambda text: None)  # it was not taken back: nothing is painted twice
    assert same(now, simulation.state())


def test_what_a_dab_paints_over_is_its_region_alone(cpu):
    grid = {"kind": "2D", "cells_x": 240, "cells_y": 170, "size_x": 240.0, "size_y": 170.0}
    simulation = StencilEngine().build(stencil.problem({"kind": "Gray-Scott"}, grid), cpu)
    stroke = Stroke()
    stroke.paint(simulation, [Dab("v", (50.0, 60.0, 0.0), 4.0, 0.5)], lambda text: None)
    assert 0 < stroke.kept <= 4 * 10 * 10  # fp32, of 40,800 cells


SQUARE = SimpleNamespace(bounds=(np.zeros(3), np.array([1.0, 1.0, 0.0])), length_unit="mm")


def somewhere(says):
    """A simulation that takes nothing back, on a square; ``says`` of a dab's amount."""
    return SimpleNamespace(brushes=(), step=0, geometry=SQUARE, paint=lambda dab: says(dab.amount))


def dab(amount, place=(0.5, 0.5, 0.0), radius=0.1):
    return Dab("any", place, radius, float(amount))


class Canvas:
    """Says how much each dab paints over."""

    brushes, step, geometry = (), 0, SQUARE

    def paint(self, dab):
        return None

    def underneath(self, dab, first):
        return Underneath("", (), None, int(dab.amount), lasts=True)

    def put_back(self, under):
        pass


def test_the_oldest_go_where_there_is_no_room():
    strokes = [Stroke() for _ in range(3)]
    for stroke, size in zip(strokes, (10, 60, 50), strict=True):
        stroke.paint(Canvas(), [dab(size)], lambda text: None)
    keep_within(strokes, most=115)
    assert [stroke.take_back(Canvas()) for stroke in strokes] == [Outcome.TOO_FAR, Outcome.DONE, Outcome.DONE]
    whole = Stroke()
    whole.paint(Canvas(), [dab(MOST_BYTES // 2)] * 3, lambda text: None)
    assert whole.take_back(Canvas()) is Outcome.TOO_FAR


def test_an_engine_that_takes_nothing_back_says_so():
    simulation, stroke = somewhere(lambda amount: None), Stroke()
    stroke.paint(simulation, [dab(1)], lambda text: None)
    assert stroke.take_back(simulation) is Outcome.NO_WAY


def test_what_an_engine_says_of_a_dab_is_said():
    said = []
    simulation = somewhere(lambda amount: f"Dab {amount:g}" if amount == 3 else None)
    Strokes(said.append).paint(simulation, 1, [dab(1), dab(3), dab(4)])
    assert said == ["Dab 3"]


@pytest.mark.parametrize(("engine", "problem", "dabs"), (LASTING | PASSING).values(), ids=[*LASTING, *PASSING])
def test_a_dab_beside_the_geometry_paints_nothing_and_is_told(cpu, engine, problem, dabs):
    """The nearest cell or neuron was painted, wherever it was, or nothing without a word."""
    simulation, said = engine().build(problem(), cpu), []
    low, high = (np.asarray(each, float) for each in simulation.geometry.bounds)
    radius = 0.1 * float((high - low).max())
    away = (float(high[0]) + 1.1 * radius, *map(float, (low + high)[1:] / 2))
    simulation.advance(3)
    stroke, before = Stroke(), simulation.state()
    for _ in range(2):  # a stroke that goes on beside it is told of once
        stroke.paint(simulation, [Dab(dabs[0].brush, away, radius, dabs[0].amount)], said.append)
    assert same(before, simulation.state())
    assert len(said) == 1
    assert said[0].startswith("Nothing is painted at (")
    assert "lies beside the geometry (x from" in said[0]
    stroke.paint(simulation, dabs[:1], said.append)
    assert not same(before, simulation.state())
    assert stroke.take_back(simulation) is Outcome.DONE
    assert same(before, simulation.state())


def test_where_a_plane_has_no_depth_nothing_is_beside_it():
    painted = []
    simulation = somewhere(painted.append)
    Strokes(print).paint(simulation, 1, [dab(1, (0.5, 0.5, 7.0)), dab(2, (1.05, 0.5, 0.0)), dab(3, (1.2, 0.5, 0.0))])
    assert painted == [1, 2]
