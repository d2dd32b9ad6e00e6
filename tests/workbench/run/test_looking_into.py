"""A simulation is told once who is looked into, and when nobody is."""

from __future__ import annotations

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
