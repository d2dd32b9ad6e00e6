"""Networks of typed neurons as scripts of Brian2: what is in them, and, where Brian2 is there, the same spikes."""

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.brian2.script import brian2_script
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.synapse_library import REWARD
from tests.engines.spiking.typed.models import ADAPTIVE, CHANNELS, IZHIKEVICH, LIF, RESTING, neuron, with_numbers
from tests.engines.spiking.typed.synapses.models import SHORT_TERM, STDP, own
from workbench.project.presets import open_preset, preset_called

ENGINE = SpikingEngine()
NAME = 'it\'s "one"'
NEEDS = pytest.mark.skipif(importlib.util.find_spec("brian2") is None, reason="needs Brian2: pip install brian2")
SPREAD = "v = -65*mV + 10*mV*i/N"


def network(model, weight, current, step=0.1, synapse=None, **more):
    """Twenty neurons from evenly spread voltages that all hear each other a millisecond later."""
    starts = "; ".join(each for each in (SPREAD, model.get("starts", "")) if each)
    one = neuron({**model, "starts": starts}, **more).model_dump()
    population = {"name": NAME, "number": 20, "neuron": one, "external": {"current": current}}
    connection = {"source": NAME, "target": NAME, "rule": {"kind": "all to all"},
                  "weight": {"kind": "constant", "weight": weight},
                  "delay": {"kind": "constant", "delay": 1.0},
                  "plasticity": synapse or {"kind": "none"}}  # fmt: skip
    given = {"populations": [population], "connections": [connection], "numerics": {"step": step}}
    return Problem(SpikingParameters.model_validate(given))


CASES = {
    "lif": (LIF, 0.3, 0.0, 0.1), "channels": (CHANNELS, 1.0, 400.0, 0.02),
    "resting": (RESTING, 0.05, 300.0, 0.1),
    "izhikevich": (IZHIKEVICH, 0.02, 0.0, 0.05), "adaptive": (ADAPTIVE, 1.0, 800.0, 0.02),
}  # fmt: skip


def theirs_of(problem, time, told, folder):
    """What Brian2 gives for ``told`` after so many ms."""
    script = brian2_script(problem).replace("run(1*second)", f"run({time}*ms)").replace(
        "from brian2 import *", "from brian2 import *\nimport json\nprefs.codegen.target = 'numpy'"
    )  # fmt: skip
    path = folder / "network.py"
    path.write_text(f"{script}print(json.dumps({told}))\n", "utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def ours_of(problem, time):
    """The simulation after so many ms, and (neurons, times) of its spikes."""
    simulation = ENGINE.build(problem, CpuBackend())
    reader = simulation.spike_trains()
    simulation.advance(round(time / simulation.dt))
    trains = reader.take()
    return simulation, np.array([trains.neurons, trains.times])


@NEEDS
@pytest.mark.brian2
@pytest.mark.parametrize("name", CASES)
def test_brian2_gives_the_same_spikes(name, tmp_path):
    """Of 60 ms, in float64 there: each neuron fires as often, and nine spikes of ten in the same step."""
    model, weight, current, step = CASES[name]
    problem = network(model, weight, current, step)
    theirs = np.array(theirs_of(problem, 60.0, "[[int(i) for i in S0.i], [float(t/ms) for t in S0.t]]", tmp_path))
    _, ours = ours_of(problem, 60.0)
    assert ours.shape[1] >= 20
    assert (np.bincount(ours[0].astype(int), minlength=20) == np.bincount(theirs[0].astype(int), minlength=20)).all()
    ours, theirs = (each[:, np.lexsort((each[1], each[0]))] for each in (ours, theirs))
    assert (np.abs(ours[1] - theirs[1]) < step / 2).mean() > 0.9


JOINED = {
    "stdp": {**STDP, "on_pre": ["g_e_post += w*mV", *STDP["on_pre"][1:]], "parameters": with_numbers(
        STDP, gmax=0.6, dApre=0.02, dApost=-0.021)["parameters"]},
    "short term": {**SHORT_TERM, "lines": ["w : 1", *SHORT_TERM["lines"][1:]], "on_pre": [
        *SHORT_TERM["on_pre"][:2], "x -= r", "g_e_post += w*r*mV"]},
    "reward": {**REWARD, "on_pre": ["g_e_post += w*mV", *REWARD["on_pre"][1:]], "parameters": with_numbers(
        REWARD, gmax=0.6, dApre=0.02, dApost=-0.021, reward=0.3)["parameters"]},
}  # fmt: skip


@NEEDS
@pytest.mark.brian2
@pytest.mark.parametrize("name", JOINED)
def test_brian2_gives_typed_synapses_the_same_variables(name, tmp_path):
    """Of 100 ms, 400 synapses with a delay: each neuron fires in the same steps, and all variables are the same, to
    float32 (those between events at their last one, as there)."""
    problem = network(LIF, 0.3, 0.0, synapse=own(JOINED[name]))
    names = problem.parameters.connections[0].plasticity.lines
    names = [line.split("/dt")[0][1:] if "/dt" in line else line.split(":")[0].strip() for line in names]
    rows = f"([float(x) for x in getattr(C0_0_0, n)] for n in {names})"
    told = f"[[int(i) for i in S0.i], [float(t/ms) for t in S0.t], *{rows}]"
    neurons, times, *theirs = theirs_of(problem, 100.0, told, tmp_path)
    simulation, ours = ours_of(problem, 100.0)
    assert len(neurons) >= 30
    order = [np.lexsort((each[1], each[0])) for each in (ours, np.array([neurons, times]))]
    np.testing.assert_array_equal(ours[0][order[0]], np.array(neurons)[order[1]])
    np.testing.assert_allclose(ours[1][order[0]], np.array(times)[order[1]], atol=1e-6)
    for variable, values in zip(names, theirs, strict=True):
        found = simulation.state()[f"synapses_0_{variable}"]
        size = np.abs(values).max()
        assert size > 0
        np.testing.assert_allclose(found, values, rtol=2e-5, atol=1e-6 * size, err_msg=variable)


def test_a_script_is_python_whatever_is_typed():
    problem = network(LIF, 0.3, 5.0)
    neuron_ = problem.parameters.populations[0].neuron
    neuron_.lines = [f"{neuron_.lines[0]} # ''' \"\"\" \\", *neuron_.lines[1:]]
    text = brian2_script(problem)
    compile(text, "network", "exec")
    assert "C0_0_0.weight = '0.3*mV'" in text
    assert "method='exact'" in text
    assert "(unless refractory)" in text
    assert '"""' not in text.split("import *")[1]
    assert ENGINE.parameter_file.text(problem) == text
    neuron_.starts = ""
    compile(brian2_script(problem), "network", "exec")


@pytest.mark.parametrize("name", ["typed_hodgkin_huxley", "typed_izhikevich", "typed_stdp"])
def test_scripts_of_what_ships_are_python(name):
    """One whose neurons begin as they are drawn, without a statement of their own, was none."""
    compile(brian2_script(open_preset(preset_called(name)).problem), name, "exec")


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x0c", "\x85", "\u2028"])
@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("unit", "ms # {end}) or stranger() or (1"),
        ("starts", "v = -60*mV; # {end} a[stranger()] = 1"),
        ("reset", "v = -60*mV; # {end} stranger() = 1"),
        ("reset", "v = -60*mV # {end}; stranger() = 1"),
        ("starts", "v = -60*mV # {end}; stranger()"),
        ("threshold", "v > -50*mV # {end} and stranger()"),
        ("lines", "dv/dt = (E_L - v)/tau_m # {end} + stranger()\n : volt (unless refractory)"),
    ],
)
def test_what_is_a_comment_here_is_none_of_the_script(field, text, end):
    """Python ends lines elsewhere: a stranger's project would have what it likes carried out."""
    problem = network(LIF, 0.3, 5.0)
    typed, text = problem.parameters.populations[0].neuron, text.format(end=end)
    if field == "unit":
        next(each for each in typed.parameters if each.unit == "ms").unit = text
    else:
        setattr(typed, field, [text, *typed.lines[1:]] if field == "lines" else text)
    script = brian2_script(problem)
    compile(script, "network", "exec")
    assert "stranger" not in script


def test_what_a_script_cannot_have_is_said():
    for change, told in (
        ({"populations": [{"name": "a", "neuron": {"kind": "lif"}}], "connections": []}, "type their equations"),
        ({"rule": {"kind": "fixed inputs", "number": 3}}, "by probability, one to one, all to all or from a table"),
        ({"delay": {"kind": "distance"}}, "The script has no places of neurons for delays by distance"),
        ({"delay": {"kind": "formula", "formula": "max(rand(), 0.5)*ms"}}, "Brian2 knows no 'max'"),
        ({"delay": {"kind": "formula", "formula": "stranger()*ms"}}, "stranger"),
        ({"weight": {"kind": "lognormal"}}, "weights that are constant or normal"),
        ({"plasticity": {"kind": "stdp"}}, "weights that do not change"),
    ):
        given = network(LIF, 0.3, 0.0).parameters.model_dump()
        if "populations" in change:
            given |= change
        else:
            given["connections"][0] |= change
        with pytest.raises(ProblemError, match=told):
            brian2_script(Problem(SpikingParameters.model_validate(given)))
    lines = ["dv/dt = (v if v < E_L else E_L - v)/tau_m : volt", *LIF["lines"][1:]]
    with pytest.raises(ProblemError, match="Brian2 knows no 'if'"):
        brian2_script(network({**LIF, "lines": lines}, 0.3, 0.0))
