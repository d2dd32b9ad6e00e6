"""Weights that are rounded to coarse quanta are told before a run, with the quantum that it has."""

from __future__ import annotations

import re

import numpy as np
import pytest

from engines.spiking.connectivity.layout import places_of, space
from engines.spiking.connectivity.wiring import wire
from engines.spiking.network.plan import Plan
from engines.spiking.parameters import SpikingParameters
from engines.spiking.setup.populations import spans
from engines.spiking.setup.quanta import coarse
from workbench.project.presets import open_preset, preset_called

SOURCES = {"name": "S", "number": 2, "neuron": {"kind": "poisson", "rate": 0.0}}
STRONG = {"name": "B", "number": 4000, "neuron": {"kind": "poisson", "rate": 0.0}}


def network(weight, strong=1000.0, external=None, **connection):
    populations = [SOURCES, {"name": "T", "number": 3, "external": external or {}}, STRONG]
    every = {"kind": "all to all"}
    connections = [
        {"source": name, "target": "T", "rule": every, "weight": {"kind": "constant", "weight": each}}
        for name, each in (("S", weight), ("B", strong))
    ]
    connections[0] |= connection
    return SpikingParameters.model_validate({"populations": populations, "connections": connections})


def drawn(parameters):
    populations = parameters.populations
    plan = Plan(tuple(populations), 0.1, 0, tuple(parameters.connections))
    where = space(places_of(populations))
    return wire(parameters.connections, spans(parameters), where, 0.1, 0, plan.largest_outside)


@pytest.mark.parametrize("weight", [0.1, 0.01, 0.001])
def test_weak_beside_strong(weight):
    """They were 17 % too large or none at all without a word. 4,000 spikes of 1000 mV at once leave 2^-8 mV."""
    parameters = network(weight)
    wiring = drawn(parameters)
    (finding,) = coarse(parameters)
    assert finding.place == ("connections", 0, "weight", "weight")
    assert finding.distorts
    quantum, off = wiring.quantum, abs(wiring.weights[:6] / weight - 1).max()
    assert f"multiples of about {quantum:.2g}, " in finding.message
    assert "Most of it comes from B to T: make" in finding.message
    if weight < quantum / 2:
        assert off == 1
        assert ", they become 0: " in finding.message
    else:
        assert off <= float(re.search(r"by up to ([\d.]+) %", finding.message)[1]) / 100


def test_what_is_fine_is_not_told():
    assert not [*coarse(network(1.0))]
    assert not [*coarse(network(0.001, strong=0.01))]
    assert not [*coarse(network(0.0))]
    for name in ("cuba_4000", "coba_4000", "brunel", "potjans_diesmann", "izhikevich_2003", "typed_stdp", "waves"):
        assert not [*coarse(open_preset(preset_called(name)).problem.parameters)], name


def test_weak_ones_from_outside_and_strong_ones_from_there():
    weak = network(1000.0, external={"rate": 10.0, "weight": 0.01})
    assert [each.place for each in coarse(weak)] == [("populations", 1, "external", "weight")]
    strong = network(1.0, strong=1.0, external={"rate": 10.0, "weight": 1e6})
    found = [*coarse(strong)]
    assert [each.place for each in found] == [("connections", k, "weight", "weight") for k in (0, 1)]
    assert f"about {drawn(strong).quantum:.2g}, " in found[0].message
    assert "comes from outside to T: make" in found[0].message


@pytest.mark.parametrize("kind", ["stdp", "own equations"])
def test_weights_that_change_count_by_what_they_may_give(kind):
    most = {"stdp": "highest", "own equations": "largest"}[kind]
    rule = {"kind": kind, most: 1e6, **({} if kind == "stdp" else {"on_pre": ["g_e_post += w*mV"]})}
    parameters = network(0.01, strong=0.01, plasticity=rule)
    found = [*coarse(parameters)]
    assert ("connections", 1, "weight", "weight") in [each.place for each in found]
    assert f"about {drawn(parameters).quantum:.2g}, " in found[0].message


def test_tables_count_by_their_weights(tmp_path):
    """The least but 0, and what a neuron hears of them all."""
    path = tmp_path / "table.npz"
    np.savez(path, pre=[0, 1, 0, 1], post=[0, 0, 1, 2], weight=[1e6, -3e6, 0.0, 0.001])
    parameters = network(1.0, strong=1.0, rule={"kind": "file", "path": str(path)})
    found = [*coarse(parameters)]
    assert found[0].place == ("connections", 0, "rule", "path")
    assert f"(0.001) are rounded to multiples of about {drawn(parameters).quantum:.2g}, " in found[0].message
