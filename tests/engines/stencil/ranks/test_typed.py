"""Typed equations on slabs have the bits of the whole grid: methods, sides, noise, places, paint, checkpoints."""

import numpy as np
import pytest

from engines.api import Dab
from engines.api.errors import ProblemError
from engines.api.simulation.contract import of_changes
from tests.cuda_on_host import COMPILER
from tests.engines.ranks.led import PatientBackend, PatientHostCuda, led_runs, same_states
from tests.engines.ranks.threads import on_each
from tests.engines.stencil.equations.typed import CLOSED, ENGINE, PERIODIC, plane, typed

BOX = {"kind": "3D", "cells_x": 18, "cells_y": 7, "cells_z": 23, "size_x": 18.0, "size_y": 7.0, "size_z": 23.0}
VARIED = {
    "y_low": {"kind": "value", "value": "sin(x + t)"},
    "y_high": {"kind": "gradient", "gradient": "0.1*z + y/26"},
    "z_low": {"kind": "exchange", "coefficient": "0.1", "outside": "1 + t"},
    "z_high": {"kind": "value", "value": "y"},
}
OF_PLACE = ("du/dt = D*laplacian(u) + 0.1*sin(y + z)*v", "dv/dt = u - v + 0.2*xi")
TURNED = (OF_PLACE[0], "dv/dt = u - v + dz(u)")
STORED = ("mu = u**3 - u - laplacian(u) + 0.01*y", "w = dy(mu)*D", "du/dt = laplacian(mu) + dx(w)")
RUNS = {
    "places, noise": (OF_PLACE, plane(22, 26), CLOSED, "Euler"),
    "places, noise, periodic": (OF_PLACE, plane(22, 26), PERIODIC, "AB2"),
    "in a box": (OF_PLACE, BOX, VARIED, "Euler"),
    "in a periodic box": (TURNED, BOX, PERIODIC, "RK4"),
    "stored": (STORED, plane(22, 40), CLOSED, "RK4"),
    "stored, periodic": (STORED, plane(22, 30), PERIODIC, "Euler"),
}
DEVICES = {"cpu": PatientBackend, "cuda": PatientHostCuda}


def posed(name, **others):
    lines, grid, sides, method = RUNS[name]
    method = others.pop("method", method)
    names = [line.split("/")[0][1:] for line in lines if "/dt" in line]
    starts = dict.fromkeys(names, "0.3*noise(3) + 0.2*sin(y)")
    own = {each: {**CLOSED, **VARIED} for each in names} if sides is VARIED else {}
    given = {"sides": CLOSED if own else sides, "own": own, "step": 0.01, **others}
    return typed(lines, starts, {"D": 0.2}, grid, method=method, **given)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", RUNS)
def test_slabs_have_the_bits_of_the_whole(name, device):
    if device == "cuda" and COMPILER is None:
        pytest.skip("no C++ compiler, or not Linux")
    with led_runs(ENGINE, DEVICES[device]) as make:
        many, one = make(posed(name), 2 + (name != "stored"))
        for simulation in (many, one):
            simulation.advance(7)
            if device == "cpu":  # a GPU's dab is of single precision, from the corner of what a rank has
                simulation.paint(Dab(simulation.brushes[0].name, (4.0, 8.6, 7.7), 5.0, 0.5, False))
        for info in one.fields:
            np.testing.assert_array_equal(many.field(info.name), one.field(info.name), info.name)
        for simulation in (many, one):
            simulation.set_control("equation.parameters.0.value", 0.1)
            simulation.advance(5)
        assert same_states(many, one)
        first, second = many.observe(), one.observe()
        assert first.keys() == second.keys()
        for series, value in second.items():
            assert first[series] == pytest.approx(value, rel=1e-6, abs=1e-5)
        kept = many.state()
        one.restore(kept)
        many.restore(kept)
        for simulation in (many, one):
            simulation.advance(3)
        assert same_states(many, one)


def test_a_parameter_is_refused_by_all_ranks_where_one_of_them_has_to():
    """D u² is stiff where u is large, on one rank alone."""
    lines, starts = "du/dt = div((D*u**2)*grad(u))", {"u": "where(y > 20, 3, 0.1)"}
    with led_runs(ENGINE) as make:
        many, one = make(typed(lines, starts, {"D": 0.2}, plane(22, 26), sides=CLOSED, step=0.02), 3)
        for simulation in (many, one):
            with pytest.raises(ProblemError, match=r"With D = 2 the time step of 0.02 s is not stable"):
                simulation.set_control("equation.parameters.0.value", 2.0)
            simulation.advance(4)
        assert same_states(many, one)


def test_what_a_change_makes_wrong_is_told_of_the_cells_of_all_ranks():
    """What reacts fast lies on the last rank alone; a restored run says it again, and one that is as it began does
    not."""
    lines = "du/dt = 0.01*laplacian(u) - k*where(y > 20, 1, 0.01)*u"
    with led_runs(ENGINE) as make:
        many, one = make(typed(lines, {"u": "1"}, {"k": 0.1}, plane(22, 26), sides=CLOSED, step=0.2), 3)
        begun = many.state()
        for simulation in (many, one):
            simulation.advance(4)
            assert not of_changes(simulation)
            simulation.set_control("equation.parameters.0.value", 3.0)
        (told,) = of_changes(many)
        assert "what reacts at 3/s as the fields are now" in told.message
        assert of_changes(one) == (told,)
        changed = many.state()
        many.restore(begun)
        assert not of_changes(many)
        many.restore(changed)
        assert of_changes(many) == (told,)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (posed("places, noise", method="IMEX"), "Diffusion that is taken implicitly is solved for on one rank"),
        (posed("stored, periodic", method="RK4"), "reaches across 12 rows, and of 30 rows the thinnest of 3 ranks has"),
        (
            posed("places, noise", own={"u": PERIODIC, "v": CLOSED}),
            "Along y some fields are periodic and others are not",
        ),
    ],
)
def test_what_runs_on_one_rank_is_said_in_a_sentence(problem, said):
    def refused(ranks):
        with pytest.raises(ProblemError, match=said):
            ENGINE.build_part(problem, PatientBackend(), ranks)
        return True

    assert all(on_each(3, refused))
