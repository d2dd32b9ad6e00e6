"""Planes and boxes on a face of a source have the fields of both sides: this is told, and of no others."""

import numpy as np
import pytest

from engines.api import Problem
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.monitors.flux import FluxWatcher
from engines.fdtd.parameters import FdtdParameters

ENGINE = FdtdEngine()
GRID = {"dimensions": "2D", "cells_x": 80, "cells_y": 24, "size_x": 4.0, "size_y": 1.2}
BESIDE = {"y_low": "periodic", "y_high": "periodic", "layer": 10}
PULSE = {"kind": "pulse", "wavelength": 1.0}
WAVE = {"kind": "plane wave", "direction": "+x", "polarization": "y", "signal": PULSE}
BAND = {"first": 0.8, "last": 1.2, "count": 3}


def problem(*monitors, source=WAVE, **changes) -> Problem:
    given = [{"frequencies": BAND, "name": f"m{k}", **each} for k, each in enumerate(monitors)]
    values = {"grid": GRID, "faces": BESIDE, "sources": [source], "monitors": given, **changes}
    return Problem(FdtdParameters.model_validate(values))


def plane(position, measures="power", axis="x", **more):
    return {"kind": "plane", "axis": axis, "position": position, "measures": measures, **more}


def told(given: Problem, backend):
    return [each for each in ENGINE.estimate(given, backend).findings if "lies on a face of" in each.message]


def test_what_is_summed_on_a_face_is_wrong_and_beside_it_right(cpu):
    """The plane wave's box is x = 0.7 … 3.3. The pulse's power is the same in all of it, to a hundredth (reflection of
    the layers); on both faces it is half."""
    places = (0.7, 0.75, 2.0, 3.25, 3.3)
    given = problem(*(plane(x) for x in places))
    run = ENGINE.build(given, cpu)
    run.advance(round(60 / run.dt))
    inside = np.array([each.energy() for each in run.watchers if isinstance(each, FluxWatcher)])
    np.testing.assert_allclose(inside[[1, 3]] / inside[2], 1.0, atol=0.02)
    np.testing.assert_allclose(inside[[0, 4]] / inside[2], 0.5, atol=0.1)
    found = told(given, cpu)
    assert [each.place for each in found] == [("monitors", 0), ("monitors", 4)]
    assert all(each.distorts for each in found)
    assert [each.remedy.changes for each in found] == [
        {("monitors", 0, "position"): 0.75}, {("monitors", 4, "position"): 3.25},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("monitors", "on"),
    [
        ([plane(3.3, "transmission")], [0]),
        ([plane(3.32, "transmission")], [0]),  # the node of which is that
        ([plane(0.7, "reflection"), plane(3.0, "transmission")], []),  # a difference, over what comes at 3.0
        ([plane(0.7, "reflection")], [0]),
        ([plane(0.6, "reflection"), plane(3.4)], []),
        ([plane(0.7, axis="y")], []),
        ([{"kind": "box", "low": (0.7, 0.3, 0), "high": (3.0, 0.9, 9)}], [0]),
        ([{"kind": "box", "low": (0.5, 0.3, 0), "high": (3.5, 0.9, 9)}], []),
    ],
)
def test_which_are_told(cpu, monitors, on):
    assert [each.place[1] for each in told(problem(*monitors), cpu)] == on


def test_an_oblique_wave_has_faces_all_around(cpu):
    source = {"kind": "oblique plane wave", "theta": 90.0, "phi": 30.0, "signal": PULSE}
    monitors = plane(0.7), plane(0.7, axis="y"), plane(0.75, axis="y")
    given = problem(*monitors, source=source, faces={"layer": 10}, grid={**GRID, "cells_y": 60, "size_y": 3.0})
    assert [each.place[1] for each in told(given, cpu)] == [0, 1]


@pytest.mark.parametrize(
    "source",
    [
        {"kind": "Gaussian beam", "sheet": 0.8, "focus": (2.0, 1.5, 0), "waist": 0.6, "signal": PULSE},
        {"kind": "waveguide mode", "place": (0.8, 1.5, 0), "size": (0, 1.8, 0), "signal": PULSE},
    ],
    ids=["beam", "mode"],
)
def test_a_sheet_is_a_face(cpu, source):
    """Half of the power is told on it, as far as the field before it goes with the wave."""
    guide = {"kind": "box", "low": (-1, 1.35, -9), "high": (9, 1.65, 9)}
    given = problem(
        plane(0.8), plane(0.85), plane(0.9), source=source, faces={"layer": 10}, objects=[guide] * ("place" in source),
        grid={**GRID, "cells_y": 60, "size_y": 3.0},
    )  # fmt: skip
    run = ENGINE.build(given, cpu)
    run.advance(round(60 / run.dt))
    on, beside, next_to_it = (each.energy() for each in run.watchers if isinstance(each, FluxWatcher))
    np.testing.assert_allclose(beside / next_to_it, 1.0, atol=0.02)
    np.testing.assert_allclose(on / next_to_it, 0.5, atol=0.1)
    (finding,) = told(given, cpu)
    assert finding.remedy.changes == {("monitors", 0, "position"): 0.85}


ROD = {"kind": "box", "low": (1.7, 1.7, -9), "high": (2.3, 2.3, 9), "material": "lossy"}
LOSSY = {"name": "lossy", "permittivity": 4.0, "conductivity": 1e4}
SQUARE = {
    "grid": {"dimensions": "2D", "cells_x": 80, "cells_y": 80, "size_x": 4.0, "size_y": 4.0},
    "faces": {"layer": 10}, "materials": [LOSSY], "objects": [ROD],
}  # fmt: skip
UP = {**WAVE, "polarization": "z"}


def around(measures, low):
    return {"kind": "box", "measures": measures, "low": (low, low, 0), "high": (4 - low, 4 - low, 0)}


def misplaced(given, backend):
    return [each for each in ENGINE.estimate(given, backend).findings if "does not stand" in each.message]


def test_cross_sections_of_boxes_on_the_wrong_side_are_told(cpu):
    """The wave's box is 0.7 … 3.3 along both. They were negative, or a quarter, without a word; what is not told is
    that of the others within a hundredth."""
    wanted = [("scattering", each) for each in (0.55, 0.65, 0.7, 0.75)]
    wanted += [("absorption", each) for each in (1.0, 0.75, 0.7, 0.65)]
    given = problem(*(around(*each) for each in wanted), source=UP, **SQUARE)
    run = ENGINE.build(given, cpu)
    run.advance(round(60 / run.dt))
    found = run.results()
    sections = np.array([found[f"cross_sections/m{k} [µm]"] for k in range(len(wanted))])
    on = [each.place[1] for each in misplaced(given, cpu)]
    assert on == [2, 3, 6, 7]
    for first in (0, 4):
        for k in range(first, first + 4):
            off = np.abs(sections[k] / sections[first] - 1)
            assert (off > 0.5).all() if k in on else (off < 0.01).all(), wanted[k]


@pytest.mark.parametrize(("measures", "low", "moved"), [("scattering", 0.7, 0.6), ("absorption", 0.5, 0.75)])
def test_a_box_on_the_wrong_side_is_moved(cpu, measures, low, moved):
    (finding,) = misplaced(problem(around(measures, low), source=UP, **SQUARE), cpu)
    assert finding.distorts
    assert "(x 0.7 to 3.3, y 0.7 to 3.3)" in finding.message
    assert finding.remedy.changes == {
        ("monitors", 0, "low"): [moved, moved, 0], ("monitors", 0, "high"): [4 - moved, 4 - moved, 0],
    }  # fmt: skip
    assert not misplaced(problem(around(measures, moved), source=UP, **SQUARE), cpu)


def test_a_box_in_a_part_of_the_waves_box_is_told(cpu):
    """Where nothing absorbs or scatters as much comes out as goes in. The window's new box told a quarter of what
    passes."""
    boxes = [(1.0, 2.5), (0.6, 3.4), (2.0, 3.4), (3.35, 3.5)]
    given = problem(plane(2.0), *({"kind": "box", "low": (x, 0.1, 0), "high": (X, 1.1, 0)} for x, X in boxes))
    run = ENGINE.build(given, cpu)
    run.advance(round(80 / run.dt))
    found = run.results()
    passes, *out = (
        np.abs(next(values for name, values in found.items() if name.startswith(f"m{number}/energy")))
        for number in range(5)
    )
    told_of = misplaced(given, cpu)
    wrong = [number for number, energy in enumerate(out, 1) if (energy > 0.05 * passes).any()]
    assert [each.place[1] for each in told_of] == wrong == [3]
    assert told_of[0].remedy.changes["monitors", 3, "high"][0] == pytest.approx(3.25)


def test_an_object_beside_the_waves_box_is_told(cpu):
    beside = [
        {**ROD, "low": (1.0, 1.7, -9), "high": (1.2, 2.3, 9)},
        {**ROD, "low": (2.0, 1.7, -9), "high": (2.2, 2.3, 9)},
    ]
    for margin, told_of in ((20, True), (4, False)):
        given = problem(source={**UP, "margin": margin}, **{**SQUARE, "objects": beside})
        found = [each for each in ENGINE.estimate(given, cpu).findings if "is not lit by it" in each.message]
        assert [each.place for each in found] == [("sources", 0)] * told_of
        assert all(each.message.startswith("Object 1 lies beside the box of source 1") for each in found)


@pytest.mark.parametrize(
    ("place", "faces", "share"),
    [((2.0, 2.0, 0), {}, 1.0), ((1.5, 2.0, 0), {}, 0.5), ((1.5, 1.5, 0), {}, 0.25), ((1.2, 2.0, 0), {}, 0.0)],
)
def test_a_dipole_on_a_face_of_a_box_is_told(cpu, place, faces, share):
    source = {"kind": "dipole", "place": place, "axis": "z", "signal": PULSE}
    given = problem(
        {"kind": "box", "low": (1.5, 1.5, 0), "high": (2.5, 2.5, 0)}, source=source, **{**SQUARE, "objects": []}
    )
    run = ENGINE.build(given, cpu)
    run.advance(round(60 / run.dt))
    whole = 2.0901e-32  # [J/Hz/m] of a box around it
    np.testing.assert_allclose(next(iter(run.watchers)).energy()[1] / whole, share, atol=0.02)
    found = [
        each for each in ENGINE.estimate(given, cpu).findings if "stands on a face of monitor 'm0'" in each.message
    ]
    assert [each.distorts for each in found] == [True] * (0 < share < 1)


def test_a_dipole_at_the_mirror_in_which_a_box_ends_is_none(cpu):
    source = {"kind": "dipole", "place": (2.0, 0.0, 0), "axis": "z", "signal": PULSE}
    given = problem(
        {"kind": "box", "low": (1.5, 0.0, 0), "high": (2.5, 0.5, 0)}, source=source,
        **{**SQUARE, "objects": [], "faces": {"layer": 10, "y_low": "symmetric"}},
    )  # fmt: skip
    assert not [each for each in ENGINE.estimate(given, cpu).findings if "stands on a face" in each.message]
