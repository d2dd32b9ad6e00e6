"""Regular beats and premature ones: which stimuli the tool makes, and when they come."""

import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.cardiac.parameters import Box, CardiacParameters, Stimulus
from engines.cardiac.stimulus.protocol import timed_pulses
from engines.cardiac.tools.premature import PacePremature, PrematureParameters

TOOL = PacePremature()
OTHER = Box(lower=(4.0, 4.0, 4.0))


def paced(stimuli, **settings):
    problem = Problem(CardiacParameters(stimuli=stimuli), None)
    wanted = TOOL.defaults(problem).model_copy(update=settings)
    assert TOOL.outlook(problem, wanted)
    return TOOL.run(problem, wanted, CpuBackend())


def times(parameters):
    step = parameters.numerics.step
    return {
        each.name: [round(float(start) * step, 6) for start in pulse.starts]
        for each, pulse in zip(
            parameters.stimuli, timed_pulses(parameters.stimuli, parameters.tissue, step), strict=True
        )
    }


def test_beats_come_at_their_cycle_and_premature_ones_after_the_last():
    result = paced([Stimulus(name="apex", start=10.0)], beats=3, cycle=400.0, coupling=250.0, coupling_3=180.0)
    assert times(result.parameters) == {"apex": [10.0, 410.0, 810.0], "S2": [1060.0], "S3": [1240.0]}
    assert "3 × 'apex' every 400 ms, the last premature beat at 1240 ms: run to 2240 ms" in result.message
    assert result.until == 2240.0
    alone = paced([Stimulus(name="apex")], beats=1, cycle=400.0, coupling=180.0)
    assert alone.message.startswith("'apex' once, the last premature beat at 180 ms"), "one beat has no cycle"


def test_a_second_time_what_was_moved_stays_and_what_is_not_wanted_goes():
    first = paced([Stimulus(name="S1"), Stimulus(name="other")], coupling_3=200.0).parameters
    first.stimuli[2].site = OTHER
    again = paced(first.stimuli, coupling=220.0).parameters
    assert [each.name for each in again.stimuli] == ["S1", "other", "S2"]
    assert (again.stimuli[2].site, again.stimuli[2].coupling) == (OTHER, 220.0)
    assert times(paced([Stimulus(name="S2")]).parameters)["S2, premature"] == [1800.0]


def test_it_needs_a_stimulus():
    with pytest.raises(ProblemError, match="add one where the tissue is to be paced"):
        TOOL.defaults(Problem(CardiacParameters(stimuli=[]), None))
    problem = Problem(CardiacParameters(stimuli=[Stimulus()]), None)
    with pytest.raises(ProblemError, match="There is no stimulus 'x': choose one of the list"):
        TOOL.run(problem, PrematureParameters(stimulus="x"), CpuBackend())
