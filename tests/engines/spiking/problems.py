"""Small networks for the tests."""

from engines.api import Problem
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters

SMALL = {
    "populations": {"excitatory": 240, "inhibitory": 60},
    "connections": {"kind": "probability", "probability": 0.2},
}


def problem(**changes):
    return Problem(SpikingParameters.model_validate({**SMALL, **changes}))


def build(backend, **changes):
    return SpikingEngine().build(problem(**changes), backend)


KINDS = [{"kind": "lif"}, {"kind": "izhikevich"}, {"kind": "adaptive exponential"}, {"kind": "hodgkin-huxley"}]


def plain():
    given = {
        "populations": {"excitatory": 80, "inhibitory": 20},
        "connections": {"kind": "probability", "probability": 0.2},
    }
    return Problem(SpikingParameters.model_validate(given))


def general():
    """Forty neurons of each model and forty sources, all of which drive the others; two of the rules are exact."""
    populations = [{"name": each["kind"], "number": 40, "neuron": each} for each in KINDS]
    populations.append({"name": "sources", "number": 40, "neuron": {"kind": "poisson", "rate": 200.0}})
    connections = [
        {
            "source": "sources",
            "target": "lif",
            "rule": {"kind": "fixed inputs", "number": 7},
            "weight": {"kind": "constant", "weight": 3.0},
        },
        {
            "source": "lif",
            "target": "izhikevich",
            "rule": {"kind": "fixed inputs", "number": 5},
            "weight": {"kind": "constant", "weight": 2.0},
            "plasticity": {"kind": "stdp", "highest": 4.0},
        },
    ]
    return Problem(SpikingParameters.model_validate({"populations": populations, "connections": connections}))
