"""What is said of a load that has gone after its peak."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.parameters.gauges import LoadCurve
from engines.peridynamics.setup.theory import setup_of
from engines.peridynamics.watch.curve import Acting, LoadDisplacement, of_load
from tests.engines.peridynamics.loading.test_loads import BAR

RISE = np.linspace(0.0, 100.0, 50)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (np.zeros(50), "peak of 100 N at 49 µm and has fallen to 0 % of that: the body has failed"),
        (np.full(50, 1e-14), "has fallen to 0 % of that"),
        (np.array([15612.0, *np.zeros(50)]), "peak of 15610 N at 50 µm"),
        (3.0 * np.cos(np.arange(50)) + 2.0, "has fallen to"),  # it still shakes
        (80.0 * np.cos(0.5 * np.arange(50)) + 3.0, "has fallen to"),  # two halves that swing: a tenth is half a swing
        (np.full(50, 60.0), ""),
        (np.linspace(100.0, 120.0, 50), ""),
    ],
)
def test_a_load_that_has_gone_is_told(after, said):
    watcher = LoadDisplacement(Acting("force", "way", 1, 1), [], LoadCurve())
    for way, force in enumerate(np.concatenate([RISE, after])):
        watcher.seen({"force": float(force), "way": float(way)})
    told = " ".join(finding.message for finding in watcher.noticed())
    assert said in told
    assert bool(told) == bool(said)


def test_the_jerk_of_a_start_is_no_peak_of_the_body():
    watcher = LoadDisplacement(Acting("force", "way", 1, 1), [], LoadCurve())
    for way, force in enumerate([500.0, -40.0, *np.full(98, 20.0)]):
        watcher.seen({"force": force, "way": float(way)})
    assert not watcher.noticed()


def test_a_few_points_tell_nothing():
    watcher = LoadDisplacement(Acting("force", "way", 1, 1), [], LoadCurve())
    for force in (1.0, 0.0, 0.0, 0.0):
        watcher.seen({"force": force, "way": 0.0})
    assert not watcher.noticed()


@pytest.mark.parametrize("kind", ["stress", "gravity", "displacement"])
def test_a_load_whose_history_is_over_says_nothing_of_the_body(kind):
    """It pushes what it says, whatever the body does: of a whole body after a pulse it was told that it had failed."""
    given = {
        "stress": {"side": "right", "stress": (1.0, 0.0, 0.0)}, "gravity": {"acceleration": (1e6, 0.0, 0.0)},
        "displacement": {"region": {"kind": "side", "side": "right"}, "x": 1.0},
    }[kind]  # fmt: skip
    loads = setup_of(PeridynamicParameters.model_validate({**BAR, "loads": [{"kind": kind, **given}]}), CpuBackend())
    watcher = LoadDisplacement(of_load(loads.loads, 1), [], LoadCurve())
    for way, force in enumerate(np.concatenate([RISE, np.zeros(50)])):
        watcher.seen({"force_1_x": float(force), "displacement_1_x": float(way)})
    assert bool(watcher.noticed()) == (kind == "displacement")
