"""Networks: what their estimate says."""

from pathlib import Path
from typing import Any

from tests.findings.cases import Case, project

ONE = {"name": "one", "number": 20, "neuron": {"kind": "hodgkin-huxley"}, "external": {"current": 600.0}}
LEAKY = {"name": "one", "number": 20, "neuron": {"kind": "lif", "refractory_time": 2.0}, "external": {"current": 60.0}}
TYPED = {"name": "one", "number": 20, "neuron": {"kind": "own equations", "excitatory": ""}}
JOINED = {"source": "one", "target": "one", "weight": {"kind": "constant", "weight": 1.0}}


def _brian2(folder: Path) -> Path:
    """With more lines that are left out than are told one by one."""
    path = folder / "model.py"
    group = "G = NeuronGroup(1, 'dv/dt = -v/(10*ms) : volt', threshold='v > 1*mV', reset='v = 0*mV')"
    path.write_text("\n".join([group, *["G.v[0] = 3*mV"] * 41]))
    return path


def _sonata(folder: Path) -> Path:
    """The same of a circuit's inputs."""
    from tests.engines.spiking.sonata.circuits import circuit

    return circuit(folder, simulation={"inputs": {f"clamp {k}": {"input_type": "voltage_clamp"} for k in range(41)}})


def _pynn(folder: Path) -> dict[str, Any]:
    """A list of connections as PyNN saves it."""
    (folder / "pairs.txt").write_text("# columns = ['i', 'j', 'weight', 'tau']\n0.0\t1.0\t0.001\t1.5\n")
    connection = {**JOINED, "rule": {"kind": "file", "path": str(folder / "pairs.txt")}}
    return {"populations": [{**LEAKY, "neuron": {"kind": "lif", "refractory_time": 0.0}}], "connections": [connection]}


def _list(folder: Path) -> dict[str, Any]:
    """A random source, and a list of spikes, that are too fast for the step."""
    (folder / "spikes.csv").write_text("neuron,time\n0,1.0\n0,1.03\n")
    listed = {"name": "listed", "number": 1, "neuron": {"kind": "spike list", "path": str(folder / "spikes.csv")}}
    random = {"name": "random", "number": 3, "neuron": {"kind": "poisson", "rate": 3000.0}}
    return {"populations": [random, listed], "connections": []}


def forced(drive: str, which: int) -> Case:
    """Neurons that hang on time."""
    neuron = {**TYPED["neuron"], "lines": [f"dv/dt = {drive} + (E_L - v)/tau_m : volt"], "inhibitory": ""}
    values = {"populations": [{**TYPED, "neuron": neuron}], "connections": []}
    return Case(project("spiking", values), (f"engines.formulas.typed.forcing.told_of_forcing#{which}",))


CASES = {
    "weak synapses beside strong ones": Case(
        project(
            "spiking",
            {
                "populations": [{**LEAKY, "neuron": {"kind": "lif", "refractory_time": 0.0}, "external": {}}],
                "connections": [{**JOINED, "weight": {"kind": "constant", "weight": weight}} for weight in (0.01, 1e6)],
            },
        ),
        ("engines.spiking.setup.quanta.coarse",),
    ),
    "sources with more spikes than a step takes": Case(
        project("spiking", _list),
        ("engines.spiking.setup.sources.crowded#1", "engines.spiking.setup.sources.crowded#2"),
    ),
    "weights and delays of a list that PyNN wrote": Case(
        project("spiking", _pynn),
        (
            "engines.spiking.setup.checks._of_pynn",
            "engines.spiking.setup.checks._of_table#1",
            "engines.spiking.setup.checks._of_table#2",
        ),
    ),
    "what of a SONATA circuit is left out": Case(
        _sonata, ("engines.spiking.sonata.reader._findings#1", "engines.spiking.sonata.reader._findings#2")
    ),
    "what of a Brian2 script is left out": Case(
        _brian2, ("engines.spiking.brian2.reader._findings#1", "engines.spiking.brian2.reader._findings#2")
    ),
    "a current and spikes that typed neurons do not take": Case(
        project(
            "spiking",
            {"populations": [{**TYPED, "external": {"current": 10.0, "rate": 50.0, "weight": 1.0}}], "connections": []},
        ),
        ("engines.spiking.setup.checks._unheard#1", "engines.spiking.setup.checks._unheard#2"),
    ),
    "synapses that do nothing, from weights that they do not take": Case(
        project(
            "spiking",
            {
                "populations": [LEAKY],
                "connections": [
                    {**JOINED, "plasticity": {"kind": "own equations", "on_pre": ["Apre += dApre"], "starts": ""}}
                ],
            },
        ),
        (
            "engines.spiking.setup.typed_synapses.synapse_findings#1",
            "engines.spiking.setup.typed_synapses.synapse_findings#2",
        ),
    ),
    "a current that nothing sums up": Case(
        project(
            "spiking",
            {
                "populations": [
                    {
                        **TYPED,
                        "neuron": {
                            **TYPED["neuron"],
                            "lines": ["dv/dt = (E_L - v + I*Gohm)/tau_m : volt", "I : amp (summed)"],
                            "inhibitory": "",
                        },
                    }
                ],
                "connections": [],
            },
        ),
        ("engines.spiking.setup.typed_synapses._unsummed",),
    ),
    "first weights beyond their bound": Case(
        project(
            "spiking",
            {
                "populations": [LEAKY],
                "connections": [{**JOINED, "plasticity": {"kind": "own equations", "on_pre": ["g_e_post += w*mV"]}}],
            },
        ),
        ("engines.spiking.setup.typed_synapses.synapse_findings#3",),
    ),
    "a pulse between steps": forced("mV/ms*int(t > 5.03*ms and t < 5.05*ms)", 1),
    "a line that no step follows": forced("mV/ms*sin(1e9*t/ms)", 2),
    "intervals that a step stretches": Case(
        project("spiking", {"populations": [ONE], "connections": [], "numerics": {"step": 1.0}}),
        ("engines.spiking.setup.checks._stretched",),
    ),
    "spikes on the grid of steps": Case(
        project("spiking", {"populations": [LEAKY], "connections": []}), ("engines.spiking.setup.checks._whole_steps",)
    ),
    "a part of a step": Case(
        project(
            "spiking",
            {
                "populations": {"excitatory": 80, "inhibitory": 20},
                "connections": {"kind": "probability", "probability": 0.2},
                "numerics": {"step": 0.3},
            },
        ),
        ("engines.spiking.setup.checks._rounded",),
    ),
    "a delay of no whole steps": Case(
        project(
            "spiking",
            {
                "populations": [ONE],
                "connections": [{**JOINED, "delay": {"kind": "constant", "delay": 0.149}}],
                "numerics": {"step": 0.1},
            },
        ),
        ("engines.spiking.setup.checks._rounded_delays",),
    ),
    "delays, weights and first conductances with another mean than was asked for": Case(
        project(
            "spiking",
            {
                "populations": [
                    {
                        **LEAKY,
                        "start": {"kind": "normal", "excitation_spread": 2.0},
                        "neuron": {"kind": "lif", "refractory_time": 0.0},
                        "external": {},
                    },
                ],
                "connections": [
                    {
                        **JOINED,
                        "weight": {"kind": "normal", "weight": -1.0, "spread": 2.0},
                        "delay": {"kind": "normal", "delay": 1.5, "spread": 2.0},
                    },
                    {**JOINED, "plasticity": {"kind": "stdp", "highest": 0.5}},
                ],
            },
        ),
        ("engines.spiking.setup.cut_off._Drawn.told",),
    ),
}
