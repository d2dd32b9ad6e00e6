"""The network CUBA: its rate, and its spikes one by one against float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Problem
from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.spiking.connectivity.layout import places_of, space
from engines.spiking.connectivity.wiring import wire
from engines.spiking.engine import SpikingEngine
from engines.spiking.network import reference
from engines.spiking.network.plan import Plan, first_values
from engines.spiking.network.twins import NETWORK
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import ConstantDelay
from engines.spiking.parameters.published import cuba
from engines.spiking.setup.populations import spans

SEEDS, SECONDS = 6, 1


def rate(backend: Backend) -> Sequence[Answer]:
    """Mean over seeds of 4,000 neurons in their first second."""
    found = []
    for seed in range(1, SEEDS + 1):
        given = cuba(4000)
        assert isinstance(given.parameters, SpikingParameters)
        numerics = given.parameters.numerics.model_copy(update={"seed": seed})
        parameters = given.parameters.model_copy(update={"numerics": numerics})
        simulation = SpikingEngine().build(Problem(parameters), backend)
        simulation.advance(round(SECONDS * 1000 / simulation.dt))
        found.append(float(simulation.state()["spikes"].sum()) / 4000 / SECONDS)
        simulation.close()
    return (Answer("mean rate", float(np.mean(found)), 5.67, 3 * 0.27 / np.sqrt(SEEDS), "Hz"),)


def spikes(backend: Backend) -> Sequence[Answer]:
    """A smaller one with a delay of 1.5 ms, 40 ms: spikes that are not in the same step."""
    parameters = cuba(400, 40.0, ConstantDelay(delay=1.5)).parameters
    assert isinstance(parameters, SpikingParameters)
    plan = Plan(tuple(parameters.populations), parameters.numerics.step, parameters.numerics.seed)
    where = space(places_of(parameters.populations))
    wiring = wire(parameters.connections, spans(parameters), where, plan.dt, plan.seed, plan.largest_outside)
    first = first_values(parameters.populations, plan.seed)
    network, steps = NETWORK.open(backend, plan, wiring, first), round(40 / plan.dt)
    network.advance(steps)
    seen = set(zip(*map(np.ndarray.tolist, np.nonzero(backend.to_host(network.arrays["history"]))), strict=True))
    expected = set(zip(*map(np.ndarray.tolist, reference.spikes(plan, wiring, first, steps)), strict=True))
    return (Answer("spikes", len(seen), len(expected), 0), Answer("spikes in another step", len(seen ^ expected), 0, 0))


NETWORKS = (
    VerificationCase(
        "cuba-rate",
        "The mean rate of CUBA",
        "Brian2's documented network gives 5.67 ± 0.27 Hz over 20 seeds of 4,000 neurons; within three standard "
        "deviations of a mean over six.",
        5,
        rate,
    ),
    VerificationCase(
        "cuba-spikes",
        "Each spike of CUBA against float64",
        "The same network stepped exactly in float64, neuron by neuron, by code that shares nothing with the kernels.",
        3,
        spikes,
    ),
)
