"""Reads SONATA's circuits and simulations (AllenInstitute/sonata, "SONATA developer guide"): a configuration names the
tables of nodes and edges, these name models and files of their parameters, and a simulation says what comes in.

Files are read in the order in which they name each other, each only if the project may read it; what of them the
network has not is told, whatever it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, Finding, Imported
from engines.api.errors import ProblemError
from engines.reading import foreign_file, read_json
from engines.spiking.brian2.neurons import checked
from engines.spiking.parameters import SpikingParameters
from engines.spiking.sonata.config import Config, NodeSets, config_of
from engines.spiking.sonata.models import Clamp
from engines.spiking.sonata.network import DYNAMICS, Circuit, network_of
from engines.spiking.sonata.tables import Nodes, Types, read_edges, read_nodes, read_spikes, read_types

SUFFIX = ".json"
MOST_TOLD = 40
USUAL_STEP, LONGEST_STEP = 0.1, 10.0
"""NEST's, and the longest that there is here [ms]."""
NODES, EDGES = ("nodes_file", "node_types_file", "node_type_id"), ("edges_file", "edge_types_file", "edge_type_id")
FOLDERS = ("point_neuron_models_dir", "synaptic_models_dir")
READ = {"manifest", "network", "networks", "components", "run", "inputs", "node_sets_file", "node_sets", "simulation",
        "target_simulator", "config_path", "config_dir"}  # fmt: skip
OF_ITS_OWN = {"output", "reports", "conditions", "overwrite_output", "gid_table"}
"""What says where its simulator writes, and how cells with morphologies begin."""
CONFIGS = ("network", "simulation")
LONG = 1e11
"""Of a clamp that says no duration [ms]: some years."""
Files = Mapping[str, Path]


@dataclass(eq=False)
class Reading:
    """What is known so far. circuit, simulation: configurations, which may be one; types: by name of their file"""

    name: str
    circuit: Config
    simulation: Config
    types: dict[str, Types] = field(default_factory=dict)
    told: list[tuple[str, bool]] = field(default_factory=list)

    def tell(self, sentence: str, matters: bool = True) -> None:
        if (sentence, matters) not in self.told:
            self.told.append((sentence, matters))

    def tables(self, names: tuple[str, str, str]) -> Iterable[tuple[str, str]]:
        """(HDF5, CSV or nothing) of nodes or edges."""
        for row in self.circuit.rows("networks", "nodes" if names is NODES else "edges"):
            if row.get("enabled", True) is not False:
                yield self.circuit.file(row.get(names[0])), self.circuit.file(row.get(names[1]))

    @property
    def inputs(self) -> list[tuple[str, Mapping[str, Any]]]:
        found = self.simulation.group("inputs")
        return [(str(name)[:40], each) for name, each in found.items()
                if isinstance(each, Mapping) and each.get("enabled", True) is not False]  # fmt: skip

    def parameter_file(self, name: str, folder: str) -> str:
        """Where the JSON of a type's ``dynamics_params`` is."""
        return self.circuit.within(self.circuit.group("components").get(folder), name)

    def parameter_names(self) -> dict[str, set[str]]:
        """Those that types of nodes and of edges name, by the folder that they are in."""
        found: dict[str, set[str]] = {folder: set() for folder in FOLDERS}
        for folder, names in zip(FOLDERS, (NODES, EDGES), strict=True):
            for _, file in self.tables(names):
                found[folder] |= {row[DYNAMICS] for row in self.types.get(file, {}).values() if DYNAMICS in row}
        return found


def read_sonata(path: Path) -> Imported | None:
    """None for what is no such configuration. Raises ProblemError."""
    try:
        first = config_of(path)
    except ProblemError:
        return None  # what is no JSON may be a damaged project, and is told as that
    if first is None:
        return None
    named = [first.file(first.content.get(key)) for key in CONFIGS]
    return Imported(SpikingParameters(), files=tuple(filter(None, named)), on=partial(_with_configs, first))


Stage = Callable[..., Imported]


def _staged(stage: Stage) -> Stage:
    """Whatever is raised by values that nobody thought of is one sentence, with the configuration's name."""

    @wraps(stage)
    def staged(known: Any, _: Any, path: Path, files: Files) -> Imported:
        with foreign_file(f"'{path.name}' cannot be read as a SONATA circuit: write its files again."):
            return stage(known, path, files)

    return staged


@_staged
def _with_configs(first: Config, path: Path, files: Files) -> Imported:
    found = {}
    for key in CONFIGS:
        name = first.file(first.content.get(key))
        if name:
            read = config_of(_there(files, name, path), name, str(Path(name).parent).replace("\\", "/"))
            found[key] = read or Config(name, read_json(files[name]), str(Path(name).parent))
    simulation = found.get("simulation", first)
    circuit = first if "networks" in first.content else found.get("network", first)
    reading = Reading(path.name, circuit, simulation)
    wanted = [name for names in (NODES, EDGES) for pair in reading.tables(names) for name in pair]
    wanted += [simulation.file(each.get("input_file")) for _, each in reading.inputs]
    wanted += [each.file(each.content.get("node_sets_file")) for each in (simulation, circuit)]
    if not any(True for _ in reading.tables(NODES)):
        raise ProblemError(f"'{circuit.name}' names no nodes: give its networks a list of them.")
    return Imported(SpikingParameters(), files=_once(wanted), on=partial(_then, _types, reading, files))


def _then(stage: Stage, reading: Reading, before: Files, _: Any, path: Path, files: Files) -> Imported:
    return stage((reading, {**before, **files}), None, path, files)


@_staged
def _types(known: tuple[Reading, Files], path: Path, _: Files) -> Imported:
    reading, files = known
    for names in (NODES, EDGES):
        for table, types in reading.tables(names):
            _there(files, table, path)
            if types:
                reading.types[types] = read_types(_there(files, types, path), names[2])
    wanted = [reading.parameter_file(name, folder)
              for folder, names in reading.parameter_names().items() for name in sorted(names)]  # fmt: skip
    return Imported(SpikingParameters(), files=_once(wanted), on=partial(_then, _whole, reading, files))


@_staged
def _whole(known: tuple[Reading, Files], path: Path, _: Files) -> Imported:
    reading, files = known
    run = reading.simulation.group("run")
    step, until = (
        reading.simulation.number(run, key, otherwise) for key, otherwise in (("dt", USUAL_STEP), ("tstop", 0))
    )
    if not 0 < step <= LONGEST_STEP:
        raise ProblemError(f"'{reading.simulation.name}' has a step of {step:g} ms: give dt between 0 and 10.")
    nodes = [each for table, types in reading.tables(NODES)
             for each in read_nodes(files[table], reading.types.get(types, {}))]  # fmt: skip
    edges = [each for table, types in reading.tables(EDGES)
             for each in read_edges(files[table], reading.types.get(types, {}))]  # fmt: skip
    twice = [name for name, count in Counter(each.name for each in nodes).items() if count > 1]
    if twice:
        raise ProblemError(f"'{path.name}' names two files of nodes '{twice[0][:60]}': put a population into one file.")
    if begins := reading.simulation.number(run, "tstart", 0.0):
        reading.tell(f"the simulation begins at {begins:g} ms there (tstart), and at 0 here")
    circuit = Circuit(nodes, edges, _parameters(reading, files), [], {}, step, reading.tell)
    _read_inputs(reading, files, circuit, until)
    try:
        populations, connections, tables = network_of(circuit)
    except ProblemError as error:
        told = "".join(f" {sentence}." for sentence, _ in reading.told[:3])
        raise ProblemError(f"'{path.name}' cannot be opened: {str(error).removesuffix('.')}.{told}") from None
    _tell_rest(reading, nodes)
    given = {"populations": populations, "connections": connections, "numerics": {"step": step}}
    parameters = checked(SpikingParameters, given)
    return Imported(parameters, tuple(_findings(reading.told)), until if until > 0 else None, tables=tables)


def _findings(told: Sequence[tuple[str, bool]]) -> Iterator[Finding]:
    for sentence, matters in told[:MOST_TOLD]:
        yield Finding(f"{sentence[0].upper()}{sentence[1:]}.", "warning" if matters else "info")
    if len(told) > MOST_TOLD:
        yield Finding(f"And {len(told) - MOST_TOLD} more things are left out, or otherwise here.")


def _parameters(reading: Reading, files: Files) -> dict[str, Mapping[str, Any]]:
    """JSON of models, by the name that types have for it."""
    found: dict[str, Mapping[str, Any]] = {}
    for folder, names in reading.parameter_names().items():
        for name in sorted(names):
            file = files.get(reading.parameter_file(name, folder))
            if file is None or not file.is_file():
                reading.tell(f"'{name[:60]}' is not there, or may not be read: its models have their usual values")
                continue
            content = read_json(file)
            if not isinstance(content, dict):
                raise ProblemError(f"'{file.name}' holds no parameters: write them as one JSON object.")
            found[name] = content
    return found


def _read_inputs(reading: Reading, files: Files, circuit: Circuit, until: float) -> None:
    sets = _node_sets(reading, files, circuit)
    for name, given in reading.inputs:
        try:
            rules = list(sets.rules_of(given.get("node_set")))
        except ProblemError as error:
            reading.tell(f"left out: input '{name}', for {error}")
            continue
        who = {each.name: each.chosen(rules) for each in circuit.nodes}
        kind, module = given.get("input_type"), given.get("module")
        file = reading.simulation.file(given.get("input_file"))
        if kind == "spikes" and module in ("h5", "sonata"):
            _add_spikes(reading, circuit, name, who, _there(files, file, Path(reading.name)))
        elif kind == "current_clamp" and "amp" in given and not isinstance(given["amp"], (list, str)):
            begins = reading.simulation.number(given, "delay", 0.0)
            ends = begins + reading.simulation.number(given, "duration", LONG)
            if ends <= begins:
                reading.tell(f"left out: input '{name}', for its duration is not above 0 ms")
                continue
            ends = float("inf") if ends >= LONG or 0 < until <= ends else ends
            circuit.clamps.append((Clamp(reading.simulation.number(given, "amp", 0.0), begins, ends), who))
        else:
            known = "spikes of the module h5 and current clamps with an amp are known here"
            reading.tell(f"left out: input '{name}' ({str(kind)[:30]}, {str(module)[:30]}): {known}")


def _add_spikes(reading: Reading, circuit: Circuit, name: str, who: Mapping[str, Array], file: Path) -> None:
    spikes = read_spikes(file)
    for nodes in circuit.nodes:
        if not who[nodes.name].any():
            continue
        if nodes.name not in spikes:
            reading.tell(f"input '{name}' has no spikes of '{nodes.name}'")
            continue
        ids, times = spikes[nodes.name]
        within = np.isin(ids, nodes.ids[who[nodes.name]])
        before = circuit.spikes.get(nodes.name, (np.zeros(0, np.int64), np.zeros(0)))
        circuit.spikes[nodes.name] = (
            np.concatenate([before[0], ids[within]]), np.concatenate([before[1], times[within]]),
        )  # fmt: skip


def _node_sets(reading: Reading, files: Files, circuit: Circuit) -> NodeSets:
    """Populations are sets by their own names."""
    rules: dict[str, Any] = {nodes.name: {"population": nodes.name} for nodes in circuit.nodes}
    for config in (reading.circuit, reading.simulation):
        file = files.get(config.file(config.content.get("node_sets_file")))
        content = read_json(file) if file is not None and file.is_file() else {}
        rules |= content if isinstance(content, dict) else {}
        rules |= config.group("node_sets")
    return NodeSets(rules)


def _tell_rest(reading: Reading, nodes: Iterable[Nodes]) -> None:
    own = sorted({key for each in (reading.circuit, reading.simulation) for key in each.content.keys() & OF_ITS_OWN})
    if own:
        reading.tell(
            f"{', '.join(own)}: not read; spikes of all neurons are recorded, which begin at V_m, or E_L", False
        )
    rest = {str(key)[:30] for each in (reading.circuit, reading.simulation) for key in each.content}
    if rest := rest - READ - OF_ITS_OWN:
        reading.tell(f"not read either: {', '.join(sorted(rest)[:8])}", False)
    if any({"x", "y", "z", "positions"} & each.own.keys() for each in nodes):
        reading.tell("nodes have places in space, which are not taken: populations stand in sheets", False)


def _there(files: Files, name: str, path: Path) -> Path:
    """Raises ProblemError for a file that is not there, or that may not be read."""
    file = files.get(name)
    if file is None or not file.is_file():
        raise ProblemError(f"'{path.name}' names '{name[:80]}', which is not there, or may not be read: put it there.")
    return file


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
