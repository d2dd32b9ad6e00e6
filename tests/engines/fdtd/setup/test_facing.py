"""R and T that are none are told: before a run what is so by where things stand, at its end what is above 1."""

import pytest

from engines.api import Problem
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import FdtdParameters

ENGINE = FdtdEngine()
PULSE = {"kind": "pulse", "wavelength": 1.0}
BAND = {"first": 0.8, "last": 1.2, "count": 5}
SLAB = {"kind": "box", "low": (1.5, -1, -1), "high": (2.0, 5, 5), "material": "glass"}
GLASS = {"name": "glass", "permittivity": 2.25}


def wave(direction="+x", **more):
    return {"kind": "plane wave", "direction": direction, "polarization": "z", "signal": PULSE, **more}


def plane(name, position, measures="power", **more):
    return {"kind": "plane", "name": name, "position": position, "measures": measures, "frequencies": BAND, **more}


def problem(monitors, sources, objects=(SLAB,), **changes) -> Problem:
    grid = {"dimensions": "1D", "cells_x": 160, "size_x": 4.0}
    values = {
        "grid": grid, "faces": {"layer": 10}, "materials": [GLASS], "objects": list(objects), "sources": sources,
        "monitors": monitors, **changes,
    }  # fmt: skip
    return Problem(FdtdParameters.model_validate(values))


def ended(given, backend, until=100.0):
    run = ENGINE.build(given, backend)
    run.advance(round(until / run.dt))
    return [each.message for each in run.noticed()]


def before(given, backend, words):
    return [each.place for each in ENGINE.estimate(given, backend).findings if words in each.message]


@pytest.mark.parametrize(
    ("direction", "name", "position", "told"),
    [
        ("+x", "reflection", 1.0, False),
        ("+x", "reflection", 3.0, True),
        ("+x", "transmission", 3.0, False),
        ("+x", "transmission", 1.0, True),
        ("-x", "reflection", 1.0, True),
        ("-x", "transmission", 1.0, False),
        ("+x", "reflection", 1.7, False),  # within: may be meant
    ],
)
def test_planes_on_the_wrong_side_of_all_objects(cpu, direction, name, position, told):
    given = problem([plane("p", position, name)], [wave(direction)])
    assert before(given, cpu, "all objects, as the wave goes") == [("monitors", 0, "position")] * told
    assert not before(problem([plane("p", position, name)], [wave(direction)], objects=()), cpu, "all objects, as")


def test_waves_from_both_sides_are_told_where_one_is_meant(cpu):
    """T was 166,570."""
    both = [wave("+x"), wave("-x")]
    words = "Waves go along +x and -x: what is reflected"
    assert before(problem([plane("p", 3.0, "transmission")], both), cpu, words) == [("sources",)]
    assert not before(problem([plane("p", 3.0)], both), cpu, "Waves go along")
    assert not before(problem([plane("p", 3.0, "transmission")], [wave(), wave(amplitude=2)]), cpu, "Waves go along")


def test_a_curve_alone_above_one_is_told(cpu):
    """R + T was, and neither by itself: R = 2.8 behind a slab."""
    (told,) = [each for each in ended(problem([plane("p", 3.0, "reflection")], [wave()]), cpu) if "R is" in each]
    assert "no more than what comes in can leave: R is wrong by about as much" in told
    for name, position in (("reflection", 1.0), ("transmission", 3.0)):
        assert not ended(problem([plane("p", position, name)], [wave()]), cpu)


@pytest.mark.parametrize("position", [1.0, 0.3])
def test_more_than_passes_the_plane_of_which_it_is_a_part_is_told(cpu, position):
    """Before the wave's box only what comes back passes, of which what goes on was told as many times as much."""
    monitors = [plane("a", position), plane("b", 3.0, relative_to="a")]
    told = [each for each in ended(problem(monitors, [wave()]), cpu) if "times as much passes 'b' as 'a'" in each]
    assert len(told) == (position == 0.3)
