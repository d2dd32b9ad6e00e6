"""SONATA's circuits: the spikes of NEST's own steps, written once more; what does not map is told."""

import json
import math

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.spiking.parameters.equations import OwnNeuron
from engines.spiking.sonata.config import Config, NodeSets
from engines.spiking.sonata.models import Clamp, neuron_of
from engines.spiking.sonata.tables import read_spikes
from engines.spiking.typed.population import typed_of
from tests.engines.spiking.sonata import circuits
from workbench.project.boundary import EVERYTHING, OutsideFiles
from workbench.project.document import open_document, save_document

DT = 0.1


@pytest.fixture(autouse=True)
def _own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def spikes_of(document, until):
    """{(population, number): ends of steps [ms]}"""
    simulation = document.engine.build(document.complete_problem(), CpuBackend())
    names = [(each.name, k) for each in document.parameters.populations for k in range(each.number)]
    found, before = {name: [] for name in names}, np.zeros(len(names), int)
    for step in range(round(until / DT)):
        simulation.advance(1)
        count = np.asarray(simulation.state()["spikes"])
        for k in np.flatnonzero(count > before):
            found[names[k]].append(round((step + 1) * DT, 6))
        before = count.copy()
    return found


class Nest:
    """A neuron of iaf_psc_alpha or iaf_psc_exp, by the update of its source; times in steps."""

    def __init__(self, alpha, c=250.0, tau=10.0, v_th=-55.0, tau_ex=2.0, current=lambda step: 0.0):
        self.alpha, self.c, self.tau, self.theta, self.current = alpha, c, tau, v_th + 70, current
        self.taus, self.y, self.d, self.i, self.r = (tau_ex, 2.0), 0.0, [0.0, 0.0], [0.0, 0.0], 0

    def update(self, step, arriving):
        h, fires = DT, False
        if self.r:
            self.r -= 1
        else:  # exact: V(h) of the linear equations, by fine quadrature of their closed form
            s = np.linspace(0, h, 201)
            given = sum(
                (i + d * s) * np.exp(-s / tau) for i, d, tau in zip(self.i, self.d, self.taus, strict=True)
            ) + self.current(step)
            kernel = given * np.exp(-(h - s) / self.tau) / self.c
            self.y = self.y * math.exp(-h / self.tau) + (h / 600) * (
                kernel[0] + kernel[-1] + 4 * kernel[1:-1:2].sum() + 2 * kernel[2:-1:2].sum()
            )
        for k, tau in enumerate(self.taus):
            self.i[k] = (self.i[k] + h * self.d[k]) * math.exp(-h / tau)
            self.d[k] *= math.exp(-h / tau)
            if self.alpha:
                self.d[k] += math.e / tau * arriving[k]
            else:
                self.i[k] += arriving[k]
        if self.y >= self.theta:
            self.y, self.r, fires = 0.0, round(2.0 / DT), True
        return fires


def nests_spikes(until):
    """{id: stamps [ms]} of the circuit, which is ``circuits.circuit``: a spike of the step that ends at T is stamped T,
    arrives at T and its delay, and is added at the end of the step that ends there."""

    def clamp(step):
        return 900.0 if 200 <= step < 400 else 0.0

    cells = {10: Nest(True, 200.0, 15.0, -52.0, 1.5), 11: Nest(False), 12: Nest(True, 200.0, 15.0, -52.0, 1.5, clamp),
             13: Nest(False)}  # fmt: skip
    joined = [(s, t, *{1: (3000.0, 15), 2: (-300.0, 10)}[kind])
              for s, t, kind in zip(*circuits.INNER.values(), strict=True)]  # fmt: skip
    coming = {}
    for node, time in zip(*circuits.SPIKES.values(), strict=True):
        for s, t, _, weight in zip(*circuits.OUTER.values(), strict=True):
            if s == node and t in cells:
                coming.setdefault((math.ceil(time / DT - 1e-6) + 20, t), []).append(weight)
    found = {name: [] for name in cells}
    for step in range(round(until / DT)):
        for name, cell in cells.items():
            weights = coming.get((step + 1, name), [])
            if cell.update(step, (sum(w for w in weights if w > 0), sum(w for w in weights if w < 0))):
                found[name].append(round((step + 1) * DT, 6))
                for s, t, weight, delay in joined:
                    if s == name:
                        coming.setdefault((step + 1 + delay, t), []).append(weight)
    return found


def test_a_circuit_has_the_spikes_of_nests_steps(tmp_path):
    document = open_document(circuits.circuit(tmp_path))
    assert document.project.run.until == 60.0
    wanted = nests_spikes(60.0)
    found = spikes_of(document, 60.0)
    populations = {name for name, _ in found}
    assert populations == {"ext", "cells exc", "cells exc 2", "cells inh"}  # 12 has a clamp, so is one of its own
    ours = {10: ("cells exc", 0), 12: ("cells exc 2", 0), 11: ("cells inh", 0), 13: ("cells inh", 1)}
    assert all(wanted.values())
    assert len(wanted[12]) > 3
    assert {node: found[name] for node, name in ours.items()} == wanted
    assert [found["ext", k] for k in range(3)] == [[5.0, 30.0, 40.0], [10.1, 11.0], [12.0]]
    assert [each.neuron.method for each in document.parameters.populations[:3]] == ["auto", "auto", "exact"]
    told = {each.message for each in document.findings}
    for piece in ("synapses: 1 node of 'cells' (type 102, biophysical", "Left out: 1 of 4 edges 'ext_cells'",
                  "nsyns", "Reports: not read", "places in space"):  # fmt: skip
        assert any(piece in sentence for sentence in told), piece
    assert len(told) == 5


def test_what_is_saved_needs_nothing_of_the_circuit(tmp_path):
    (tmp_path / "a").mkdir()
    document = open_document(circuits.circuit(tmp_path / "a"))
    wanted = spikes_of(document, 30.0)
    save_document(document, tmp_path / "saved")
    for place in ("a", "state"):
        (tmp_path / place).rename(tmp_path / f"{place} gone")
    again = open_document(tmp_path / "saved")
    assert spikes_of(again, 30.0) == wanted
    assert sum(map(len, wanted.values())) > 5


def test_a_circuit_alone_has_no_spikes_from_outside_and_says_so(tmp_path):
    circuits.circuit(tmp_path)
    document = open_document(tmp_path / "circuit_config.json")
    assert document.project.run.until is None
    assert [each.name for each in document.parameters.populations] == ["cells exc", "cells inh"]
    assert any("3 nodes of 'ext', which are virtual" in each.message for each in document.findings)


def test_files_outside_its_folder_are_read_only_if_allowed(tmp_path):
    (tmp_path / "inner").mkdir()
    outer = {"components": {"point_neuron_models_dir": "../shared"}}
    path = circuits.circuit(tmp_path / "inner", circuit=outer)
    (tmp_path / "inner" / "models").rename(tmp_path / "shared")
    with pytest.raises(OutsideFiles) as refused:
        open_document(path)
    assert refused.value.files == (tmp_path / "shared" / "exc.json",)
    allowed = open_document(path, permission=EVERYTHING)
    assert numbers(allowed.parameters.populations[0].neuron)["c_m"] == 0.2
    (tmp_path / "shared" / "exc.json").unlink()
    without = open_document(path)
    assert numbers(without.parameters.populations[0].neuron)["c_m"] == 0.25
    assert any("'exc.json' is not there" in each.message for each in without.findings)


def numbers(neuron):
    return {each.name: each.value for each in neuron.parameters}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"circuit": {"manifest": {"$NETWORK_DIR": "$OTHER/x"}}}, r"names \$OTHER, which its manifest lacks"),
        ({"circuit": {"manifest": {"$NETWORK_DIR": "$A", "$A": "$NETWORK_DIR"}}}, r"by itself: write a folder"),
        ({"circuit": {"manifest": {"$NETWORK_DIR": "elsewhere"}}}, "is not there, or may not be read"),
        ({"circuit": {"manifest": {"$NETWORK_DIR": "x" * 3000}}}, "longer than names of files"),
        ({"circuit": {"networks": {"nodes": []}}}, "names no nodes"),
        ({"simulation": {"run": {"dt": "fast"}}}, "for dt: give it a number"),
        ({"simulation": {"run": {"dt": 0}}}, "a step of 0 ms: give dt between"),
        ({"simulation": {"network": "$BASE_DIR/none.json"}}, "none.json', which is not there"),
    ],
)
def test_what_cannot_be_opened_is_said_in_a_sentence(tmp_path, changes, why):
    with pytest.raises(ProblemError, match=why):
        open_document(circuits.circuit(tmp_path, **changes))


def test_edges_that_name_no_node_and_circuits_without_point_neurons_are_refused(tmp_path):
    path = circuits.circuit(tmp_path)
    cells = tmp_path / "network" / "cells_nodes.h5"
    circuits.nodes(cells, "cells", [100, 101, 100], [10, 11, 12])
    with pytest.raises(ProblemError, match="name node 14 of 'cells', which has no such node"):
        open_document(path)
    circuits.nodes(cells, "cells", [102, 102, 102], [10, 11, 12])
    with pytest.raises(ProblemError, match="no point neurons that are known here"):
        open_document(path)


def test_inputs_that_are_not_known_are_told(tmp_path):
    inputs = {
        "a": {"input_type": "spikes", "module": "nwb", "input_file": "x.nwb", "node_set": "ext"},
        "b": {"input_type": "current_clamp", "module": "IClamp", "electrode_file": "e.csv"},
        "c": {"input_type": "current_clamp", "amp": 1.0, "node_set": "nobody"},
    }
    document = open_document(circuits.circuit(tmp_path, simulation={"inputs": inputs}))
    told = " ".join(each.message for each in document.findings)
    for piece in ("Left out: input 'a' (spikes, nwb)", "input 'b' (current_clamp, IClamp)",
                  "input 'c', for there is no node set 'nobody'"):  # fmt: skip
        assert piece in told


@pytest.mark.parametrize(("count", "populations"), [(5, 5), (200, 1)])
def test_parameters_of_each_node_make_populations_or_are_told(tmp_path, count, populations):
    path = circuits.circuit(tmp_path)
    thresholds = -55.0 + 0.01 * np.arange(count)
    cells = tmp_path / "network" / "cells_nodes.h5"
    circuits.nodes(cells, "cells", [100] * count, np.arange(10, 10 + count), dynamics_params__V_th=thresholds)
    found = open_document(path).parameters.populations
    cells = [each for each in found if each.neuron.kind == "own equations"]
    assert len(cells) == (populations if populations > 1 else 2)  # one has the clamp
    if populations > 1:
        assert [numbers(each.neuron)["v_thresh"] for each in cells] == pytest.approx(thresholds)
    else:
        told = [each.message for each in open_document(path).findings if "V_th of 'cells'" in each.message]
        assert len(told) == 1
        assert "all have the mean" in told[0]


def test_types_that_are_numbered_in_the_file_are_these(tmp_path):
    """Attributes of nodes over those of their type, and texts of a library."""
    path = circuits.circuit(tmp_path)
    cells = tmp_path / "network" / "cells_nodes.h5"
    circuits.nodes(cells, "cells", [102] * 5, [10, 11, 12, 13, 14], model_type=[0, 1, 0, 0, 0],
                   model_template=["nest:iaf_psc_exp"] * 3 + ["nest:iaf_psc_alpha", "nest:none"])  # fmt: skip
    import h5py

    with h5py.File(cells, "r+") as file:
        file["nodes/cells/0/@library/model_type"] = ["point_neuron", "biophysical"]
    document = open_document(path)
    assert [each.number for each in document.parameters.populations] == [1, 1, 1, 3]
    told = " ".join(each.message for each in document.findings)
    assert "1 node of 'cells' (type 102, point_neuron, nest:none): there is no such model" in told
    assert "1 node of 'cells' (type 102, biophysical, nest:iaf_psc_exp): cells with morphologies" in told


@pytest.mark.parametrize(
    ("template", "given", "values", "told"),
    [
        ("nest:iaf_psc_exp", {"E_L": -60.0}, {"v_rest": -60.0, "v_thresh": -45.0, "v_reset": -60.0}, 0),
        ("nest:iaf_cond_exp", {"C_m": 300.0, "g_L": 15.0, "V_min": -1.8e308}, {"tau_m": 20.0, "v_thresh": -55.0}, 0),
        ("nest:iaf_cond_alpha", {"E_L": -60.0, "tau_minus": 20.0}, {"v_rest": -60.0, "v_thresh": -55.0}, 0),
        ("nest:aeif_cond_exp", {"b": 60.0, "w": 3.0}, {"b": 0.06, "v_spike": 0.0, "tau_m": 9.36666666667}, 1),
        ("nest:hh_cond_exp_traub", {"g_Na": 10_000.0, "t_ref": 2.0}, {"gbar_Na": 10.0, "e_rev_leak": -60.0}, 1),
        ("nest:izhikevich", {"d": 2.0, "I_e": 5.0}, {"d": 2.0, "i_offset": 0.005}, 0),
        ("nest:iaf_psc_delta", {"I_e": 100.0, "delta": 1.0}, {"i_offset": 0.1, "c_m": 0.25}, 1),
        ("nest:glif_psc", {"g": 5.0, "C_m": 100.0, "tau_syn": [3.0, 7.0], "V_m": -70.0},
         {"tau_m": 20.0, "tau_syn_E": 3.0, "tau_syn_I": 7.0, "amp_0": 0.0}, 0),
        ("nest:glif_psc", {"after_spike_currents": True, "asc_amps": [-9.0, -100.0], "spike_dependent_threshold": True},
         {"amp_1": -100.0, "k_0": 0.003, "v_rest": -78.85}, 1),
        ("pynn:IF_curr_exp", {"cm": 2.0, "i_offset": 0.3}, {"c_m": 2.0, "i_offset": 0.3, "v_rest": -65.0}, 0),
        ("nrn:IntFire1", {"tau": 24.0, "refrac": 3.0}, {"tau": 24.0, "refrac": 3.0}, 0),
    ],
)  # fmt: skip
def test_models_have_the_values_of_the_file_and_else_those_of_their_program(template, given, values, told):
    """NEST's of models/NAME.cpp, in PyNN's units."""
    neuron, rest = neuron_of(template, given, [Clamp(1.0, 5.0, 7.0)], (1, 2))
    read = OwnNeuron.model_validate(neuron)
    typed_of(read)
    assert values.items() <= numbers(read).items()
    assert len(rest) == told + (template == "nrn:IntFire1"), rest  # which has no current
    assert ("v = -70.0*mV" in read.starts) == ("V_m" in given)


@pytest.mark.parametrize(
    ("template", "given", "why"),
    [
        ("nest:iaf_psc_alpha", {"C_m": -250.0}, "C_m = -250: give it a value above 0"),
        ("nest:iaf_cond_exp", {"C_m": -300.0, "g_L": -15.0}, "C_m = -300: give it"),
        ("nest:iaf_cond_exp", {"g_L": 0}, "g_L = 0: give it a value above 0"),
        ("nest:glif_psc", {"tau_syn": [3.0, -7.0]}, "tau_syn = -7: give it a value above 0"),
        ("nest:iaf_psc_exp", {"t_ref": -1.0}, "t_ref = -1: give it a value of 0 or more"),
        ("nest:hh_cond_exp_traub", {"g_Na": -1.0}, "g_Na = -1: give it a value of 0 or more"),
        ("pynn:IF_curr_exp", {"cm": 0.0}, "cm = 0: give it a value above 0"),
        ("nrn:IntFire1", {"tau": -24.0}, "tau = -24: give it a value above 0"),
    ],
)
def test_numbers_that_no_neuron_has_are_refused(template, given, why):
    with pytest.raises(ProblemError, match=f"neurons of '[^']+' have {why}"):
        neuron_of(template, given, [], (1, 2))


def test_a_negative_capacitance_in_a_file_is_refused(tmp_path):
    path = circuits.circuit(tmp_path)
    (tmp_path / "models" / "exc.json").write_text(json.dumps({**circuits.EXC, "C_m": -200.0}))
    with pytest.raises(ProblemError, match="'iaf_psc_alpha' have C_m = -200: give it a value above 0"):
        open_document(path)


def test_time_constants_of_ports_and_weights_of_other_programs(tmp_path):
    """Synapses that say a receptor have its time constant; IntFire1 and PyNN's weights are in their own units."""
    path = circuits.circuit(tmp_path, circuit={"components": {"point_neuron_models_dir": "models",
                                                              "synaptic_models_dir": "."}})  # fmt: skip
    table = circuits.NODE_TYPES.replace("nest:iaf_psc_exp NULL", "pynn:IF_cond_exp NULL")
    table = table.replace("nest:iaf_psc_alpha", "nest:glif_psc")
    (tmp_path / "network" / "cells_node_types.csv").write_text(table)
    (tmp_path / "models" / "exc.json").write_text(json.dumps({"tau_syn": [1.0, 2.0, 3.0, 4.0]}))
    (tmp_path / "third.json").write_text('{"receptor_type": 3}')
    (tmp_path / "inh.json").write_text('{"receptor_type": 2, "U": 0.5}')
    kinds = (
        "edge_type_id syn_weight dynamics_params model_template\n1 .5 inh.json tsodyks_synapse\n2 -.5 inh.json NULL\n"
    )
    (tmp_path / "network" / "cells_cells_edge_types.csv").write_text(kinds)
    outer = circuits.OUTER_TYPES.replace("NULL", "third.json")
    (tmp_path / "network" / "ext_cells_edge_types.csv").write_text(outer)
    document = open_document(path)
    exc, inh = (next(each for each in document.parameters.populations if each.name == f"cells {name}").neuron
                for name in ("exc", "inh"))  # fmt: skip
    assert (numbers(exc)["tau_syn_E"], numbers(exc)["tau_syn_I"]) == (3.0, 2.0)
    joined = {(each.source, each.target): np.load(each.rule.path) for each in document.parameters.connections}
    assert joined["cells exc", "cells inh"]["weight"] == pytest.approx([500.0])
    assert joined["cells exc", "cells inh"]["delay"] == pytest.approx([1.0])  # as NEST's
    assert "gsyn_exc" in inh.excitatory
    told = " ".join(each.message for each in document.findings)
    for piece in ("of tsodyks_synapse, and here synapses whose", "not known here: U", "without a delay: 1 ms"):
        assert piece in told


def test_edges_without_a_weight_have_that_of_nest_and_are_told(tmp_path):
    path = circuits.circuit(tmp_path)
    kinds = "edge_type_id delay model_template\n1 1.0 static_synapse\n2 1.0 static_synapse\n"
    (tmp_path / "network" / "cells_cells_edge_types.csv").write_text(kinds)
    assert "without a syn_weight: 1, as NEST's" in " ".join(each.message for each in open_document(path).findings)


def test_names_that_say_each_other_again_and_again_are_looked_up_once():
    """Nine times nine times nine … of them."""
    manifest = {f"$V{k}": f"$V{k + 1}" * 9 for k in range(19)} | {"$V19": ""}
    assert Config("circuit", {"manifest": manifest}).file("x$V0") == "x"
    sets = {f"set {k}": [f"set {k + 1}"] * 9 for k in range(9)} | {"set 9": {"layer": 4}}
    assert list(NodeSets(sets).rules_of("set 0")) == [{"layer": 4}]


def clamped(tmp_path, **clamp):
    given = {"input_type": "current_clamp", "module": "IClamp", "node_set": "twelve", "amp": 900.0, **clamp}
    return open_document(circuits.circuit(tmp_path, simulation={"inputs": {"clamp": given}}))


def test_a_clamp_of_no_duration_is_left_out_and_one_that_says_none_goes_on(tmp_path):
    """Of 0 ms it went on for ever, of less there was none, without a word."""
    for duration in (0, -5.0):
        document = clamped(tmp_path, delay=20.0, duration=duration)
        assert not any("900" in line or "0.9*" in line for each in document.parameters.populations
                       for line in getattr(each.neuron, "lines", ()))  # fmt: skip
        assert any("Left out: input 'clamp', for its duration" in each.message for each in document.findings)
    lines = [line for each in clamped(tmp_path, delay=20.0).parameters.populations
             for line in getattr(each.neuron, "lines", ()) if "0.9*nA" in line]  # fmt: skip
    assert lines == ["I = i_offset + I_ext + 0.9*nA*int(t >= 20*ms - dt/4) : amp"]


def test_what_is_there_twice_is_refused(tmp_path):
    """The first of two nodes, the last of two rows or populations was taken without a word."""
    path = circuits.circuit(tmp_path)
    cells = tmp_path / "network" / "cells_nodes.h5"
    types = tmp_path / "network" / "cells_node_types.csv"
    circuits.nodes(cells, "cells", [100, 101, 100, 101, 102, 100], [10, 11, 12, 13, 14, 13])
    with pytest.raises(ProblemError, match=r"'cells_nodes.h5' has two nodes 13 in 'cells': give each"):
        open_document(path)
    circuits.circuit(tmp_path)
    types.write_text(circuits.NODE_TYPES + "100 other point_neuron nest:iaf_psc_exp NULL\n")
    with pytest.raises(ProblemError, match=r"'cells_node_types.csv' has two rows of node_type_id 100: leave one out"):
        open_document(path)
    types.write_text(circuits.NODE_TYPES)
    config = tmp_path / "circuit_config.json"
    known = json.loads(config.read_text())
    known["networks"]["nodes"].append(known["networks"]["nodes"][0])
    config.write_text(json.dumps(known))
    with pytest.raises(ProblemError, match="two files of nodes 'cells': put a population into one file"):
        open_document(path)


def test_rows_of_more_cells_than_names_are_refused(tmp_path):
    """A text with blanks without quotation marks moved all that came after it by a column."""
    path = circuits.circuit(tmp_path)
    types = tmp_path / "network" / "cells_node_types.csv"
    types.write_text(circuits.NODE_TYPES.replace('"layer five"', "layer five"))
    with pytest.raises(ProblemError, match=r"a row of 6 cells below 5 names, '102 layer five biophysical"):
        open_document(path)


@pytest.mark.parametrize(("unit", "times"), [("seconds", 1e3), ("s", 1e3), ("ms", 1.0), ("milliseconds", 1.0)])
def test_spikes_are_in_their_unit(tmp_path, unit, times):
    table = {"node": [0, 1], "time": [0.005, 0.01]}
    circuits.spikes(tmp_path / "s.h5", "ext", table, unit)
    np.testing.assert_allclose(read_spikes(tmp_path / "s.h5")["ext"][1], np.array([0.005, 0.01]) * times)


def test_spikes_of_another_unit_are_refused(tmp_path):
    for unit in ("us", "min", "samples"):
        circuits.spikes(tmp_path / "s.h5", "ext", circuits.SPIKES, unit)
        with pytest.raises(ProblemError, match=f"has its spikes in '{unit}': write them in ms or s"):
            read_spikes(tmp_path / "s.h5")


def test_where_the_simulation_begins_and_texts_of_nodes_are_told(tmp_path):
    path = circuits.circuit(tmp_path, simulation={"run": {"tstop": 60.0, "dt": 0.1, "tstart": 30.0}})
    cells = tmp_path / "network" / "cells_nodes.h5"
    circuits.nodes(cells, "cells", [100, 101, 100, 101, 102], range(10, 15), dynamics_params__V_th=["-50 mV"] * 5)
    told = " ".join(each.message for each in open_document(path).findings)
    assert "The simulation begins at 30 ms there (tstart), and at 0 here." in told
    assert "Parameters of nodes 'cells' that are no numbers are not taken: V_th." in told


def test_fewer_synapses_than_none_and_weights_beyond_float32_are_refused(tmp_path):
    path = circuits.circuit(tmp_path)
    types = tmp_path / "network" / "cells_cells_edge_types.csv"
    types.write_text(circuits.EDGE_TYPES.replace("1500 1.5 2", "1500 1.5 -2"))
    with pytest.raises(ProblemError, match="fewer synapses"):
        open_document(path)
    types.write_text(circuits.EDGE_TYPES.replace("1500 1.5 2", "1e39 1.5 2"))
    document = open_document(path)
    with pytest.raises(ProblemError, match=r"The weight of synapse 1 is 2e\+39, and at most 3.4e\+38 can be"):
        document.engine.build(document.complete_problem(), CpuBackend())
