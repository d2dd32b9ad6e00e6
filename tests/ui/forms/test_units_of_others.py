"""Units that another field says: lengths in the unit of the grid."""

import pytest

from engines.api.parameters import unit_among
from engines.fdtd.parameters import FdtdParameters, PointSource, Sphere
from engines.fdtd.parameters.monitors import SPECTRAL
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import Connection, NormalDelay, NormalWeight
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.parameters.neurons import AdaptiveExponential, ConductanceLif
from engines.spiking.parameters.populations import Population
from tests.ui.forms.holder import Holder
from ui.forms.group import FieldLine
from ui.forms.schema import plain


@pytest.mark.parametrize(
    ("unit", "found"),
    [("{grid.length_unit}", "µm"), ("A·{grid.length_unit}", "A·µm"), ("S/m", "S/m"), ("{grid.time_unit}", "")],
)
def test_braces_name_a_field_around(unit, found):
    assert unit_among(unit, ({"radius": 1.0}, {"grid": {"length_unit": "um"}})) == found


@pytest.mark.parametrize(
    ("given", "length", "found"),
    [("wavelength", "mm", "mm"), ("frequency", "um", "THz"), ("frequency", "mm", "GHz"), ("frequency", "m", "MHz")],
)
def test_what_a_number_is_given_as_says_its_unit(given, length, found):
    assert unit_among(SPECTRAL, ({"given": given}, {"grid": {"length_unit": length}})) == found
    assert unit_among(SPECTRAL, ()) == ""


def test_lengths_are_labelled_with_the_unit_of_the_grid(qtbot):
    """In a group, in an item of a list of unions, in a group within that, and in a row."""
    holder = Holder(qtbot, FdtdParameters, FdtdParameters(objects=[Sphere()], sources=[PointSource()]))

    def label(*path):
        line = holder.editor(*path).parentWidget()
        assert isinstance(line, FieldLine)
        return line.unit_text()

    places = [
        ("grid", "size_x"),
        ("objects", 0, "radius"),
        ("objects", 0, "center"),
        ("sources", 0, "signal", "wavelength"),
    ]
    assert {label(*path) for path in places} == {"µm"}
    assert label("sources", 0, "moment") == "A·µm"
    holder.edit(("grid", "length_unit"), "mm")
    assert {label(*path) for path in places} == {"mm"}
    assert label("grid", "cells_x") == ""


def test_weights_and_currents_have_the_unit_of_the_neurons_that_they_go_to(qtbot):
    """Of the population that the connection's target names; of all where they are alike. Those by equations of one's
    own say their unit there."""
    leaky, adaptive = Population(name="A"), Population(name="B", neuron=AdaptiveExponential())
    own = Population(name="C", neuron=OwnNeuron())
    to_each = [Connection(source="A", target=target) for target in ("A", "B", "C", "all")]
    holder = Holder(
        qtbot, SpikingParameters, SpikingParameters(populations=[leaky, adaptive, own], connections=to_each)
    )

    def label(*path):
        line = holder.editor(*path).parentWidget()
        assert isinstance(line, FieldLine)
        return line.unit_text()

    def of_weights():
        return [label("connections", place, "weight", "weight") for place in range(4)]

    assert of_weights() == ["mV", "nS", "", ""]
    assert [label("populations", place, "external", "weight") for place in range(3)] == ["mV", "nS", ""]
    assert [label("populations", place, "external", "current") for place in range(3)] == ["mV", "pA", ""]
    holder.edit(("populations", 1, "neuron", "synapses"), "current")
    assert of_weights() == ["mV", "pA", "", ""]
    for place in (1, 2):
        holder.edit(("populations", place, "neuron"), plain(ConductanceLif()))
    assert of_weights() == ["mV", "g_leak", "g_leak", ""]
    holder.edit(("populations", 0, "neuron"), plain(ConductanceLif()))
    assert of_weights() == ["g_leak"] * 4


def test_no_two_fields_of_a_connection_have_one_name(qtbot):
    connection = Connection(source="A", target="A", weight=NormalWeight(), delay=NormalDelay())
    holder = Holder(
        qtbot, SpikingParameters, SpikingParameters(populations=[Population(name="A")], connections=[connection])
    )
    titles = [names for names, _ in holder.form.fields() if names[0] == "Connections"]
    assert len(set(titles)) == len(titles)
    lasts = [names[-1] for names in titles]
    assert {"Weights", "Weight", "Delays", "Delay"} < set(lasts)
    assert lasts.count("Weight") == lasts.count("Delay") == 1
