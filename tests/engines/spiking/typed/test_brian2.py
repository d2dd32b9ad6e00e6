"""Networks of typed neurons as scripts of Brian2: what is in them, and, where Brian2 is there, the same spikes."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.typed.brian2 import brian2_script
from tests.engines.spiking.typed.models import ADAPTIVE, CHANNELS, IZHIKEVICH, LIF, RESTING, neuron

ENGINE = SpikingEngine()
NAME = 'it\'s "one"'
SPREAD = "v = -65*mV + 10*mV*i/N"


def network(model, weight, current, step=0.1, **more):
    """Twenty neurons from evenly spread voltages that all hear each other a millisecond later."""
    starts = "; ".join(each for each in (SPREAD, model.get("starts", "")) if each)
    one = neuron({**model, "starts": starts}, **more).model_dump()
    population = {"name": NAME, "number": 20, "neuron": one, "external": {"current": current}}
    connection = {"source": NAME, "rule": {"kind": "all to all"},
                  "weight": {"kind": "constant", "weight": weight},
                  "delay": {"kind": "constant", "delay": 1.0}}  # fmt: skip
    given = {"populations": [population], "connections": [connection], "numerics": {"step": step}}
    return Problem(SpikingParameters.model_validate(given))


CASES = {
    "lif": (LIF, 0.3, 0.0, 0.1), "channels": (CHANNELS, 1.0, 400.0, 0.02),
    "resting": (RESTING, 0.05, 300.0, 0.1),
    "izhikevich": (IZHIKEVICH, 0.02, 0.0, 0.05), "adaptive": (ADAPTIVE, 1.0, 800.0, 0.02),
}  # fmt: skip


@pytest.mark.brian2
@pytest.mark.skipif(importlib.util.find_spec("brian2") is None, reason="needs Brian2: pip install brian2")
@pytest.mark.parametrize("name", CASES)
def test_brian2_gives_the_same_spikes(name, tmp_path):
    """Of 60 ms, in float64 there: each neuron fires as often, and nine spikes of ten in the same step."""
    model, weight, current, step = CASES[name]
    problem = network(model, weight, current, step)
    script = brian2_script(problem).replace("run(1*second)", "run(60*ms)").replace(
        "from brian2 import *", "from brian2 import *\nimport json\nprefs.codegen.target = 'numpy'"
    )  # fmt: skip
    script += "print(json.dumps([[int(i) for i in S0.i], [float(t/ms) for t in S0.t]]))\n"
    path = tmp_path / "network.py"
    path.write_text(script, "utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True, timeout=300)
    theirs = np.array(json.loads(done.stdout.strip().splitlines()[-1]))
    simulation = ENGINE.build(problem, CpuBackend())
    reader = simulation.spike_trains()
    simulation.advance(round(60.0 / step))
    trains = reader.take()
    ours = np.array([trains.neurons, trains.times])
    assert ours.shape[1] >= 20
    assert (np.bincount(ours[0].astype(int), minlength=20) == np.bincount(theirs[0].astype(int), minlength=20)).all()
    ours, theirs = (each[:, np.lexsort((each[1], each[0]))] for each in (ours, theirs))
    assert (np.abs(ours[1] - theirs[1]) < step / 2).mean() > 0.9


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


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x0c", "\x85", "\u2028"])
@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("unit", "ms # {end}) or stranger() or (1"),
        ("starts", "v = -60*mV; # {end} a[stranger()] = 1"),
        ("reset", "v = -60*mV; # {end} stranger() = 1"),
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
        ({"rule": {"kind": "fixed inputs", "number": 3}}, "by probability, one to one or all to all"),
        ({"delay": {"kind": "normal"}}, "The script has one delay"),
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
