"""Many steps of a small body in one launch are the usual steps, to the last bit."""

import numpy as np
import pytest

from engines.backend.compile.nvrtc import ARCHITECTURES
from engines.backend.compile.source import ENGINES
from engines.backend.compile.variants import declared
from engines.peridynamics.lattice.cuda import CudaSolver
from engines.peridynamics.lattice.layout import Layout
from engines.peridynamics.lattice.small.arranging import arrangements, parts_of
from engines.peridynamics.lattice.small.cuda import SOURCE
from tests.compiled import resources_of
from tests.engines.peridynamics.lattice.test_solver import DECAY, STRETCH, discretised, parameters
from tests.engines.peridynamics.lattice.test_weighted import made

STEPS = 13


def both(on_host, body, table, precision, decay=1.0):
    """Solvers after STEPS steps, the usual way and in three launches (one of them of one step)."""
    usual = CudaSolver(on_host, body, precision)
    on_host.cooperative = True
    many = CudaSolver(on_host, body, precision)
    assert usual._many is None
    assert many._many is not None
    usual.advance(table[:STEPS], True, decay)
    for first, last in ((0, 6), (6, 7), (7, STEPS)):
        many.advance(table[first:last], first == 0, decay)
    assert [name for name, _ in on_host.compiled].count("steps.cu") >= (body.law is None)
    return usual, many


def same(usual, many):
    for name, values in usual.arrays.items():
        assert np.array_equal(values, many.arrays[name]), name


@pytest.mark.parametrize(("body", "precision"), [("plate", "float32"), ("block", "float32")])
def test_a_small_body_is_as_with_a_launch_a_step(on_host, body, precision):
    """Bonds break on the way, and held, pushed and free particles are there; the plate is damped."""
    lattice, loads, _ = discretised(parameters(body, 3), STRETCH)
    usual, many = both(on_host, lattice, loads.table(0, STEPS), precision, DECAY[body])
    assert (usual.arrays["words"] != lattice.words).any()
    assert np.abs(usual.arrays["u"]).max() > 0
    same(usual, many)


@pytest.mark.parametrize(("body", "reach", "softening", "precision"), [("plate", 3, True, "float64")])
def test_with_all_that_bonds_may_differ_in(on_host, body, reach, softening, precision):
    lattice, table, _, _ = made(body, reach, softening)
    usual, many = both(on_host, lattice, table, precision, 0.99)
    assert usual.arrays["history"].max() > 0
    same(usual, many)


def test_bonds_may_be_kept_from_breaking(on_host):
    on_host.cooperative = True
    lattice, loads, _ = discretised(parameters("plate", 3), STRETCH)
    solver = CudaSolver(on_host, lattice, "float32")
    solver.let_break(False)
    solver.advance(loads.table(0, STEPS), True)
    assert np.array_equal(solver.arrays["words"], lattice.words)
    solver.let_break(True)
    solver.advance(loads.table(STEPS, 1), False)
    assert (solver.arrays["words"] != lattice.words).any()


def test_what_acts_between_steps_gets_a_launch_a_step(on_host):
    class Counted:
        steps = 0

        def step(self, row):
            self.steps += 1

    on_host.cooperative = True
    lattice, loads, _ = discretised(parameters("plate", 3), STRETCH)
    solver, counted = CudaSolver(on_host, lattice, "float32"), Counted()
    solver.followed_by([counted])
    solver.advance(loads.table(0, 3), True)
    assert counted.steps == 3


@pytest.mark.parametrize(("counts", "d"), [((63, 63, 1), 2), ((16, 16, 16), 3), ((5, 300, 1), 2)])
@pytest.mark.parametrize("bodies", [1, 132, 5000])
def test_blocks_of_a_body_that_wait_for_each_other_are_all_there_at_once(counts, d, bodies):
    def resident(threads, shared):
        return 132 * min(1024 // threads, 200_000 // shared)

    layout = Layout(counts, 3, d)
    for each in arrangements(layout, bodies, 4, d, 132, 256, resident):
        assert each.group == 1 or bodies * each.group <= resident(each.threads, each.shared)
        assert 1 <= each.group <= parts_of(layout, each.threads, each.columns, each.span)
        assert each.shared <= 64 * 1024
    best = arrangements(layout, bodies, 4, d, 132, 256, resident)[0]
    assert (best.group > 1) == (bodies < 5000)


@pytest.mark.slow
@pytest.mark.parametrize("architecture", [ARCHITECTURES[0], 90, 120])
@pytest.mark.parametrize("macros", declared((ENGINES / "peridynamics/lattice/bonds.cu").read_text()).variants)
def test_each_kind_of_bonds_compiles_without_spills(macros, architecture):
    own = [macro for macro in macros if not macro.startswith("-DPUSHED")]
    for kernel in resources_of(SOURCE, own, architecture):
        assert (kernel.stack, kernel.spill_stores) == (0, 0)
