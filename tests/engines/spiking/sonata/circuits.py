"""A small circuit, written as SONATA's developer guide lays files out, and read stage by stage."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np

INNER = {"source": [10, 12, 11, 12], "target": [11, 13, 10, 10], "type": [1, 1, 2, 2]}
OUTER = {
    "source": [0, 1, 2, 0],
    "target": [10, 11, 12, 14],
    "type": [5, 5, 5, 5],
    "weight": [2000.0, 2500.0, 1500.0, 1.0],
}
SPIKES = {"node": [0, 0, 1, 2, 0, 1], "time": [30.0, 5.0, 10.03, 12.0, 40.0, 11.0]}
EXC = {"C_m": 200.0, "tau_m": 15.0, "V_th": -52.0, "tau_syn_ex": 1.5}
NODE_TYPES = """node_type_id pop_name model_type model_template dynamics_params
100 exc point_neuron nest:iaf_psc_alpha exc.json
101 inh point_process nest:iaf_psc_exp NULL
102 "layer five" biophysical ctdb:Biophys1.hoc NULL
"""
EDGE_TYPES = """edge_type_id  syn_weight delay nsyns model_template
1 1500 1.5 2 static_synapse
2 -300.0 1.0 NULL "static_synapse"
"""
OUTER_TYPES = """edge_type_id target_query source_query delay dynamics_params
5 "ei=='e' & ""x"" > 1" * 2.0 NULL
"""


def h5(path: Path, fill) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        file.attrs["version"], file.attrs["magic"] = np.array([0, 1], np.uint32), np.uint32(0x0A7A)
        fill(file)


def nodes(path: Path, name: str, types, ids=None, **more) -> None:
    """``more``: of group 0, whose rows are the nodes from the last to the first."""

    def fill(file):
        group, n = file.create_group(f"nodes/{name}"), len(types)
        group["node_type_id"] = np.array(types, np.int64)
        if ids is not None:
            group["node_id"] = np.array(ids, np.uint64)
        group["node_group_id"], group["node_group_index"] = np.zeros(n, np.uint32), np.arange(n, dtype=np.uint64)[::-1]
        group.create_group("0")
        for key, values in more.items():
            turned = np.array(values)[::-1]
            group[f"0/{key.replace('__', '/')}"] = turned.tolist() if turned.dtype.kind == "U" else turned

    h5(path, fill)


def edges(path: Path, name: str, ends: tuple[str, str], table, **more) -> None:
    def fill(file):
        group, n = file.create_group(f"edges/{name}"), len(table["type"])
        for side, population in zip(("source", "target"), ends, strict=True):
            group[f"{side}_node_id"] = np.array(table[side], np.uint64)
            group[f"{side}_node_id"].attrs["node_population"] = population
        group["edge_type_id"] = np.array(table["type"], np.int64)
        group["edge_group_id"], group["edge_group_index"] = np.zeros(n, np.int64), np.arange(n)
        group.create_group("0")
        for key, values in {**({"syn_weight": table["weight"]} if "weight" in table else {}), **more}.items():
            group[f"0/{key}"] = np.array(values)

    h5(path, fill)


def spikes(path: Path, name: str, table, unit="milliseconds") -> None:
    def fill(file):
        group = file.create_group(f"spikes/{name}")
        group["timestamps"] = np.array(table["time"], float)
        group["timestamps"].attrs["units"] = unit
        group["node_ids"] = np.array(table["node"], np.uint64)

    h5(path, fill)


def configs(folder: Path, circuit=(), simulation=()) -> Path:
    """``circuit``, ``simulation``: entries that are otherwise."""

    def row(kind, name):
        return {f"{kind}s_file": f"$NETWORK_DIR/{name}_{kind}s.h5",
                f"{kind}_types_file": f"${{NETWORK_DIR}}/{name}_{kind}_types.csv"}  # fmt: skip

    (folder / "circuit_config.json").write_text(json.dumps({
        "manifest": {"$BASE_DIR": ".", "$NETWORK_DIR": "$BASE_DIR/network"},
        "components": {"point_neuron_models_dir": "models", "synaptic_models_dir": "models"},
        "networks": {"nodes": [row("node", "cells"), row("node", "ext")],
                     "edges": [row("edge", "ext_cells"), row("edge", "cells_cells")]},
        **dict(circuit),
    }))  # fmt: skip
    path = folder / "simulation_config.json"
    path.write_text(json.dumps({
        "manifest": {"$BASE_DIR": "${configdir}"}, "network": "$BASE_DIR/circuit_config.json",
        "run": {"tstop": 60.0, "dt": 0.1}, "node_sets_file": "node_sets.json",
        "inputs": {
            "spikes": {"input_type": "spikes", "module": "h5", "node_set": "outer",
                       "input_file": "$BASE_DIR/spikes.h5"},
            "clamp": {"input_type": "current_clamp", "module": "IClamp", "node_set": "twelve", "amp": 900.0,
                      "delay": 20.0, "duration": 20.0},
        },
        "reports": {"v": {"cells": "all"}}, **dict(simulation),
    }))  # fmt: skip
    return path


def circuit(folder: Path, **more) -> Path:
    """Two kinds of cells, of which ids do not begin at 0 and types alternate, a cell with a morphology, and three
    virtual nodes. Returns the configuration of the simulation."""
    network = folder / "network"
    nodes(network / "cells_nodes.h5", "cells", [100, 101, 100, 101, 102], [10, 11, 12, 13, 14], x=np.arange(5.0))
    nodes(network / "ext_nodes.h5", "ext", [7, 7, 7])
    edges(network / "ext_cells_edges.h5", "ext_cells", ("ext", "cells"), OUTER)
    edges(network / "cells_cells_edges.h5", "cells_cells", ("cells", "cells"), INNER)
    spikes(folder / "spikes.h5", "ext", SPIKES)
    for name, text in (
        ("cells_node", NODE_TYPES), ("ext_node", "node_type_id model_type\n7 virtual\n"),
        ("cells_cells_edge", EDGE_TYPES), ("ext_cells_edge", OUTER_TYPES),
    ):  # fmt: skip
        (network / f"{name}_types.csv").write_text(text)
    (folder / "models").mkdir(exist_ok=True)
    (folder / "models" / "exc.json").write_text(json.dumps(EXC))
    (folder / "node_sets.json").write_text(json.dumps(
        {"virtuals": {"population": ["ext", "none"]}, "outer": ["virtuals"],
         "twelve": {"population": "cells", "node_id": 12}}
    ))  # fmt: skip
    return configs(folder, **more)


def walked(path: Path, replaced=(), folder: Path | None = None):
    """What a configuration gives, with other files in the place of some by their names."""
    from engines.spiking.sonata.reader import read_sonata

    imported, folder = read_sonata(path), folder or path.parent
    while imported is not None and imported.on is not None:
        files = {name: dict(replaced).get(name, folder / name) for name in imported.files}
        imported = imported.on(None, path, files)
    return imported
