"""The table of schemes and steps for one cell."""

import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.tools.cell_accuracy import AccuracyParameters, CellAccuracy


def test_the_table_of_a_model_says_what_its_step_is_off(own_cache):
    """Mitchell-Schaeffer's cell at 0.02 ms; its APD90 by GRL2 at 1 µs is 286.966 ms."""
    parameters = CardiacParameters(cell_model="Mitchell-Schaeffer 2003")
    found = CellAccuracy().run(Problem(parameters, None), AccuracyParameters(), CpuBackend())
    facts = {fact.title: fact.value for fact in found.facts}
    assert facts["APD90 by tight integration"] == pytest.approx(286.966, abs=2e-3)
    assert abs(facts["LRL, 0.02 ms"]) < 0.1
    assert abs(facts["GRL2, 0.2 ms"]) < abs(facts["RL, 0.2 ms"])
    assert "By LRL at 0.02 ms APD90 is" in found.message
    assert "LRL 0.2" in found.message
    assert len(found.charts[0][1].curves) == 4
