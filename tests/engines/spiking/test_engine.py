"""The engine as the application uses it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.lif import cuda, model
from engines.spiking.parameters import SpikingParameters
from tests.engines.spiking.problems import build, problem
from workbench.project.presets import open_preset, preset_called


def test_a_run_and_what_viewers_see(backend):
    simulation = build(backend)
    simulation.advance(400)
    simulation.synchronize()
    assert simulation.time == pytest.approx(40.0)
    handle = simulation.select(Selection(np.arange(300, dtype=np.int32)))
    for info in simulation.fields:
        values = simulation.field(info.name)
        assert values.shape == (300,)
        assert np.isfinite(values).all()
        np.testing.assert_array_equal(simulation.gather(info.name, handle), values)
    voltage = simulation.field("voltage")
    assert voltage.max() <= -50
    assert voltage.min() < -55
    spikes = simulation.field("rate") * 0.04
    seen = simulation.observe()
    assert seen["rate_excitatory"] == pytest.approx(spikes[:240].mean() / 0.04, rel=1e-5)
    assert seen["rate_inhibitory"] == pytest.approx(spikes[240:].mean() / 0.04, rel=1e-5)
    assert seen["events"] > 0
    raster = simulation.chart("raster").curves
    assert sum(len(curve.x) for curve in raster) == round(spikes.sum())
    assert (raster[1].y >= 240).all()
    assert sum(curve.y.sum() for curve in simulation.chart("rate_histogram").curves) == 300
    latest = simulation.field("activity").argmax()
    facts = {fact.title: fact.value for fact in simulation.inspect(int(latest)).facts}
    assert facts["Since the last spike"] < 5
    assert facts["Membrane voltage"] == pytest.approx(voltage[latest])
    assert sum(value for title, value in facts.items() if title.startswith("Synapses from")) > 30
    assert simulation.non_finite() is None
    assert {timing.kernel for timing in simulation.drain_timings()} == {"step"}
    simulation.close()


def test_the_raster_is_that_of_the_last_steps(backend, monkeypatch):
    for module in (model, cuda):
        monkeypatch.setattr(module, "HISTORY", 640)
    simulation = build(backend, drive=15.0)
    simulation.advance(800)
    raster, all_of_them = simulation.chart("raster"), int(simulation.state()["population_spikes"].sum())
    times = np.concatenate([curve.x for curve in raster.curves])
    assert raster.part == f"{len(times):,} of {all_of_them:,} spikes: the last 64 ms"
    assert times.min() >= 16.0
    assert times.min() < 18.0
    assert 78.0 < times.max() < simulation.time
    irregular = simulation.chart("irregularity").curves
    spikes = np.round(simulation.field("rate") * simulation.time / 1000)
    assert sum(curve.y.sum() for curve in irregular) == (spikes > 2).sum() > 50


def test_currents_go_to_the_neurons_that_have_their_unit(backend):
    """18 mV above rest fire leaky neurons, and 900 pA adaptive exponential ones, whose rheobase is 546 pA."""
    kinds = ("lif", "adaptive exponential")
    start = {"kind": "uniform", "lowest": -65.0, "highest": -65.0}
    populations = [
        {"name": kind, "number": 5, "neuron": {"kind": kind, "resting_voltage": -65.0}, "start": start}
        for kind in kinds
    ]
    given = SpikingParameters.model_validate({"populations": populations, "connections": []})
    for name, value, fires in (("drive", 18.0, [True, False]), ("injected", 900.0, [False, True])):
        simulation = SpikingEngine().build(Problem(given), backend)
        simulation.set_control(name, value)
        simulation.advance(1000)
        assert list(simulation.state()["population_spikes"] > 0) == fires
        again = SpikingEngine().build(Problem(given.model_copy(update={name: value})), backend)
        again.advance(1000)
        np.testing.assert_array_equal(again.state()["spikes"], simulation.state()["spikes"])


def test_one_drive_of_an_older_project_is_for_all():
    neurons = [{"name": kind, "neuron": {"kind": kind}} for kind in ("lif", "adaptive exponential")]
    for populations, drive, injected in ((neurons, 7.0, 7.0), (neurons[:1], 7.0, 0.0), (neurons, 0.0, 0.0)):
        given = {"drive": drive, "populations": populations, "connections": []}
        found = SpikingParameters.model_validate(given)
        assert (found.drive, found.injected) == (drive, injected)
    assert SpikingParameters.model_validate(given | {"drive": 7.0, "injected": 1.0}).injected == 1.0


def test_live_parameters_act(backend):
    calm, driven = build(backend), build(backend)
    driven.set_control("drive", 10.0)
    strong = build(backend)
    strong.set_control("synapses", SpikingParameters().synapses.model_copy(update={"inhibition": 0.0}))
    for simulation in (calm, driven, strong):
        simulation.advance(500)
    rates = [simulation.observe()["rate_excitatory"] for simulation in (calm, driven, strong)]
    assert rates[1] > 2 * rates[0]
    assert rates[2] > 2 * rates[0]
    with pytest.raises(ProblemError, match="cannot change during a run"):
        calm.set_control("neuron.threshold", -40.0)


def test_the_seed_decides(backend):
    runs = [build(backend, numerics={"seed": seed}) for seed in (1, 1, 2)]
    for run in runs:
        run.advance(100)
    first, again, other = (run.field("voltage") for run in runs)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_synapses_of_a_number_are_not_drawn_for_an_estimate(backend, monkeypatch):
    """Fewer neurons have as many of them."""
    parameters = open_preset(preset_called("potjans_diesmann")).parameters.model_dump(mode="json")
    parameters["connections"][0]["rule"]["number"] = 10**8
    monkeypatch.setattr(SpikingEngine, "build", lambda *_: pytest.fail("a network was built"))
    estimate = SpikingEngine().estimate(Problem(SpikingParameters.model_validate(parameters)), backend)
    assert estimate.memory_bytes > 1e8


def test_estimate_and_geometry(backend):
    engine, given = SpikingEngine(), problem()
    estimate = engine.estimate(given, backend)
    assert estimate.memory_bytes > 4 * 0.2 * 300**2
    assert estimate.seconds_per_simulated_unit > 0
    assert estimate.findings == ()
    assert engine.geometry_of(given) is engine.geometry_of(problem(drive=1.0))
    assert engine.geometry_of(given).n_cells == 300
    odd = engine.estimate(problem(numerics={"step": 0.3}), backend).findings
    assert "rounded to 17" in odd[0].message


def test_a_constant_delay_of_no_whole_steps_is_told(backend):
    """0.149 ms in steps of 0.1 ms arrives a third earlier."""

    def told(delay: float) -> list[str]:
        joined = {"source": "all", "target": "all", "rule": {"kind": "probability", "probability": 0.2}}
        joined["delay"] = {"kind": "constant", "delay": delay}
        changed = problem(populations=[{"name": "one", "number": 50}], connections=[joined] * 2, numerics={"step": 0.1})
        return [finding.message for finding in SpikingEngine().estimate(changed, backend).findings]

    assert told(0.149) == ["The delay of 0.149 ms is 1.49 steps: it is rounded to 1."]
    assert told(0.3) == told(1.5) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"neuron": {"reset": -50.0}}, "is not below the threshold"),
        ({"connections": {"kind": "inputs", "inputs": 301}}, "301 inputs are more than there are neurons"),
        (
            {"populations": {"excitatory": 4_000_000}, "connections": {"kind": "inputs", "inputs": 100_000}},
            r"has room for [\d,]+: use fewer neurons, or at most [\d,]+ inputs",
        ),
        ({"populations": {"excitatory": 4_000_000}}, "or at most a probability of 0.00"),
    ],
)
def test_what_cannot_run_says_why(backend, changes, sentence):
    for ask in (SpikingEngine().estimate, SpikingEngine().build):
        with pytest.raises(ProblemError, match=sentence):
            ask(problem(**changes), backend)


def test_the_old_form_opens():
    """Projects from before populations were lists; what they leave out is as it was."""
    old = SpikingParameters.model_validate({"neuron": {"threshold": -48.0}, "synapses": {"inhibitory_weight": -5.0}})
    assert [each.number for each in old.populations] == [3200, 800]
    assert old.populations[1].neuron.threshold == -48.0
    assert old.populations[1].start.highest == -48.0
    assert old.connections[1].weight.weight == -5.0
    again = SpikingParameters.model_validate(old.model_dump())
    assert again == old


def test_projects_from_before_time_courses_open():
    """What they leave out decays at once, as it did; a checkpoint of theirs has no array for what synapses rise by."""
    given = general(populations=[{"name": "one", "number": 40, "neuron": {"kind": "lif"}}])
    assert given.parameters.populations[0].neuron.time_course == "exponential"
    assert "rise" not in SpikingEngine().build(given, CpuBackend()).state()


def general(**changes):
    """A population of 400 with delays, which the plain network does not have."""
    given = {
        "populations": [{"name": "one", "number": 400, "neuron": {"kind": "adaptive exponential"}}],
        "connections": [{"source": "one", "delay": {"kind": "constant", "delay": 1.0}}],
    }
    return Problem(SpikingParameters.model_validate(given | changes))


@pytest.mark.parametrize("time_course", ["exponential", "alpha"])
def test_a_general_network_runs_and_continues(backend, time_course):
    external = {"rate": 3000.0, "weight": 10.0, "noise": 5.0}
    neuron = {"kind": "adaptive exponential", "time_course": time_course, "excitatory_time": 2.0}
    population = {"name": "Some cells", "number": 300, "neuron": neuron, "external": external}
    given = general(populations=[population], connections=[{"source": "all", "delay": {"kind": "normal"}}])
    simulation, other = (SpikingEngine().build(given, backend) for _ in range(2))
    simulation.advance(400)
    simulation.set_control("synapses.external", 2.0)
    state = simulation.state()
    before = simulation.observe()["rate_some_cells"]
    simulation.advance(400)
    assert simulation.observe()["rate_some_cells"] > 1.3 * before > 0
    other.restore(state)
    assert other.observe()["rate_some_cells"] == before  # rates are of the time since the last look, too
    other.advance(400)
    other.observe()
    for name, values in other.state().items():
        np.testing.assert_array_equal(values, simulation.state()[name], err_msg=name)
    assert {info.name for info in simulation.fields} >= {"voltage", "recovery"}
    assert "Some cells neuron 7" in simulation.inspect(7).title


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"connections": [{"source": "two"}]}, "no population 'two'"),
        ({"connections": [{"source": "one", "delay": {"kind": "constant", "delay": 0.01}}]}, "shorter than the step"),
        ({"populations": [{"name": "one"}, {"name": "one"}]}, "give it a name of its own"),
        ({"populations": [{"name": "one", "number": 0}]}, "There is no neuron"),
        ({"populations": [{"name": "one", "neuron": {"kind": "spike list"}}]}, "No file with spikes is chosen"),
        ({"populations": [{"name": "one", "external": {"rate": 1e6, "weight": 1.0}}]}, "too many"),
        (
            {
                "populations": [
                    {"name": "one", "neuron": {"kind": "lif", "time_course": "alpha", "inhibitory_time": 0.0}}
                ]
            },
            "takes time to rise: use a decay time above 0",
        ),
        (
            {
                "populations": [{"name": "one", "number": 4_000_000}],
                "connections": [{"source": "one", "rule": {"kind": "fixed inputs", "number": 1_000_000}}],
            },
            r"has room for [\d,]+: use fewer neurons or synapses",
        ),
    ],
)
def test_what_a_general_network_cannot_be_says_why(backend, changes, sentence):
    for ask in (SpikingEngine().estimate, SpikingEngine().build):
        with pytest.raises(ProblemError, match=sentence):
            ask(general(**changes), backend)


def test_presets_open():
    """Each is a network that can run here."""
    presets = SpikingEngine().presets()
    assert len(presets) >= 6
    for preset in presets:
        given = json.loads(preset.project.joinpath("project.json").read_text("utf-8"))
        parameters = SpikingParameters.model_validate(given["parameters"])
        assert SpikingEngine().estimate(Problem(parameters), CpuBackend()).memory_bytes > 0
        assert preset.picture is not None


def test_warming_compiles_what_a_run_needs(backend):
    SpikingEngine().warm(backend)
