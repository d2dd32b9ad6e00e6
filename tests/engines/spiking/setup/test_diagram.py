"""The network as a diagram: every synapse of the estimate is in one of its edges, with the sign that it has."""

import pytest

from engines.backend.cpu import CpuBackend
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import (
    ALL,
    Connection,
    ConstantWeight,
    FixedInputs,
    FixedOutputs,
    FixedTotal,
    NormalDelay,
    NormalWeight,
)
from engines.spiking.parameters.populations import Population
from engines.spiking.setup.checks import check
from engines.spiking.setup.diagram import network_diagram

POPULATIONS = [Population(number=300), Population(name="Inhibitory", number=100)]


def test_a_connection_to_all_is_an_edge_to_each_with_its_share():
    diagram = network_diagram(SpikingParameters())
    found = {(edge.source, edge.target): (edge.weight, edge.negative, edge.place) for edge in diagram.edges}
    assert found == {  # 2 % of all pairs of 3,200 and 800
        (0, 0): (204_800, False, ("connections", 0)),
        (0, 1): (51_200, False, ("connections", 0)),
        (1, 0): (51_200, True, ("connections", 1)),
        (1, 1): (12_800, True, ("connections", 1)),
    }
    assert [node.title for node in diagram.nodes] == ["Excitatory", "Inhibitory"]
    assert diagram.nodes[1].lines == ("800 neurons", "Leaky integrate-and-fire")
    assert diagram.nodes[1].place == ("populations", 1)
    assert diagram.title == "4\u202f000 neurons, 320\u202f000 synapses"


@pytest.mark.parametrize("rule", [FixedInputs(number=20), FixedOutputs(number=20), FixedTotal(number=5000)])
def test_edges_hold_the_synapses_of_the_estimate(rule):
    connections = [Connection(source="Inhibitory", target=ALL, rule=rule), Connection(source=ALL, rule=rule)]
    parameters = SpikingParameters(populations=POPULATIONS, connections=connections)
    diagram = network_diagram(parameters)
    for k, synapses in enumerate(check(parameters, CpuBackend())):
        mine = [edge.weight for edge in diagram.edges if edge.place == ("connections", k)]
        assert len(mine) == (2, 4)[k]
        assert sum(mine) == pytest.approx(synapses)


def test_labels_say_weight_delay_and_rule():
    connection = Connection(
        target="Inhibitory",
        rule=FixedInputs(number=20),
        weight=NormalWeight(weight=-4.0, spread=0.1),
        delay=NormalDelay(delay=1.5, spread=0.5),
    )
    missing = Connection(source="Nobody", weight=ConstantWeight(weight=1.0))
    diagram = network_diagram(SpikingParameters(populations=POPULATIONS, connections=[connection, missing]))
    (edge,) = diagram.edges  # one of a population that does not exist is the form's to tell
    assert edge.label == "weight −4 ± 0.4, 1.5 ± 0.75 ms, 20 inputs each, 2\u202f000 synapses"
    assert edge.negative
