"""Parts that are led as one simulation: whatever is asked of them is what one simulation of the whole answers."""

import io

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.api.errors import NotLiveError, ProblemError
from engines.api.simulation.ranks import Part
from engines.ranks.following import BROKEN, follow
from engines.ranks.world import BUILD, World
from engines.stencil.engine import StencilEngine
from tests.engines.ranks.led import FakeComm, PatientBackend, as_sentence, led_runs, same_states
from tests.engines.ranks.threads import Post, ThreadRanks

PLATE = {
    "grid": {"kind": "2D", "cells_x": 24, "cells_y": 21, "size_x": 12.0, "size_y": 10.5},
    "equation": {"kind": "diffusion", "initial": {"kind": "noise", "low": 0.1, "high": 0.9, "seed": 3}},
}


@pytest.fixture
def led():
    """Makes a problem's simulation on so many ranks, and one on a single rank beside it."""
    with led_runs(StencilEngine()) as make:
        yield lambda size=3, **changes: make(
            Problem(StencilEngine.Parameters.model_validate(PLATE | changes), None), size
        )


def test_fields_series_and_states_are_those_of_one(led):
    many, one = led()
    for steps in (1, 30, 17):
        many.advance(steps)
        one.advance(steps)
    many.synchronize()
    assert (many.step, many.time) == (one.step, one.time)
    assert many.geometry.shape == one.geometry.shape
    for info in one.fields:
        np.testing.assert_array_equal(many.field(info.name), one.field(info.name))
        np.testing.assert_array_equal(many.on_device(info.name), one.on_device(info.name))
    assert same_states(many, one)
    observed, expected = many.observe(), one.observe()
    assert observed["largest"] == expected["largest"]
    assert observed["content"] == pytest.approx(expected["content"], rel=1e-14)
    assert many.non_finite() is None


def test_values_at_elements_and_means_over_runs_of_them_are_those_of_one(led):
    many, one = led()
    random = np.random.default_rng(0)
    elements = random.integers(0, one.geometry.n_cells, 60).astype(np.int32)
    offsets = np.array([0, 1, 7, 7, 30, 60], np.int32)
    for selection in (Selection(elements), Selection(elements, offsets), Selection(elements[:0])):
        handle = many.select(selection)
        assert len(handle) == len(selection)
        np.testing.assert_array_equal(many.gather("u", handle), one.gather("u", one.select(selection)))
    del handle
    many.select(Selection(elements))  # the ranks forget the one before


def test_dabs_and_live_parameters_reach_the_rank_that_they_concern(led):
    many, one = led()
    dabs = [Dab("source", (6.0, y, 0.0), 1.7, 40.0) for y in (1.0, 3.5, 9.0)]
    for simulation in (many, one):
        simulation.paint(dabs[0])
        simulation.advance(10)
        simulation.set_control("equation.diffusivity_scale", 0.5)
        simulation.paint(dabs[1])
        under = simulation.underneath(dabs[2], True)
        simulation.paint(dabs[2])
        simulation.advance(9)
        simulation.put_back(under)
        simulation.advance(4)
    mine, theirs = many.state(), one.state()
    for name in ("u", "source"):  # where a slab lies is added up otherwise: the last digit of float64
        np.testing.assert_allclose(mine[name], theirs[name], rtol=3e-7)
    assert mine["source"].any()


def test_a_state_of_some_ranks_opens_on_others(led):
    three, one = led()
    two, _ = led(2)
    for simulation in (three, one):
        simulation.paint(Dab("source", (6.0, 9.0, 0.0), 1.7, 40.0))
        simulation.advance(20)
    three.restore(one.state())
    for simulation in (two, one):
        simulation.restore(three.state())
        simulation.advance(11)
    assert same_states(two, one)
    with pytest.raises(ValueError, match="'u' has the shape"):
        two.restore({**one.state(), "u": np.zeros((5, 24), np.float32)})


def test_what_a_rank_refuses_is_said_and_all_go_on(led):
    many, one = led()
    with pytest.raises(NotLiveError):
        many.set_control("equation.initial.seed", 3)
    with pytest.raises(ProblemError, match="the time step is not stable"):
        many.set_control("equation.diffusivity_scale", 1e6)
    many._own.set_control = lambda name, value: None
    with pytest.raises(ProblemError, match="On rank 1: With a factor of 1e"):
        many.set_control("equation.diffusivity_scale", 1e6)
    for simulation in (many, one):
        simulation.advance(3)
    assert same_states(many, one)


def test_what_is_no_number_is_found_where_it_is(led):
    many, one = led()
    state = one.state()
    state["u"][15, 7] = np.nan
    for simulation in (many, one):
        simulation.restore(state)
    found, expected = many.non_finite(), one.non_finite()
    assert (found.element, found.field, found.advice) == (expected.element, expected.field, expected.advice)
    assert found.element == 15 * 24 + 7


def test_gray_scott_and_what_runs_on_one_rank_alone(led):
    many, one = led(2, equation={"kind": "Gray-Scott"})
    for simulation in (many, one):
        simulation.advance(25)
        simulation.set_control("equation.reaction.feed", 0.05)
        simulation.advance(5)
    assert same_states(many, one)
    engine = StencilEngine()
    for equation, said in (
        ({"kind": "Poisson"}, "Poisson's equation is solved on one rank"),
        ({"kind": "own equations", "method": "IMEX"}, "taken implicitly is solved for on one rank"),
    ):
        problem = Problem(engine.Parameters.model_validate(PLATE | {"equation": equation}), None)
        with pytest.raises(ProblemError, match=said):
            engine.build_part(problem, PatientBackend(), ThreadRanks(Post(2), 0))


def test_a_rank_that_fails_in_the_middle_of_steps_says_why_and_ends_all():
    """The others wait for what it would send them, and cannot hear an answer."""

    class Ended(BaseException):
        pass

    class Comm(FakeComm):
        def Abort(self, code):
            raise Ended(code)

    class Failing:
        def advance(self, steps):
            raise ProblemError("The GPU ran out of memory.")

    post, voice = Post(2), io.StringIO()
    leader, follower = World(Comm(post, 0)), World(Comm(post, 1), voice)
    leader.order(BUILD)
    leader.order("advance", 5)
    part = Part(Failing(), None, ((1, 2),), {})
    with pytest.raises(Ended) as caught:
        follow(follower, lambda: part, as_sentence)
    assert caught.value.args == (BROKEN,)
    assert voice.getvalue() == "Rank 1 of 2: The GPU ran out of memory.\n"
