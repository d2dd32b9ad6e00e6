"""What is shown of whole presets' activity against every spike that they had: of each neuron, as means, as rates."""

from itertools import pairwise

import numpy as np
import pytest

from engines.api import Dab, Selection
from engines.spiking.watch.flashes import DARK, FADE
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER
from workbench.project.presets import open_preset, preset_called

STEPS = {"izhikevich_2003": 300, "cuba_4000": 1500, "typed_izhikevich": 600}


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_means_are_the_same_on_a_gpu(cpu):
    document = open_preset(preset_called("izhikevich_2003"))
    found = []
    for backend in (cpu, HostCudaBackend()):
        simulation = document.engine.build(document.complete_problem(), backend)
        simulation.advance(100)
        simulation.paint(Dab("lesion", tuple(map(float, simulation.geometry.positions[7])), 1e-3, 1.0))
        handle = simulation.select(Selection(np.arange(600, dtype=np.int32), np.array([0, 7, 8, 8, 600], np.int32)))
        found.append(simulation.gather("activity", handle))
    np.testing.assert_array_equal(*found)
    assert np.isnan(found[0]).tolist() == [False, True, True, False]


@pytest.mark.parametrize("preset", STEPS)
def test_means_over_neurons_are_those_of_their_spikes(cpu, preset):
    """The mean of flashes, not the flash of a mean time: of a population of which one neuron has just fired nothing
    was seen where another had not fired at all."""
    document = open_preset(preset_called(preset))
    simulation = document.engine.build(document.complete_problem(), cpu)
    reader, pieces, samples = simulation.spike_trains(), [], []
    while simulation.step < STEPS[preset]:
        simulation.advance(simulation.sample_steps)
        pieces.append(reader.take())
        samples.append((simulation.step, simulation.observe()))
    steps, neurons = (np.concatenate([getattr(each, name) for each in pieces]) for name in ("steps", "neurons"))
    n = simulation.geometry.n_cells
    last, counts = np.full(n, -np.inf), np.bincount(neurons, minlength=n)
    np.maximum.at(last, neurons, steps)
    flash = np.exp(-(simulation.step - 1 - last) * simulation.dt / FADE)
    flash[flash < DARK] = 0
    assert 0 < (flash > 0).sum() < n
    np.testing.assert_allclose(simulation.field("activity"), flash, rtol=2e-5)
    np.testing.assert_allclose(simulation.field("rate"), counts / simulation.time * 1000, rtol=1e-6)

    order = np.random.default_rng(1).permutation(n).astype(np.int32)
    offsets = np.array([0, 1, 8, 8, n // 3, n], np.int32)
    handle = simulation.select(Selection(order, offsets))

    def means(values):
        parts = [values[order[a:b]] for a, b in pairwise(offsets)]
        return [np.nan if np.isnan(part).all() else np.nanmean(part) for part in parts]

    np.testing.assert_allclose(simulation.gather("activity", handle), means(flash), rtol=2e-5)
    np.testing.assert_allclose(
        simulation.gather("rate", handle)[[0, 1, 3, 4]],
        np.array(means(simulation.field("rate")))[[0, 1, 3, 4]],
        rtol=1e-5,
    )
    for series, group in zip(simulation.series, simulation.populations, strict=False):
        own = steps[(neurons >= group.first) & (neurons < group.stop)]
        window = max(simulation.sample_steps, round(min(1000 / (group.stop - group.first), 100) / simulation.dt))
        expected = [
            1000
            * ((own >= max(0, at - window)) & (own < at)).sum()
            / (group.stop - group.first)
            / (window * simulation.dt)
            for at, _ in samples
        ]
        np.testing.assert_allclose([told[series.name] for _, told in samples], expected, rtol=1e-6, err_msg=group.name)
    place = tuple(map(float, simulation.geometry.positions[order[0]]))
    simulation.paint(Dab("lesion", place, 0.2 * float(np.ptp(simulation.geometry.positions, axis=0).max()), 1.0))
    flash[np.isnan(simulation.field("activity"))] = np.nan
    assert np.isnan(flash[order[0]])
    np.testing.assert_allclose(simulation.gather("activity", handle), means(flash), rtol=2e-5)
