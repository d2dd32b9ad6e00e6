"""What brushes do to neurons; both backends, both kinds of network."""

import numpy as np
import pytest

from engines.api import Dab, Selection
from engines.api.errors import ProblemError
from engines.spiking.engine import SpikingEngine
from tests.engines.spiking.problems import general, plain

EVERYWHERE = (0.0, 0.0, 0.0), 1e6


@pytest.mark.parametrize("problem", [plain, general])
def test_silenced_neurons_do_not_fire_until_it_is_erased(backend, problem):
    simulation = SpikingEngine().build(problem(), backend)
    simulation.set_control("drive", 30.0)
    simulation.advance(20)
    position = tuple(map(float, simulation.geometry.positions[0]))
    assert "1 neurons silenced" in simulation.paint(Dab("lesion", position, 0.0, 1.0))
    n = simulation.geometry.n_cells
    simulation.paint(Dab("lesion", *EVERYWHERE, 0.5))
    gone = np.isnan(simulation.field("activity"))
    assert gone[0]
    assert 0.4 * n < gone.sum() < 0.6 * n
    handle = simulation.select(Selection(np.arange(n, dtype=np.int32)))
    np.testing.assert_array_equal(simulation.gather("activity", handle), simulation.field("activity"))
    before = simulation.state()["spikes"]
    simulation.advance(600)
    fired = simulation.state()["spikes"] - before
    assert not fired[gone].any()
    assert fired[~gone].sum() > 10
    assert simulation.non_finite() is None
    other = SpikingEngine().build(problem(), backend)
    other.restore(simulation.state())
    np.testing.assert_array_equal(np.isnan(other.field("activity")), gone)
    simulation.paint(Dab("lesion", *EVERYWHERE, 1.0, erase=True))
    before = simulation.state()["spikes"]
    simulation.advance(600)
    assert (simulation.state()["spikes"] - before)[gone].sum() > 10
    with pytest.raises(ProblemError, match="share"):
        simulation.paint(Dab("lesion", *EVERYWHERE, 0.0))


def test_a_stimulus_fires_who_is_under_it(backend):
    simulation = SpikingEngine().build(plain(), backend)
    simulation.set_control("drive", -15.0)
    simulation.advance(300)
    before = simulation.state()["spikes"]
    brush = next(info for info in simulation.brushes if info.name == "stimulate")
    side = float(np.ptp(simulation.geometry.positions[:, 0]))
    position = tuple(map(float, simulation.geometry.positions[40]))
    near = np.linalg.norm(simulation.geometry.positions - position, axis=1) <= side / 4
    assert f"{near.sum()} neurons stimulated" in simulation.paint(Dab("stimulate", position, side / 4, brush.amount))
    simulation.advance(30)
    fired = simulation.state()["spikes"] > before
    assert fired[near].all()
    assert fired[~near].sum() < near.sum()
    with pytest.raises(ProblemError, match="above zero"):
        simulation.paint(Dab("stimulate", position, 1.0, 0.0))
