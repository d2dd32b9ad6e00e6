"""What is drawn and cut off: where its mean is not the one that was asked for, that is told, and is what is drawn."""

from __future__ import annotations

import re

import numpy as np
import pytest

from engines.spiking.connectivity.wiring import Space, wire
from engines.spiking.network.plan import first_values
from engines.spiking.parameters import SpikingParameters
from engines.spiking.setup.cut_off import cut_off
from engines.spiking.setup.populations import spans

N = 400


def network(start=None, step=0.1, **connection):
    populations = [{"name": "one", "number": N, **({"start": {"kind": "normal", **start}} if start else {})}]
    join = {"source": "one", "target": "one", "rule": {"kind": "all to all"}, **connection}
    return SpikingParameters.model_validate(
        {"populations": populations, "connections": [join], "numerics": {"step": step}}
    )


def told(parameters):
    """The mean that the only finding says."""
    (finding,) = cut_off(parameters)
    return float(re.search(r"one of ([-\d.]+)", finding.message)[1])


def wired(parameters):
    space = Space(np.zeros((N, 3)), {0: 0.0}, {0: True})
    return wire(parameters.connections, spans(parameters), space, parameters.numerics.step, 1, np.zeros(N))


@pytest.mark.parametrize(
    ("mean", "spread", "step"), [(1.5, 2.0, 0.1), (1.5, 1.0, 0.1), (0.12, 0.0, 0.1), (1.5, 2.0, 1.0), (900.0, 8.0, 0.1)]
)
def test_delays_at_a_step(mean, spread, step):
    """Four standard errors of the mean of 160,000, and the digits that are told."""
    parameters = network(step=step, delay={"kind": "normal", "delay": mean, "spread": spread})
    delays = step * wired(parameters).delays
    assert told(parameters) == pytest.approx(delays.mean(), rel=5e-3, abs=4 * delays.std() / N)


@pytest.mark.parametrize("weight", [2.0, -0.25])
def test_weights_at_0(weight):
    parameters = network(weight={"kind": "normal", "weight": weight, "spread": 2.0})
    assert told(parameters) == pytest.approx(wired(parameters).weights.mean(), rel=1.5e-2)
    assert told(parameters) == pytest.approx(1.396 * weight, rel=5e-3)  # 1 + E[(−X)⁺], of a normal X around 1


@pytest.mark.parametrize("kind", ["constant", "normal", "lognormal"])
@pytest.mark.parametrize("bounds", [(0.0, 1.1), (1.2, 3.0)])
def test_first_weights_at_the_bounds_of_their_rule(kind, bounds):
    weight = {"kind": kind, "weight": 1.15, **({} if kind == "constant" else {"spread": 0.4})}
    rule = {"kind": "stdp", "lowest": bounds[0], "highest": bounds[1]}
    parameters = network(weight=weight, plasticity=rule)
    (plastic,) = wired(parameters).plastic
    assert told(parameters) == pytest.approx(plastic.weights.mean(), rel=6e-3)


@pytest.mark.parametrize(("mean", "spread"), [(0.0, 3.0), (2.0, 4.0)])
def test_first_conductances_at_0(mean, spread):
    parameters = network({"inhibition": mean, "inhibition_spread": spread})
    wanted = first_values(parameters.populations, 1).inhibition.mean()
    assert told(parameters) == pytest.approx(wanted, abs=4 * spread / np.sqrt(N))


def test_what_is_as_it_was_asked_for_is_not_told():
    quiet = network(
        {"excitation": 4.0, "excitation_spread": 1.0},
        weight={"kind": "normal", "weight": 1.0, "spread": 0.5},
        delay={"kind": "normal", "delay": 1.5, "spread": 0.5},
    )
    assert not [*cut_off(quiet)]
    assert not [*cut_off(network(weight={"kind": "lognormal", "weight": 1.0, "spread": 5.0}))]


def test_the_remedy_mends_all_that_are_alike():
    delay = {"kind": "normal", "delay": 1.5, "spread": 2.0}
    parameters = network(delay=delay)
    parameters.connections.append(parameters.connections[0].model_copy(deep=True))
    (finding,) = cut_off(parameters)
    assert finding.distorts
    assert finding.place == ("connections", 0, "delay", "spread")
    assert finding.remedy.changes == {("connections", k, "delay", "spread"): 0.5 for k in (0, 1)}
    for connection in parameters.connections:
        connection.delay.spread = 0.5
    assert not [*cut_off(parameters)]
