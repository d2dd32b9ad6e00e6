"""openCARP's ``.par`` files: what is read, what is told, what is refused by its line, and that the problem runs."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import workbench
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.cardiac.carp.lines import parameters_of
from engines.cardiac.parameters import Box, Sphere
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from workbench.cli import main
from workbench.export.meshes import export_mesh
from workbench.project.boundary import EVERYTHING, OutsideFiles
from workbench.project.document import Document, open_document, save_document

PAR = """# two regions of a slab
meshname = slab      # CARP's, in µm
simID    = OUT
dt       = 20
tend     = 12.5
spacedt  = 1.0
timedt   = 5.0
num_gregions = 2
gregion[0].num_IDs = 1
gregion[0].ID[0] = 1
gregion[0].g_il = 0.174
gregion[0].g_it = 0.019
gregion[0].g_el = 0.625
gregion[0].g_et = 0.236
gregion[1].ID = 2 7:9
gregion[1].g_mult = 0.5
num_imp_regions = 2
imp_region[0].name = "healthy # tissue"
imp_region[0].im = tenTusscherPanfilov
imp_region[0].num_IDs = 1
imp_region[0].ID[0] = 1
imp_region[1].im = "tenTusscherPanfilov"
imp_region[1].num_IDs = 1
imp_region[1].ID[0] = 2
imp_region[1].im_param = "flags=ENDO,GNa*0.5,g_CaL-55%,Ko=9"
num_LATs = 1
lats[0].measurand = 0
lats[0].threshold = -10
lats[0].mode = 0
num_stim = 1
stim[0].name = "S1"
stim[0].crct.type = 0
stim[0].pulse.strength = 60
stim[0].ptcl.start = 1
stim[0].ptcl.duration = 2
stim[0].ptcl.npls = 3
stim[0].ptcl.bcl = 500
stim[0].elec.p0[0] = 0
stim[0].elec.p1 = 500 1500 1000
stim[7].pulse.strength = 9
mechanics = 1
cg_tol_parab = 1e-6
"""


@pytest.fixture
def folder(tmp_path):
    """With a slab of 3 × 1.5 × 1 mm in two halves, 1 and 2, whose fibres lie along x."""
    made = box_mesh((6, 3, 2), [3.0, 1.5, 1.0])
    tags = np.where(made.centroids[:, 0] < 1.5, 1, 2).astype(np.int32)
    fibres = np.tile(np.float32([1, 0, 0]), (made.n_cells, 1))
    export_mesh(TetMesh(made.points, made.cells, tags, {1: "a", 2: "b"}, fibres), tmp_path / "slab.elem")
    return tmp_path


def opened(folder, text: str, **options) -> Document:
    (folder / "sim.par").write_text(text)
    return open_document(folder / "sim.par", **options)


def told(document: Document) -> str:
    return "\n".join(finding.message for finding in document.noticed)


def test_what_maps_is_in_the_problem(folder):
    document = opened(folder, PAR)
    parameters = document.parameters
    assert document.project.run.until == 12.5
    assert document.project.geometry.length_unit == "um"
    assert document.geometry.bounds[1] == pytest.approx([3.0, 1.5, 1.0])
    assert (parameters.numerics.step, parameters.numerics.discretisation) == (0.02, "vertex-centred (P1)")
    assert (parameters.numerics.initial_state, parameters.numerics.activation_threshold) == ("published", -10)
    assert parameters.cell_model == "ten Tusscher-Panfilov 2006"
    tissue = parameters.tissue
    assert (tissue.sigma_il, tissue.sigma_it, tissue.sigma_el, tissue.sigma_et) == (0.174, 0.019, 0.625, 0.236)
    assert tissue.surface_to_volume == pytest.approx(140)
    one, two = parameters.regions
    assert (one.region, one.cell_type, one.conductivity_scale, one.changes) == ("region 1", "epi", 1.0, [])
    assert (two.region, two.cell_type, two.conductivity_scale) == ("region 2", "endo", 0.5)
    changes = [(each.parameter, each.by, each.number) for each in two.changes]
    assert changes == [("g_Na", "factor", 0.5), ("g_CaL", "factor", pytest.approx(0.45)), ("K_o", "value", 9.0)]
    (stimulus,) = parameters.stimuli
    assert (stimulus.name, stimulus.start, stimulus.duration, stimulus.pulses, stimulus.period) == ("S1", 1, 2, 3, 500)
    assert stimulus.amplitude == pytest.approx(60 * 1400)  # µA/cm² of membrane, 1400 cm² of it in a cm³
    assert stimulus.site.upper == pytest.approx((0.5, 1.5, 1.0), abs=1e-5)
    assert (parameters.recording.fields.interval, parameters.recording.fields.format) == (1.0, "igb")


def test_what_does_not_map_is_told(folder):
    document = opened(folder, PAR)
    lost = next(finding for finding in document.noticed if "not read" in finding.message)
    assert lost.severity == "warning"
    assert "stim[].pulse.strength" in lost.message, "the eighth stimulus, of one that counts"
    assert "mechanics" in lost.message
    own = next(finding for finding in document.noticed if finding.severity == "info")
    assert {"simID", "timedt", "cg_tol_parab"} <= set(own.message.rstrip(".").replace(",", "").split())
    words = set(re.split(r"[,\s]+", told(document)))
    assert words.isdisjoint({"dt", "tend", "gregion[].g_il", "imp_region[].im_param", "stim[].ptcl.bcl"}), "all read"


def test_it_runs_and_travels(folder, tmp_path):
    document = opened(folder, PAR)
    saved = save_document(document, tmp_path / "saved.zip")
    again = open_document(saved)
    assert again.parameters == document.parameters
    simulation = again.engine.build(again.complete_problem(), CpuBackend())
    simulation.advance(250)
    assert simulation.field("voltage").max() > 0, "the stimulus excites it"
    simulation.close()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ({"bidomain": "1"}, "bidomain is not solved"),
        ({"mass_lumping": "0"}, "mass is lumped here"),
        ({"experiment": "2"}, "experiment = 2 asks openCARP for something else"),
        ({"gregion[0].g_in": "0.01"}, "gregion[0].g_in differs from g_it"),
        ({"gregion[1].g_it": "0.05"}, "region 2 differs by a factor of 0.5 along fibres and"),
        ({"gregion[1].g_mult": "0"}, "region 2 does not conduct"),
        ({"imp_region[1].im": "Courtemanche"}, "the cells of region 2 are of another ionic model"),
        ({"imp_region[1].im": "LuoRudy91"}, "the ionic model 'LuoRudy91' of imp_region[1] is not among"),
        ({"imp_region[1].im_param": "GNa+3"}, "'GNa+3' in im_param of imp_region[1] is not read"),
        ({"imp_region[1].im_param": "nonsense*2"}, "'nonsense*2' in im_param"),
        ({"stim[0].crct.type": "2"}, "stim[0] is left out (its type is 2)"),
        ({"stim[0].pulse.strength": "-60"}, "its strength is below zero"),
        ({"stim[0].ptcl.stimlist": "0,+240"}, "stim[0] is left out (ptcl.stimlist)"),
        ({"stim[0].elec.geom_type": "3"}, "is a cylinder"),
        ({"stim[0].elec.vtx_file": "apex"}, "its list of vertices 'apex.vtx' is not there"),
        ({"num_phys_regions": "2", "phys_region[0].ID": "1", "phys_region[1].ptype": "1", "phys_region[1].ID": "1 2"},
         "region 2 is no tissue but a bath"),
        ({"lats[0].threshold": "60"}, "lats[0].threshold is not between"),
        ({"dt": "900"}, "dt of 900 µs is more than is stable here"),
    ],
)  # fmt: skip
def test_what_is_otherwise_here_is_told(folder, lines, words):
    document = opened(folder, PAR + "".join(f"{name} = {value}\n" for name, value in lines.items()))
    assert words.lower() in told(document).lower()
    document.engine.estimate(document.complete_problem(), CpuBackend())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("meshname = slab\nnonsense\n", "Line 2: 'nonsense' is no parameter"),
        ("meshname = slab\ndt = soon\n", "Line 2, dt: 'soon' is not a number"),
        ("meshname = slab\ndt = 1e9\n", "Line 2, dt: the step has to be"),
        ("meshname = slab\ntend = -1\n", "ends at -1 ms"),
        ("meshname = slab\ngregion[0].ID = 1:9:3:4\n", "Line 2, gregion[0].ID: '1:9:3:4' is no range"),
        ("meshname = slab\ngregion[0].ID = 1:999999999\n", "is no range of regions"),
        ("meshname = slab\nstim[0].elec.p0 = 1 2\nstim[0].pulse.strength = 1\n", "2 numbers stand there"),
        ("meshname = slab\nstim[0].ptcl.start = -1\nstim[0].pulse.strength = 1\n", "stim[0] has a time below zero"),
        ("meshname = slab\ngregion[0].g_il = -3\n", "sigma_il cannot be used here"),
        ("meshname = nowhere\n", "nowhere.elem' is missing"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_line(folder, text, words):
    with pytest.raises(ProblemError) as refused:
        opened(folder, text)
    assert words in str(refused.value)


def test_a_file_without_a_mesh_takes_the_one_beside_it(folder):
    document = opened(folder, "tend = 5\n")
    assert "'slab.elem' lies beside it" in told(document)
    (folder / "other.elem").write_text("0\n")
    with pytest.raises(ProblemError, match="names no mesh"):
        opened(folder, "tend = 5\n")


def test_a_mesh_elsewhere_is_asked_for(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    text = PAR.replace("meshname = slab ", f"meshname = {folder / 'slab'} ")
    with pytest.raises(OutsideFiles):
        opened(elsewhere, text)
    assert opened(elsewhere, text, permission=EVERYTHING).geometry.n_cells == 216
    for file in folder.glob("slab.*"):
        (elsewhere / file.name).write_bytes(file.read_bytes())
        file.unlink()
    assert opened(elsewhere, text).geometry.n_cells == 216, "made on another machine: it lies beside the file"


def test_listed_vertices_are_a_box(folder):
    points = np.loadtxt(folder / "slab.pts", skiprows=1)
    face = np.flatnonzero(points[:, 0] < 1)
    listed = PAR + "stim[0].elec.vtx_file = face\n"
    (folder / "face.vtx").write_text(f"{len(face)}\nintra\n" + "".join(f"{each}\n" for each in face))
    document = opened(folder, listed)
    (stimulus,) = document.parameters.stimuli
    assert isinstance(stimulus.site, Box)
    assert stimulus.site.upper == pytest.approx((0.0, 1.5, 1.0), abs=1e-5)
    assert "listed vertices" not in told(document)
    (folder / "face.vtx").write_text(f"{len(face) - 2}\nintra\n" + "".join(f"{each}\n" for each in face[1:-1]))
    assert f"its {len(face) - 2} listed vertices, which holds" in told(opened(folder, listed))
    for content, words in (
        ("3\nintra\n1\n2\n", "promises 3 vertices"),
        ("x\n", "no list"),
        ("1\nintra\n9999\n", "9999"),
    ):
        (folder / "face.vtx").write_text(content)
        with pytest.raises(ProblemError, match=words):
            opened(folder, listed)


OLDER = (
    "stimulus[0].stimtype = 0\nstimulus[0].strength = 30\nstimulus[0].duration = 1\nstimulus[0].start = 4\n"
    "stimulus[0].x0 = 1000\nstimulus[0].xd = 500\nstimulus[0].yd = 2000\nstimulus[0].zd = 2000\n"
)


def test_the_older_names_of_stimuli(folder):
    text = re.sub(r"stim\[.*\n", "", PAR) + OLDER
    (older,) = opened(folder, text).parameters.stimuli
    assert older.name == "stimulus[0]"
    assert older.site.lower == pytest.approx((1.0, 0.0, 0.0), abs=1e-5)
    assert older.site.upper == pytest.approx((1.5, 2.0, 2.0), abs=1e-5)
    (idle,) = opened(folder, PAR.replace("strength = 60", "strength = 0") + OLDER).parameters.stimuli
    square = "Pulses of stimulus[] are truncated exponentials in openCARP: here they are square, as of stim[]."
    assert square in told(opened(folder, text))
    assert square not in told(opened(folder, PAR + OLDER)), "where openCARP takes stim[]"
    assert idle == older, "the newer one stimulates nothing, so that openCARP takes the older"


def test_of_both_families_of_stimuli_openCARP_takes_the_newer(folder):
    """Both flowed, though stimulus[0] is no stimulus beside stim[0] there."""
    (folder / "face.vtx").write_text("1\nintra\n0\n")
    document = opened(folder, PAR + OLDER + "stimulus[0].vtx_file = face\n")
    assert [each.name for each in document.parameters.stimuli] == ["S1"]
    assert "Of both families of stimuli openCARP takes stim[]: stimulus[] is left out." in told(document)
    assert "stimulus[]" not in told(opened(folder, PAR)), "there are none of the older ones"


def test_an_electrode_may_be_a_ball(folder):
    sphere = PAR + "stim[0].elec.geom_type = 1\nstim[0].elec.radius = 400\n"
    (ball,) = opened(folder, sphere).parameters.stimuli
    assert isinstance(ball.site, Sphere)
    assert ball.site.radius == pytest.approx(0.4)


def test_conductivity_inside_alone(folder):
    """bidm_eqv_mono = 0: what conducts is g_il, not half the harmonic mean."""
    tissue = opened(folder, PAR + "bidm_eqv_mono = 0\n").parameters.tissue
    assert tissue.monodomain_conductivity() == pytest.approx((0.174, 0.019))


def test_by_the_other_doors(folder, capsys):
    """``workbench convert``, ``estimate`` and ``workbench.open``."""
    (folder / "sim.par").write_text(PAR)
    assert main(["convert", str(folder / "sim.par"), str(folder / "project"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["engine"] == "cardiac"
    assert any("mechanics" in finding["message"] for finding in answer["findings"])
    kept = workbench.open(folder / "project").parameters
    assert kept == workbench.open(folder / "sim.par").parameters
    assert main(["estimate", str(folder / "sim.par"), "--device", "cpu"]) == 0
    assert "Warning: Of openCARP's parameters these are not read" in capsys.readouterr().err
    assert main(["convert", str(folder / "sim.par"), str(folder / "project")]) == 2


def test_comments_quotes_and_repeats(tmp_path):
    path = tmp_path / "a.par"
    path.write_text("#a = 1\n\na = 'x # y' # z\n a=2\nb[0].c[1].d = 1 2\n")
    file = parameters_of(path)
    assert (file.text("a"), file.rest()) == ("2", ["b[].c[].d"])
