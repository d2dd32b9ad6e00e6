"""The readers of files that others made, and a few small sound files of each kind to begin from."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

MESHES = Path(__file__).parents[1] / "data" / "meshes"


@dataclass(frozen=True)
class Reader:
    """``read`` is given a path that ends in the suffix of the seed; ``seeds``: content by file name."""

    read: Callable[[Path], Any]
    seeds: Mapping[str, bytes]


def readers(folder: Path) -> dict[str, Reader]:
    """By name. ``folder`` is for seeds that are made by our own writers."""
    from engines.battery.bpx.reading import read_bpx
    from engines.battery.protocol.drive_cycles import read_drive_cycle
    from engines.battery.setup.sizes import _table
    from engines.cardiac.carp.reader import read_par
    from engines.cardiac.carp.stimuli import read_vertices
    from engines.fdtd.gprmax.reader import read_gprmax
    from engines.fdtd.media.index_tables import read_index_table
    from engines.geometry.fibres.files import read_fibre_file
    from engines.geometry.pictures import brightness
    from engines.geometry.reading import read_mesh
    from engines.geometry.solids.stl import read_corners
    from engines.peridynamics.body import corners
    from engines.peridynamics.cloud.files import read_points
    from engines.spiking.connectivity.files import read as read_connections
    from engines.tables.columns import Axis
    from engines.tables.files import read_table
    from workbench.export.png import read_snapshot_text
    from workbench.export.pvd import read_pvd, write_pvd
    from workbench.project.document import open_document
    from workbench.project.measured import read_curves
    from workbench.run.states.checkpoint import CheckpointMeta, read_checkpoint, write_checkpoint

    write_pvd(folder / "a.pvd", [(0.5, "fields/a.vtu"), (1.0, "fields/b.vtu")])
    write_checkpoint(folder / "c.npz", CheckpointMeta("p", "cpu", 3, 1.5), {"u": np.arange(40.0), "k": np.array(3)})
    mesh = read_mesh(MESHES / "ascii.vtu")
    rows = np.tile([1.0, 0.0, 0.0], (len(mesh.cells), 1))
    table = b"time [s], current [A]\n" + b"".join(b"%d,%d.5\n" % (k, k % 7) for k in range(30))
    semicolons = table.replace(b",", b";")
    points = b"x,y,z,volume\n" + _text(np.random.default_rng(1).random((20, 4)), ",")
    projects = _projects()

    def read_carp_run(path: Path) -> None:
        if path.suffix == ".vtx":
            read_vertices(path)
        elif (found := read_par(path)).on is not None:
            found.on(mesh, MESHES / "none.elem", {})

    return {
        "meshes": Reader(read_mesh, _meshes()),
        "fibres": Reader(
            lambda path: read_fibre_file(path, mesh),
            {"f.npy": _npy(rows), "f.csv": _text(rows, ","), "f.lon": b"1\n" + _text(rows, " ")},
        ),
        "points": Reader(lambda path: read_points(path, 3, "mm"), {"p.csv": points}),
        "stl": Reader(read_corners, _stl()),
        "corners": Reader(lambda path: corners._read(str(path), path.stat().st_mtime_ns), {"c.csv": CORNERS}),
        "histories": Reader(lambda path: read_table(str(path), "history", ("time", "value")), {"h.csv": table}),
        "drive cycles": Reader(read_drive_cycle, {"d.csv": table, "d.txt": table.replace(b",", b"\t")}),
        "measured": Reader(
            lambda path: read_curves(path, "current", (Axis("time", "s"), Axis("current", "A"))),
            {"m.csv": table, "m.txt": semicolons, "own.csv": b"curve,time [h],current [A]\nA,0,1\nA,1,2\nB,1,3\n"},
        ),
        "sizes": Reader(lambda path: _table(path, "sizes"), {"s.csv": b"radius,weight\n1,2\n2,3\n3,1\n"}),
        "indices": Reader(lambda path: read_index_table(path, 1.0), {"n.csv": INDICES}),
        "BPX": Reader(read_bpx, _bpx()),
        "gprMax": Reader(read_gprmax, {"g.in": GPRMAX}),
        "openCARP": Reader(read_carp_run, {"o.par": OPENCARP, "v.vtx": b"3\nintra\n4\n7\n9\n"}),
        "connections": Reader(lambda path: read_connections(str(path)), _connections()),
        "pictures": Reader(brightness, _pictures()),
        "cell models": _cell_models(),
        "snapshots": Reader(read_snapshot_text, _snapshot(folder)),
        "collections": Reader(read_pvd, {"a.pvd": (folder / "a.pvd").read_bytes()}),
        "checkpoints": Reader(lambda path: read_checkpoint(path, "p"), {"c.npz": (folder / "c.npz").read_bytes()}),
        "projects": Reader(open_document, projects),
        **_sonata(folder / "sonata"),
    }  # fmt: skip


def _sonata(folder: Path) -> dict[str, Reader]:
    """Each file of a circuit in the place of a sound one, through the whole import."""
    from engines.spiking.stimulate.spike_lists import read_spikes
    from tests.engines.spiking.sonata.circuits import circuit, walked

    config = circuit(folder)
    files = {
        "nodes": "network/cells_nodes.h5", "edges": "network/cells_cells_edges.h5", "spikes": "spikes.h5",
        "node types": "network/cells_node_types.csv", "edge types": "network/ext_cells_edge_types.csv",
        "models": "models/exc.json", "node sets": "node_sets.json", "circuits": "circuit_config.json",
    }  # fmt: skip
    found = {
        f"SONATA {kind}": Reader(
            lambda path, name=name: walked(config, {name: path}), {Path(name).name: (folder / name).read_bytes()}
        )
        for kind, name in files.items()
    }
    found["SONATA simulations"] = Reader(lambda path: walked(path, folder=folder), {"s.json": config.read_bytes()})
    found["spike lists"] = Reader(lambda path: read_spikes(str(path)), {"s.csv": b"neuron,time [s]\n0,0.5\n1,0.25\n"})
    return found


def _meshes() -> dict[str, bytes]:
    found = {file.name: file.read_bytes() for file in sorted(MESHES.glob("*.*")) if file.suffix != ".md"}
    data = b'\n$ElementData\n1\n"fibre"\n1\n0.0\n3\n0\n3\n2\n99 1 0 0\n98 0 1 0\n$EndElementData\n'
    return {**found, "data.msh": found["gmsh_4.1_ascii.msh"] + data, "old.msh": found["gmsh_2.2_ascii.msh"] + data}


def _text(values: np.ndarray, separator: str) -> bytes:
    return "".join(separator.join(f"{value:.4g}" for value in row) + "\n" for row in values).encode()


def _npy(values: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def _stl() -> dict[str, bytes]:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    faces = corners[[[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]]
    binary = bytes(80) + (4).to_bytes(4, "little")
    binary += b"".join(np.zeros(3, "<f4").tobytes() + face.astype("<f4").tobytes() + b"\0\0" for face in faces)
    loops = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in face)
        + "endloop\nendfacet\n"
        for face in faces
    )
    return {"b.stl": binary, "a.stl": f"solid a\n{loops}endsolid a\n".encode()}


def _connections() -> dict[str, bytes]:
    stream = io.BytesIO()
    np.savez(stream, pre=np.arange(9), post=np.arange(9)[::-1], weight=np.ones(9))
    return {"c.npz": stream.getvalue(), "c.csv": b"pre,post,weight\n0,1,0.5\n1,2,0.5\n2,0,1\n"}


def _pictures() -> dict[str, bytes]:
    try:
        from PIL import Image
    except ImportError:  # a compute node: no picture, so none is attacked
        return {}
    found = {}
    for name, form in (("p.png", "PNG"), ("p.jpg", "JPEG")):
        stream = io.BytesIO()
        Image.fromarray((np.arange(300) % 256).astype(np.uint8).reshape(15, 20)).save(stream, form)
        found[name] = stream.getvalue()
    return found


def _snapshot(folder: Path) -> dict[str, bytes]:
    from workbench.export.png import KEYWORD, encode_png

    return {"s.png": encode_png(np.zeros((4, 4, 4), np.uint8), {KEYWORD: '{"version": 1, "title": "A"}'})}


def _bpx() -> dict[str, bytes]:
    from engines.battery.bpx.writing import bpx_text
    from engines.battery.parameter_sets.chen2020 import CHEN2020

    return {"b.json": bpx_text(CHEN2020).encode()}


def _cell_models() -> Reader:
    from engines.cardiac.compiler.importing import check_model, import_model

    def read(path: Path) -> None:
        check_model(path)
        import_model(path)

    return Reader(read, {"m.mmt": MMT, "m.cellml": CELLML})


def _projects() -> dict[str, bytes]:
    from workbench.project.presets import presets

    found: dict[str, bytes] = {}
    engines: Sequence[str] = ("battery", "fdtd", "peridynamics", "spiking", "stencil")
    for preset in presets():
        for engine in engines:
            text = (preset.project / "project.json").read_bytes()
            if preset.engine == engine and f"{engine}.zip" not in found and b'"path"' not in text and len(text) < 6000:
                stream = io.BytesIO()
                with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
                    archive.writestr("project.json", text)
                found[f"{engine}.zip"] = stream.getvalue()
    return found


CORNERS = b"x;y\n0;0\n1;0\n1;1\n0;1\n"
INDICES = b"wl,n\n" + b"".join(b"0.%d,1.5%d\n" % (k, k) for k in range(1, 10)) + b"wl,k\n0.1,0\n0.9,0.1\n"
GPRMAX = b"""#title: A
#domain: 0.1 0.1 0.1
#dx_dy_dz: 0.002 0.002 0.002
#time_window: 3e-9
#material: 6 0 1 0 half
#waveform: ricker 1 1.5e9 w
#hertzian_dipole: z 0.05 0.05 0.05 w
#rx: 0.07 0.05 0.05
#box: 0 0 0 0.1 0.1 0.04 half
#sphere: 0.05 0.05 0.02 0.01 half
"""
OPENCARP = b"""meshname = slab
dt = 20 # us
tend = 12.5
num_gregions = 2
gregion[0].ID = 1 3:2:9
gregion[0].g_il = 0.174
gregion[1].ID[0] = 2
gregion[1].g_mult = 0.5
imp_region[0].im = "tenTusscherPanfilov"
imp_region[0].im_param = "GNa*0.5,g_CaL-55%,Ko=9,flags=ENDO"
phys_region[1].ptype = 1
lats[0].threshold = -10
stim[0].pulse.strength = 60
stim[0].ptcl.duration = 2
stim[0].elec.p1 = 500 1500 1000
stimulus[1].strength = 20
stimulus[1].x0 = -5
"""
MMT = b"""[[model]]
membrane.V = -80

[engine]
time = 0 bind time
pace = 0 bind pace

[membrane]
dot(V) = -(ik + stim)
    in [mV]
    label membrane_potential
ik = 0.1 * (V + 80)
stim = -20 * engine.pace
"""
CELLML = b"""<?xml version="1.0"?>
<model xmlns="http://www.cellml.org/cellml/1.0#" name="m">
<units name="ms"><unit units="second" prefix="milli"/></units>
<units name="mV"><unit units="volt" prefix="milli"/></units>
<component name="membrane"><variable name="time" units="ms"/><variable name="V" units="mV" initial_value="-80"/>
<math xmlns="http://www.w3.org/1998/Math/MathML"><apply><eq/><apply><diff/><bvar><ci>time</ci></bvar><ci>V</ci></apply>
<apply><minus/><apply><times/><cn xmlns:cellml="http://www.cellml.org/cellml/1.0#" cellml:units="ms">0.1</cn>
<ci>V</ci></apply></apply></apply></math>
</component></model>
"""
