"""Ranges of colours that a field is shown in."""

import numpy as np
import pytest

from engines.stencil.watch.colours import colours, field_range
from tests.engines.stencil.equations.typed import built
from tests.engines.stencil.problems import CUBE, ENGINE, problem


@pytest.mark.parametrize(
    ("values", "held", "shown", "colours_"),
    [
        ((0.0, 0.99995), (), (0.0, 1.0), "viridis"),
        ((0.0, 1.0), (), (0.0, 1.0), "viridis"),
        ((0.03, 0.3712), (), (0.03, 0.38), "viridis"),
        ((-0.31, 0.99), (), (-1.0, 1.0), "diverging"),
        ((0.0, 0.0), (2.0,), (0.0, 2.0), "viridis"),
        ((0.0, 0.0), (), (0.0, 1.0), "viridis"),
        ((-3e9, -1e9), (), (-3e9, -1e9), "viridis"),
        ((1.0, 1.0), (), (0.5, 1.5), "viridis"),
        ((-4.0, -4.0), (), (-6.0, -2.0), "viridis"),
    ],
)
def test_colour_ranges_have_round_ends(values, held, shown, colours_):
    found = field_range(np.array(values, np.float32), held)
    assert found == pytest.approx(shown, rel=1e-9)
    assert colours(found, "viridis") == colours_


@pytest.mark.parametrize(
    ("grid", "source", "largest"),
    [
        # u of a uniform source between cold sides: 0.0737 s L² in a square, 0.0562 s L³/L in a cube (series solution)
        ({"kind": "2D", "cells_x": 32, "cells_y": 32}, {"kind": "uniform", "value": 0.5}, 0.0737 * 0.5 * 100**2),
        ({"kind": "3D", "cells_x": 16, "cells_y": 16, "cells_z": 16}, {"kind": "uniform"}, 0.0562 * 100**2),
    ],
)
def test_the_colours_of_poisson_span_the_solution(cpu, grid, source, largest):
    """To a third, which is what the estimate of the range is for."""
    simulation = ENGINE.build(problem({"kind": "Poisson", "source": source}, grid), cpu)
    assert simulation.fields[0].range[1] == pytest.approx(largest, rel=0.34)


def test_the_colours_of_charges_show_both_signs(cpu):
    charges = [{"center": (3.5, 4.0, 2.0), "strength": 2.0}, {"center": (6.5, 4.0, 2.0), "strength": -1.0}]
    given = problem({"kind": "Poisson", "source": {"kind": "point charges", "charges": charges}}, CUBE)
    info = ENGINE.build(given, cpu).fields[0]
    assert info.colormap == "diverging"
    assert info.range[0] == -info.range[1] != 0


@pytest.mark.parametrize(
    ("start", "shown", "guessed"),
    [("1", (0.5, 1.5), True), ("0", (-1.0, 1.0), True), ("where(x < 5, 1, 0)", (0.0, 1.0), False)],
)
def test_a_typed_field_that_begins_the_same_everywhere_may_become_less_or_more(cpu, start, shown, guessed):
    info = built(cpu, "du/dt = laplacian(u)", {"u": start}).fields[0]
    assert (info.range, info.guessed) == (shown, guessed)
    assert built(cpu, "du/dt = laplacian(u) + xi", {"u": start}).fields[0].guessed, "noise may drive it anywhere"
