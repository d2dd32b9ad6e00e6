"""Small problems for the tests of the steps."""

from __future__ import annotations

import numpy as np

from engines.api import Problem
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics, Sphere, Stimulus
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.step.simulation import CardiacSimulation
from engines.geometry.meshes.mesh import TetMesh

TT06, SMALL = "ten Tusscher-Panfilov 2006", "Mitchell-Schaeffer 2003"


ENGINE = CardiacEngine()


PULSES = Stimulus(
    name="corner", site=Sphere(center=(0, 0, 0), radius=1.0), start=0.3, duration=1.0, period=3.1, pulses=2
)


def problem(mesh: TetMesh, cell_model: str = TT06, observed: bool = True, **numerics: object) -> Problem:
    """``observed``: with maps and electrograms, for which a run is cut into pieces."""
    parameters = {"cell_model": cell_model, "stimuli": [PULSES], "numerics": Numerics.model_validate(numerics)}
    if not observed:
        parameters["recording"] = Recording(maps=False, ecg="off")
    return Problem(CardiacParameters.model_validate(parameters), mesh)


def assert_same_state(one: CardiacSimulation, other: CardiacSimulation) -> None:
    expected = other.state()
    for name, value in one.state().items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)
