"""What a picture of a moment needs is copied with it: what is looked at and what is drawn over it, each once."""

import numpy as np
import pytest

import workbench as wb
from engines.api.simulation.shown import FieldInfo, FrontInfo, Lines, VectorInfo
from workbench.cli.runs.kept_moments import read_moment, write_moment
from workbench.project.project import ViewSettings
from workbench.run.moments import PictureMoment, take_moment


class Still:
    """A simulation that shows a field and nothing else."""

    step, time, front, geometry = 3, 0.5, None, None
    fields = tuple(FieldInfo(name, name, "", "cell", (0, 1)) for name in ("u", "times", "damage"))

    def field(self, name):
        return np.array([name])


class Rich(Still):
    """One that shows all that there is."""

    front = FrontInfo("times", 1.0, crossing="u")
    vectors = (VectorInfo("E", "E", "V/m", ("Ex", "Ey", "")), VectorInfo("H", "H", "A/m", ("Hx", "Hy", "Hz")))
    displaced = FieldInfo("moved", "moved", "mm", "cell", (0, 1), components=3)
    hidden_by = "damage"


@pytest.mark.parametrize(
    ("simulation", "view", "copied"),
    [
        (Still(), {}, ["u"]),
        (Still(), {"field": "times", "arrows": "E", "front_inside": True}, ["times"]),
        (Still(), {"field": "gone"}, ["u"]),
        (Rich(), {}, ["u", "times", "moved", "damage"]),
        (Rich(), {"front": False, "front_inside": True}, ["u", "moved", "damage"]),
        (Rich(), {"field": "damage", "front_inside": True}, ["damage", "times", "u", "moved"]),
        (Rich(), {"front": False, "arrows": "E"}, ["u", "Ex", "Ey", "moved", "damage"]),
        (Rich(), {"front": False, "arrows": "H"}, ["u", "Hx", "Hy", "Hz", "moved", "damage"]),
    ],
)
def test_a_moment_has_what_its_view_shows(simulation, view, copied):
    moment = take_moment(simulation, ViewSettings(**view))
    assert (moment.step, moment.time, moment.shifts, moment.traced) == (3, 0.5, {}, None)
    assert {name: list(values) for name, values in moment.values.items()} == {name: [name] for name in copied}


@pytest.mark.parametrize("displacements", [None, np.full((2, 2, 3), 0.5)])
def test_a_moment_that_is_kept_to_be_drawn_later_is_the_same_then(tmp_path, displacements):
    lines = Lines(np.arange(12.0).reshape(2, 2, 3), displacements)
    shifts = {("penetrators", 0): (0.0, 0.1, -2.0)}
    values = {"u/v": np.arange(3, dtype=np.float32), "displacement": np.ones((3, 3))}
    for traced in (lines, None):
        moment = PictureMoment(150, 0.3, values, shifts, traced)
        write_moment(tmp_path / "kept.npz", moment)
        again = read_moment(tmp_path / "kept.npz")
        assert (again.step, again.time, again.shifts) == (150, 0.3, shifts)
        assert list(again.values) == list(values)
        assert all(np.array_equal(again.values[name], each) for name, each in values.items())
        if traced is None:
            assert again.traced is None
        else:
            assert again.traced is not None
            np.testing.assert_array_equal(again.traced.segments, lines.segments)
            np.testing.assert_array_equal(again.traced.displacements, displacements)


def test_pictures_have_what_a_window_has_of_a_scar():
    """A window shows no voltage there; pictures without one had the cells' own, at rest or from before."""
    with wb.simulate(wb.open("scarred_slab"), device="cpu") as run:
        run.advance(5)
        moment = run._ask(lambda simulation: take_moment(simulation, ViewSettings(field="voltage")))
        scar = np.asarray(run.field("scar")) == 1
    assert scar.any()
    np.testing.assert_array_equal(np.isnan(moment.values["voltage"]), scar)
