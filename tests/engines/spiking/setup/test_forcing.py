"""What follows t faster than steps in typed neurons and synapses is told before the run, with steps that do."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.spiking.engine import SpikingEngine
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.neuron_library import LIBRARY
from engines.spiking.parameters.pynn_library import LIBRARY as OF_PYNN
from engines.spiking.setup.forcing import told_of_times
from tests.engines.spiking.typed.models import MODELS, numbers

BACKEND, ENGINE = CpuBackend(), SpikingEngine()
TAU, UNTIL = 50.0, 12.0
"""Of the membrane, and of runs [ms]."""
LEAK = f"dv/dt = I - v/({TAU:g}*ms) : volt"
SYNAPSES = {"kind": "own equations", "on_pre": ["g_e_post += w"], "on_post": [], "starts": "w = weight"}


def population(*lines, name="cells", number=3, **more):
    neuron = {"kind": "own equations", "lines": lines, "threshold": "", "reset": "", "refractory": "",
              "excitatory": "", "inhibitory": "", "starts": "v = 0*mV", "parameters": [], **more}  # fmt: skip
    return {"name": name, "number": number, "neuron": neuron}


def problem(*populations, step=0.1, connections=(), **more):
    given = {"populations": populations, "connections": connections, "numerics": {"step": step}, **more}
    return Problem(SpikingParameters.model_validate(given))


def driven(drive, step=0.1, **more):
    """By so many mV/ms."""
    return problem(population(LEAK, f"I = {drive} * mV/ms : volt/second", **more), step=step)


def told(given):
    found = [each for each in ENGINE.estimate(given, BACKEND).findings if "follow it" in each.message]
    assert len(found) < 2
    return found[0] if found else None


def voltage_after(given, time=UNTIL):
    run = ENGINE.build(given, BACKEND)
    run.advance(round(time / given.parameters.numerics.step))
    return run.field("voltage")[0]


def step_of(found):
    ((place, step),) = found.remedy.changes.items()
    assert place == ("numerics", "step")
    return step


def left(time):
    """Of what came at a time."""
    return np.exp((time - UNTIL) / TAU)


METHODS = ["euler", "exponential euler", "rk4"]
PULSES = {
    "1000*int(t > 5.03*ms and t < 5.05*ms)": 20 * left(5.04),
    "1000*exp(-((t - 5.05*ms)/(0.01*ms))**2)": 10 * np.sqrt(np.pi) * left(5.05),
    "100*int(t < 0.01*ms)": left(0.0),
}
"""And the voltage that they leave [mV]."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("drive", "right"), PULSES.items())
def test_a_pulse_between_steps_is_told_with_steps_that_follow_it(drive, right, method):
    given = driven(drive, method=method)
    assert abs(voltage_after(given) / right - 1) > 0.6
    found = told(given)
    assert found.message.startswith("Line 2 of the equations of cells changes with t so fast that steps of 0.1 ms do ")
    assert found.place == ("populations", 0, "neuron", "lines", 1)
    assert found.distorts
    shorter = driven(drive, step_of(found), method=method)
    assert told(shorter) is None
    assert voltage_after(shorter) == pytest.approx(right, rel=0.12)


def test_a_neuron_that_a_pulse_lets_fire_does_so_with_the_step_that_is_proposed():
    cells = {"threshold": "v > 10*mV", "reset": "v = 0*mV", "refractory": "2*ms", "number": 20}
    given = driven("1000*int(t > 5.03*ms and t < 5.05*ms)", **cells)
    shorter = driven("1000*int(t > 5.03*ms and t < 5.05*ms)", step_of(told(given)), **cells)
    for each, spikes in ((given, 0), (shorter, 1)):
        run = ENGINE.build(each, BACKEND)
        run.advance(round(UNTIL / each.parameters.numerics.step))
        assert (run.results()["neurons/spikes [1]"] == spikes).all()


def test_equations_that_are_solved_exactly_are_looked_at_too():
    given = driven("1000*int(t > 5.03*ms and t < 5.05*ms)", method="exact")
    right = 20 * left(5.04)
    assert voltage_after(given) == 0.0
    step = step_of(told(given))
    shorter = driven("1000*int(t > 5.03*ms and t < 5.05*ms)", step, method="exact")
    assert voltage_after(shorter) == pytest.approx(right, rel=0.12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("drive", ["cos(2*pi*t/(0.1*ms))", "sin(2*pi*t/(0.1*ms))**2", "sin(2*pi*t/(0.11*ms))"])
def test_a_wave_that_is_shorter_than_two_steps_is_told(drive, method):
    step = step_of(told(driven(drive, method=method)))
    assert step <= 0.05
    assert told(driven(drive, step, method=method)) is None


@pytest.mark.parametrize(("drive", "off"), [("cos(2*pi*t/(0.1*ms))", 5.0), ("sin(2*pi*t/(0.1*ms))**2", 5.0)])
def test_what_such_a_wave_adds_up_to_is_far_off_and_comes_right(drive, off):
    right = (0.5 if drive.endswith("2") else 0.0) * TAU * (1 - left(0.0))
    given = driven(drive, method="euler")
    assert abs(voltage_after(given) - right) > off
    assert voltage_after(driven(drive, step_of(told(given)), method="euler")) == pytest.approx(right, abs=0.1)


SLOW = (
    "sin(2*pi*t/(100*ms))", "cos(2*pi*t/(10*ms))", "min(t/(50*ms), 1)", "clip((t - 20.03*ms)/(10*ms), 0, 1)",
    "exp(-t/(100*ms))", "exp(-t/(2*ms))", "(1 - exp(-t/(2*ms)))", "t/ms*exp(1 - t/(5*ms))", "t/(7*ms)", "(t/ms)**2",
    "int(t > 5*ms)", "int(t > 39.99*ms)", "int(t > 100.03*ms)", "int(t < 200.05*ms)", "(1 - int(t > 50.04*ms))",
    "int(t > 1000.03*ms and t < 1002.07*ms)", "int(sin(2*pi*10*Hz*t) > 0.9)", "tanh((t - 50*ms)/(0.01*ms))",
    "int(t/ms > 400.07)", "int(t > (i + 1)*100.03*ms)", "exp(-((t - 50*ms)/(5*ms))**2)", "2", "0*sin(1e9*t/ms)",
)  # fmt: skip


@pytest.mark.parametrize("method", ["euler", "rk4"])
@pytest.mark.parametrize("drive", SLOW)
def test_nothing_is_said_of_what_steps_follow(drive, method):
    assert told(driven(drive, method=method)) is None


@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_said_of_published_models(name):
    neuron = {"kind": "own equations", **MODELS[name]}
    assert told(problem({"name": "cells", "number": 5, "neuron": neuron})) is None


def test_nothing_is_said_of_what_the_form_offers():
    for title, values in (*LIBRARY, *OF_PYNN):
        neuron = {"kind": "own equations", **values}
        assert told(problem({"name": "cells", "number": 5, "neuron": neuron})) is None, title


def test_times_that_parameters_and_numbers_of_neurons_give_are_looked_at():
    """Beyond the steps that are looked at from the start on."""
    late = numbers(on=(900.03, "ms"), wide=(0.02, "ms"))
    for window in (
        "t > on and t < on + wide",
        "t - on > 0*ms and (t - on)/wide < 1",
        "t > on + i*wide and t < on + i*wide + wide",
    ):
        found = told(driven(f"1000*int({window})", parameters=late))
        assert found.place == ("populations", 0, "neuron", "lines", 1)
        slow = [late[0], {**late[1], "value": 5.0}]
        assert told(driven(f"1000*int({window})", parameters=slow)) is None


def test_a_stimulus_that_is_switched_off_is_not_told():
    gain = numbers(gain=(0.0, "1"))
    assert told(driven("gain*cos(2*pi*t/(0.1*ms))", parameters=gain)) is None
    assert told(driven("gain*cos(2*pi*t/(0.1*ms))", parameters=numbers(gain=(1.0, "1")))) is not None


def test_what_is_added_and_rests_hides_nothing():
    """5 mV are much to a neuron, and little beside -70 mV."""
    line = "dv/dt = (-70*mV + 5*mV*cos(2*pi*t/(0.1*ms)) - v)/(10*ms) : volt"
    given = problem(population(line, starts="v = -70*mV"))
    assert voltage_after(given, 60.0) == pytest.approx(-65.0, abs=0.1)
    found = told(given)
    assert found.place == ("populations", 0, "neuron", "lines", 0)
    shorter = problem(population(line, starts="v = -70*mV"), step=step_of(found))
    assert voltage_after(shorter, 60.0) == pytest.approx(-70.0, abs=0.1)


def test_the_line_that_is_too_fast_is_named():
    lines = (
        "dv/dt = (A + B)/ms - v/(20*ms) : volt",
        "A = mV*sin(2*pi*t/(100*ms)) : volt",
        "B = C*w : volt",
        "w = exp(-t/(0.01*ms)) : 1",
        "C = 5000*mV : volt",
    )
    found = told(problem(population(*lines)))
    assert found.place == ("populations", 0, "neuron", "lines", 3)
    assert found.message.startswith("Line 4 of the equations of cells")
    product = (lines[0], "A = mV*int(t > 5.03*ms) : volt", "B = 5000*A*w : volt", "w = int(t < 5.05*ms) : 1")
    assert told(problem(population(*product))).place == ("populations", 0, "neuron", "lines", 0)
    unused = (*lines[:2], "B = 1*mV : volt", lines[3])
    assert told(problem(population(*unused))) is None


def test_the_worse_of_two_populations_is_told_with_a_step_for_both():
    slow = population(LEAK, "I = mV/ms*exp(-t/(0.2*ms)) : volt/second", name="first")
    fast = population(LEAK, "I = mV/ms*exp(-t/(0.01*ms)) : volt/second", name="second")
    found = told(problem(slow, fast))
    assert found.place == ("populations", 1, "neuron", "lines", 1)
    assert step_of(found) < 0.01
    assert told(problem(slow, {**fast, "number": 0})).place == ("populations", 0, "neuron", "lines", 1)


@pytest.mark.parametrize(
    ("threshold", "fast"),
    [
        ("v > 10*mV or (t > 5.03*ms and t < 5.05*ms)", True),
        ("v > 10*mV or (t > 4.95*ms and t < 5.05*ms)", False),  # one step is in it, and one spike is all there is
        ("v > 10*mV and t > 100.03*ms", False),
        ("v > 10*mV + 5*mV*cos(2*pi*t/(0.1*ms))", True),
        ("v > 10*mV + 5*mV*cos(2*pi*t/(50*ms))", False),
    ],
)
def test_thresholds_are_looked_at(threshold, fast):
    found = told(problem(population("dv/dt = -v/(20*ms) : volt", threshold=threshold, reset="v = 0*mV")))
    assert (found is not None) == fast
    if fast:
        assert found.message.startswith("The threshold of cells changes with t so fast")
        assert found.place == ("populations", 0, "neuron", "threshold")


def joined(*lines, **more):
    cells = population(
        "dv/dt = (g_e + I_syn)/ms - v/(20*ms) : volt", "dg_e/dt = -g_e/(5*ms) : volt", "I_syn : volt (summed)",
        excitatory="g_e += weight",
    )  # fmt: skip
    connection = {"source": "cells", "target": "cells", "weight": {"kind": "constant", "weight": 1.0},
                  "plasticity": {**SYNAPSES, "lines": ["w : volt", *lines]}, **more}  # fmt: skip
    return problem(cells, connections=[connection])


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (("I_syn_post = w*cos(2*pi*t/(0.1*ms)) : volt (summed)",), 1),
        (("I_syn_post = x*w : volt (summed)", "dx/dt = 5*int(t < 0.01*ms)/ms - x/(10*ms) : 1 (clock-driven)"), 2),
        (("I_syn_post = x*w : volt (summed)", "dx/dt = s - x/(10*ms) : 1 (clock-driven)",
          "s = 5*int(t < 0.01*ms)/ms : hertz"), 3),
        (("I_syn_post = w*sin(2*pi*t/(100*ms)) : volt (summed)",), None),
    ],
)  # fmt: skip
def test_synapses_are_looked_at(lines, line):
    found = told(joined(*lines))
    assert (found.place if found else None) == (line and ("connections", 0, "plasticity", "lines", line))
    if found:
        assert found.message.startswith(f"Line {line + 1} of the synapses from cells to cells changes with t so fast")


def test_no_step_is_proposed_with_which_delays_are_too_many_steps():
    fast = population(LEAK, "I = mV/ms*exp(-t/(0.001*ms)) : volt/second")
    cells = population("dv/dt = -v/(20*ms) : volt", name="others", excitatory="v += weight")
    weight = {"kind": "constant", "weight": 1.0}

    def after(delay):
        connection = {"source": "cells", "target": "others", "weight": weight,
                      "delay": {"kind": "constant", "delay": delay}}  # fmt: skip
        return problem(fast, cells, connections=[connection])

    assert step_of(told(after(1.5))) < 0.001
    assert told(after(50.0)).remedy is None


def test_nothing_is_looked_at_where_no_line_says_t():
    parameters = problem(population("dv/dt = -v/(20*ms) : volt")).parameters
    assert not list(told_of_times(parameters))
