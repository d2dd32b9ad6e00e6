"""Partners of a neuron, synapses between populations, and what brushes do; both backends, both kinds of network."""

import numpy as np
import pytest

from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.watch import weights
from tests.engines.spiking.problems import general, plain


@pytest.mark.parametrize("problem", [plain, general])
def test_partners_agree_with_each_other(backend, problem):
    simulation = SpikingEngine().build(problem(), backend)
    n = simulation.geometry.n_cells
    inspected = [simulation.inspect(neuron) for neuron in range(0, n, max(1, n // 100))]
    results = simulation.results()
    means = next(iter(results.values()))
    if problem is general:
        expected = np.zeros((5, 5))
        expected[4, 0], expected[0, 1] = 7, 5
        np.testing.assert_allclose(means, expected)
        facts = {fact.title: fact.value for fact in simulation.inspect(45).facts}
        assert facts["Synapses from lif"] == 5
        links = simulation.inspect(45).links
        np.testing.assert_allclose(links.values, 2.0)
        sender, target, weight = (
            results[f"changing weights/0/{name}"] for name in ("sender [1]", "target [1]", "weight [1]")
        )
        assert ((sender < 40) & (target >= 40) & (target < 80)).all()  # as the rule says, five to each
        np.testing.assert_array_equal(np.bincount(target - 40), 5)
        np.testing.assert_allclose(weight, 2.0)
        np.testing.assert_allclose(links.segments[:, 0], np.tile(simulation.geometry.positions[45], (5, 1)))
    else:
        heard, sent = (
            sum(fact.value for each in inspected for fact in each.facts if fact.title.startswith(title))
            for title in ("Synapses from", "Synapses to")
        )
        assert heard == sent == (means @ [80, 20]).sum() > 0
        assert {float(round(value, 3)) for value in inspected[0].links.values} == {1.62, -9.0}
    chart = simulation.chart("blocks").curves
    np.testing.assert_allclose([curve.y for curve in chart], means)


def test_weights_are_counted_now_and_at_first(backend):
    """All synapses of each population, those that change beside what they were."""
    simulation = SpikingEngine().build(general(), backend)
    simulation.set_control("drive", 20.0)
    simulation.advance(1500)
    chart = {curve.title: curve for curve in simulation.chart("weights").curves}
    assert list(chart) == ["lif", "lif, at first", "sources"]
    assert {title: curve.y.sum() for title, curve in chart.items()} == {
        "lif": 200,
        "lif, at first": 200,
        "sources": 280,
    }
    assert (chart["lif, at first"].y > 0).sum() == 1
    assert (chart["lif"].y > 0).sum() > 1
    now = simulation.state()["weights_0"]
    np.testing.assert_array_equal(chart["lif"].y, np.histogram(now, chart["lif"].x)[0])


def test_many_synapses_are_counted_by_every_kth(monkeypatch):
    monkeypatch.setattr(weights, "LOOKED_AT", 100)
    simulation = SpikingEngine().build(plain(), CpuBackend())
    chart = {curve.title: curve for curve in simulation.chart("weights").curves}
    means = next(iter(simulation.results().values()))
    for row, name in enumerate(("Excitatory", "Inhibitory")):
        assert chart[name].y.sum() == pytest.approx(means[row] @ [80, 20], abs=1)
    assert chart["Excitatory"].x[:-1][chart["Excitatory"].y > 0] == pytest.approx([1.62], abs=0.3)
