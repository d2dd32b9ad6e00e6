"""Sources that have more spikes than a step takes, which is one of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engines.api import Finding, Remedy
from engines.spiking.network.plan import chance_of
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neurons import PoissonSource, SpikeList
from engines.spiking.stimulate.spike_lists import together

STEPS = (0.1, 0.05, 0.025, 0.02, 0.01, 0.005, 0.002, 0.001)
"""Steps that are proposed [ms]."""
MANY = 0.1
"""Spikes of a random source in a step from which it is told: by this share their numbers vary less than they should."""


def crowded(parameters: SpikingParameters) -> Iterator[Finding]:
    """Of the random sources the fastest alone; of lists each."""
    step, factor = parameters.numerics.step, parameters.synapses.external
    sources = [
        (chance_of(each.neuron, factor, step), k)
        for k, each in enumerate(parameters.populations)
        if isinstance(each.neuron, PoissonSource) and each.number
    ]
    chance, fastest = max(sources, default=(0.0, 0))
    if chance > MANY * (1 + 1e-9):
        yield Finding(
            f"{parameters.populations[fastest].name} have {chance:.2g} spikes in a step, each with the same chance and "
            f"one at most: their numbers vary {100 * chance:.0f} % less, in variance, than those of random spikes.",
            place=("populations", fastest, "neuron", "rate"),
            remedy=_shorter(next((each for each in STEPS if each / step * chance <= MANY * (1 + 1e-9)), None)),
            distorts=True,
        )
    shorter = tuple(each for each in STEPS if each < step)
    for k, population in enumerate(parameters.populations):
        if isinstance(population.neuron, SpikeList) and population.number:
            path = population.neuron.path
            lost, *less = together(path, (step, *shorter))
            if lost:
                yield Finding(
                    f"{lost:,} {'spikes' if lost > 1 else 'spike'} of {Path(path).name} "
                    f"{'fall' if lost > 1 else 'falls'} into a step with an earlier one of the same "
                    f"neuron: of those in {step:g} ms one is taken.",
                    place=("populations", k, "neuron", "path"),
                    remedy=_shorter(next((each for each, n in zip(shorter, less, strict=True) if not n), None)),
                    distorts=True,
                )


def _shorter(step: float | None) -> Remedy | None:
    return None if step is None else Remedy(f"Use steps of {step:g} ms", {("numerics", "step"): step})
