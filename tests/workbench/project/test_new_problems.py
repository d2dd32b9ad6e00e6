"""What *New* begins with, of each engine that makes its own geometry: small, not one of the gallery, and it runs."""

import numpy as np
import pytest

import workbench as wb
from engines.api import registry
from engines.api.simulation.contract import whole_field
from engines.backend.cpu import CpuBackend
from workbench.project.document import new_document
from workbench.project.presets import open_preset, presets

MADE_OF_NOTHING = sorted(name for name, engine in registry.engines().items() if engine.geometry_type is None)
FEW_BYTES = 32 << 20
FIRST_PAUSE = 50
"""Steps within which something has changed that is seen."""


@pytest.fixture(scope="module", params=MADE_OF_NOTHING)
def document(request):
    return new_document(registry.engine(request.param))


@pytest.fixture(scope="module")
def backend():
    backend = CpuBackend()
    yield backend
    backend.close()


def test_it_is_none_of_the_gallery(document):
    """A card beside it would say the same."""
    own = document.engine.id
    ready = [open_preset(preset) for preset in presets() if preset.engine == own]
    assert len(ready) > 3
    assert [each.project.title for each in ready if each.parameters == document.parameters] == []


def test_it_is_small_and_nothing_is_wrong_with_it(document, backend):
    estimate = document.engine.estimate(document.problem, backend)
    assert estimate.memory_bytes < FEW_BYTES
    assert [finding.message for finding in estimate.findings if finding.severity != "info"] == []


def test_it_runs_as_it_stands(document, backend):
    simulation = document.engine.build(document.problem, backend)
    before = {field.name: np.array(whole_field(simulation, field)) for field in simulation.fields}
    simulation.advance(FIRST_PAUSE)
    assert any(np.any(before[field.name] != whole_field(simulation, field)) for field in simulation.fields)
    simulation.close()


def test_a_new_network_has_few_neurons_that_fire_irregularly():
    """Neither silent nor all at once, half a second after the start."""
    with wb.new("spiking").run(until=1500.0) as run:
        spikes = {each.name: run.spikes.of(each.name) for each in run.spikes.populations}
        neurons = {each.name: each.stop - each.first for each in run.spikes.populations}
    assert sum(neurons.values()) == 100
    for name, number in neurons.items():
        counts = np.histogram(spikes[name].times, np.arange(500.0, 1501.0, 2.0))[0]
        assert 5.0 < counts.sum() / number < 20.0, "a second's spikes"
        assert counts.max() < number / 2, "in 2 ms"
