"""What a picture of a moment needs is copied with it: what is looked at and what is drawn over it, each once."""

import numpy as np
import pytest

from engines.api.simulation.shown import FieldInfo, FrontInfo, VectorInfo
from workbench.project.project import ViewSettings
from workbench.run.moments import take_moment


class Still:
    """A simulation that shows a field and nothing else."""

    step, time, front = 3, 0.5, None
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
