"""A simulation is told once who is looked into, and when nobody is."""

from functools import partial

import numpy as np
import pytest

from engines.api import Lines, Markers
from engines.api.charts import Inspection, Links
from engines.api.simulation.contract import BrokenContract
from workbench.run import viewing
from workbench.run.frames import FrameRequest
from workbench.run.viewing import FrameSource


class Told:
    """A simulation that notes what it is told."""

    charts = ()
    step = 3
    time = 0.3

    def __init__(self):
        self.told = []

    def look_into(self, element):
        self.told.append(element)

    def inspect(self, element):
        assert self.told[-1] == element

    def shifts(self):
        return {}


def test_a_simulation_is_told_who_is_looked_into():
    simulation, source = Told(), FrameSource()
    for element in (None, 5, 5, 7, None, 7):
        source.request = FrameRequest(1, {}, element=element)
        source.answer(simulation)
        source.answer(simulation)
    source.request = None
    source.answer(simulation)
    assert simulation.told == [5, 7, None, 7, None]


@pytest.mark.parametrize(
    "asked", [{"markers"}, {"lines"}, {"markers", "lines"}, set()], ids=["marks", "lines", "both", "none"]
)
def test_what_is_marked_and_drawn_is_asked_of_a_run_where_a_view_shows_it(asked):
    """It may be as much as a frame."""
    told = {"markers": Markers(PLACES, SIGNS), "lines": Lines(PAIRS, PAIRS)}

    class Seen(Told):
        marked, lined = None, ""

        def markers(self):
            self.told.append("markers")
            return told["markers"]

        def lines(self):
            self.told.append("lines")
            return told["lines"]

    simulation, source = Seen(), FrameSource()
    source.request = FrameRequest(1, {}, **{name: name in asked for name in told})
    source.answer(simulation)
    frame = source.frames.take()
    assert set(simulation.told) - {None} == asked
    assert {name: getattr(frame, name) for name in told} == {
        name: told[name] if name in asked else None for name in told
    }


PLACES, SIGNS, PAIRS = np.zeros((3, 3)), np.array([1.0, -1.0, 1.0]), np.zeros((3, 2, 3))
LINKED, TORN = (Inspection("a", (), links=Links("b", "1", (0.0, 1.0), PAIRS, values)) for values in (SIGNS, SIGNS[:2]))


@pytest.mark.parametrize(
    ("look", "name", "right", "wrong"),
    [
        (viewing._markers, "markers", Markers(PLACES, SIGNS), Markers(PLACES, SIGNS[:2])),
        (viewing._lines, "lines", Lines(PAIRS, PAIRS), Lines(PAIRS, PAIRS[:2])),
        (partial(viewing._inspection, element=4), "inspect", LINKED, TORN),
        (partial(viewing._measurement, first=4, second=7), "measure", LINKED, TORN),
    ],
    ids=["markers", "lines", "inspect", "measure"],
)
def test_what_is_seen_of_a_run_is_what_it_says_in_the_shape_that_is_agreed(look, name, right, wrong):
    """Nothing of one that says nothing of the kind."""
    assert look(object()) is None
    asked = []

    def simulation(answer):
        told = {name: lambda self, *elements: asked.append(elements) or answer, "marked": None, "lined": ""}
        return type("Seen", (), told)()

    assert look(simulation(right)) is right
    assert look(simulation(None)) is None
    with pytest.raises(BrokenContract):
        look(simulation(wrong))
    assert asked == [tuple(getattr(look, "keywords", {}).values())] * 3
