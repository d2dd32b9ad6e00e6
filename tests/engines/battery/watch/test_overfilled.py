"""Particles beyond 0 to 1 are told at the end of a run of cells, ensembles and packs: voltages do not tell."""

import numpy as np
import pytest

from engines.api import Problem
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters

ENGINE = BatteryEngine()
THIN = [{"parameter": "positive_thickness", "value": 6e-5}]
PROTOCOL = ["Discharge at 1C until 2.5 V"]


def built(backend, **given):
    given = {"protocol": PROTOCOL, "numerics": {"step": 5.0}, **given}
    return ENGINE.build(Problem(BatteryParameters.model_validate(given)), backend)


def ended(run, looks=None):
    while not run.finished:
        run.advance(run.sample_steps)
        run.observe()
        if looks is not None:
            looks.append((run.time, run.field("surface_stoichiometry").astype(float)))
    return run


@pytest.mark.parametrize("model", ["SPM", "SPMe"])
def test_a_positive_electrode_that_a_discharge_fills(backend, model):
    """0.17 V are lost at once there, and the run goes on to its cut-off."""
    looks = []
    run = ended(built(backend, model=model, changes=THIN), looks)
    first = next(time for time, surfaces in looks if surfaces[1] > 1)
    (told,) = run.noticed()
    assert told.message.startswith("Particles of the positive electrode are full from ")
    assert first <= float(told.message.split("from ")[1].split(" s")[0]) <= first + 8 * run.dt * run.sample_steps
    assert f"come to {looks[-1][1][1]:.4f}, more lithium than there are sites" in told.message
    assert "end the discharge earlier" in told.message
    assert (told.severity, told.place, told.distorts) == ("warning", ("protocol",), True)
    again = built(backend, model=model, changes=THIN)
    again.restore(run.state())
    assert again.noticed() == [told]


def test_a_cell_that_ends_before_is_not_told(backend):
    assert not ended(built(backend)).noticed()


def test_how_many_of_an_ensemble(backend):
    """Of those that are looked at, whose electrodes are as thick as they are drawn."""
    spread = [{"parameter": "positive_thickness", "kind": "uniform", "spread": 0.3}]
    looks = []
    run = ended(built(backend, ensemble={"cells": 50, "distributions": spread}), looks)
    beyond = np.max([surfaces[50:] for _, surfaces in looks], axis=0) > 1 + 1e-5
    (told,) = [each for each in run.noticed() if "positive electrode" in each.message]
    assert 0.2 < beyond.mean() < 0.8
    assert f"with up to {100 * beyond.mean():.2g} % of the cells" in told.message


def test_a_pack(backend):
    arrangement = {"cells_x": 2, "voxels_x": 2, "voxels_y": 4, "voxels_z": 4}
    given = {"model": "pack", "changes": THIN, "pack": {"arrangement": arrangement}, "numerics": {"step": 20.0}}
    run = ended(built(backend, **given))
    (told,) = run.noticed()
    assert "Particles of the positive electrode are full from 3" in told.message
    assert "100 % of the cells" in told.message
    again = built(backend, **given)
    again.restore(run.state())
    assert again.noticed() == [told]
