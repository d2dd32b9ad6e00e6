"""Compiled cells whose parameters differ by kind, cells paced before a run, and models from files."""

from pathlib import Path

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend import open_backend
from engines.cardiac.cells import reference, tt06
from engines.cardiac.cells.cpu import CpuTissue
from engines.cardiac.cells.kinds import CELL_TYPES
from engines.cardiac.compiler.model import MODELS, shipped
from engines.cardiac.compiler.schemes import STEP, STIMULUS, step
from engines.cardiac.compiler.tissue import Kinds, make_compiled_tissue
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import Box, CardiacParameters, Numerics, RegionSetting, Stimulus
from engines.cardiac.parameters.cells import CellChange, CellSettings, Pacing
from engines.cardiac.setup.cells import compiled_kinds, compiled_model, parameter_book
from engines.cardiac.setup.prepaced import paced_compiled, paced_tt06
from engines.cardiac.tissue.population import population
from engines.formulas.emit_numpy import evaluate
from engines.geometry.meshes.box import box_mesh
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER
from tests.engines.cardiac.compiler.conftest import random_states

pytestmark = pytest.mark.usefixtures("own_cache")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


def test_open_parameters_of_tt06_are_the_references():
    """Rates with scaled parameters equal the reference's to 1e-10 of each rate's largest size."""
    model = shipped("ten_tusscher_panfilov_2006")
    scaled = {"g_Kr": 0.3, "g_Na": 0.38, "K_o": 1.6, "g_CaL": 0.31, "P_NaK": 1.2}
    names = [f"constants.{name}" for name in scaled]
    opened = model.open(names)
    assert set(opened.opened) == set(names)
    states = random_states(model, 500)
    changed = {name: factor * tt06.COMMON[name] for name, factor in scaled.items()}
    values = {state.name: row for state, row in zip(model.states, states, strict=True)}
    values |= {f"constants.{name}": np.full(500, value) for name, value in changed.items()}
    found = np.array(evaluate(opened.rates, values))
    order = [next(k for k, s in enumerate(model.states) if s.name.endswith(f".{name}")) for name in tt06.STATES]
    expected = reference.rates(states[order], np.zeros(500, np.uint8), changes=changed)
    largest = np.abs(expected).max(axis=1, keepdims=True)
    assert (np.abs(found[order] - expected) <= 1e-10 * largest).all()
    assert model.open(()).rates == model.rates


@pytest.mark.parametrize("kind", ["numba", pytest.param("cuda", marks=needs_compiler)])
def test_a_step_takes_each_cells_own_parameters(cpu, kind):
    """70 kinds in one step, mixed and in runs, against the graph; float64: 1e-11 of the largest value."""
    backend = cpu if kind == "numba" else HostCudaBackend()
    model = shipped("mitchell_schaeffer_2003")
    model = model.open([model.parameters[0].name, model.parameters[3].name])
    compiled = step(model, "RL", "float64")
    n, rng = 600, np.random.default_rng(5)
    of = np.append(np.arange(300) % 70, np.repeat(np.arange(30), 10)).astype(np.uint8)
    published = {each.name: each.value for each in model.parameters}
    values = np.array([[published[name] for name in model.opened]]) * rng.uniform(0.5, 2.0, (70, 2))
    starts = rng.uniform(0.2, 0.8, (70, 2))
    starts[:, model.voltage] = rng.uniform(-80, 20, 70)
    tissue = make_compiled_tissue(backend, compiled, n, None, 0.0, Kinds(of, values, starts))
    voltage = tissue.new_voltage()
    np.testing.assert_array_equal(voltage[:n], starts[of, model.voltage])
    symbols = {state.name: starts[of, k] for k, state in enumerate(model.states)}
    symbols |= {name: values[of, k] for k, name in enumerate(model.opened)}
    wanted = np.array(evaluate(compiled.after, symbols | {STEP: 0.05, STIMULUS: 0.0}))
    with backend.active():
        tissue.step(voltage, voltage.copy(), 0, 0.05)
    found = np.insert(tissue.states[:, :n], model.voltage, voltage[:n], axis=0)
    assert (np.abs(found - wanted) <= 1e-11 * np.abs(wanted).max(axis=1, keepdims=True)).all()


def test_regions_change_compiled_cells():
    mesh = box_mesh((2, 2, 2), (1.0, 1.0, 1.0))
    name = next(iter(mesh.region_names.values()))
    change = CellChange(parameter="tau_open", number=0.5, spread=10)
    parameters = CardiacParameters(
        cell_model="Mitchell-Schaeffer 2003", regions=[RegionSetting(region=name, changes=[change])]
    )
    cells = population(mesh, parameters, parameter_book(parameters))
    compiled, kinds = compiled_kinds(compiled_model(parameters), cells, parameters, np.arange(mesh.n_cells))
    assert compiled.model.opened == ("gate.tau_open",)
    drawn = kinds.values[np.unique(kinds.of), 0]
    assert np.exp(np.log(drawn).mean()) == pytest.approx(60.0, rel=0.02)


def test_paced_tt06_is_what_steps_make_and_is_kept(tmp_path):
    """Two beats of 20 ms: the same kernel in a loop of its own, so to 1e-12; then from the file on disk."""
    pacing = Pacing(cycle_length=20.0, beats=2)
    said = []
    found = paced_tt06(CELL_TYPES, pacing, 0.02, lambda message, fraction: said.append(message))
    tissue = CpuTissue(open_backend("cpu"), np.arange(3), np.ones(3, np.uint32), precision="float64",
                       potassium_stimulus=True)  # fmt: skip
    voltage = tissue.new_voltage()
    with tissue.backend.active():
        for k in range(2000):
            tissue.step(voltage, voltage, k, 0.02, np.array([52.0 if k % 1000 < 50 else 0.0]))
    expected = np.array([voltage[:3], *(tissue.state(name) for name in tt06.ROWS)]).T
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert said == ["Pacing single cells, beat 1 of 2"]
    (kept,) = tmp_path.glob("paced/*.npy")
    again = paced_tt06(CELL_TYPES, pacing, 0.02, lambda message, fraction: said.append("again"))
    np.testing.assert_array_equal(again, found)
    assert "again" not in said
    whole = kept.read_bytes()
    for spoilt in (b"", whole[:-9], whole[:200] + bytes(len(whole) - 200)):  # as after a computer went out
        kept.write_bytes(spoilt)
        np.testing.assert_array_equal(paced_tt06(CELL_TYPES, pacing, 0.02), found)
        assert kept.read_bytes() == whole


@pytest.mark.slow
def test_a_thousand_beats_reach_the_published_limit_cycle():
    """A step of 0.02 ms is first order: gates within 0.6 %, concentrations and V within 0.2 % (0.034 % at 0.005 ms)."""
    found = paced_tt06(CELL_TYPES, Pacing(beats=1000), 0.02)
    for k, kind in enumerate(CELL_TYPES):
        expected = tt06.start_state(kind.cell_type, "limit_cycle_1Hz")
        np.testing.assert_allclose(found[k], expected, rtol=6e-3)
        for name in ("V", "Na_i", "K_i", "Ca_SR", "Ca_i"):
            assert found[k][tt06.STATES.index(name)] == pytest.approx(expected[tt06.STATES.index(name)], rel=2e-3)


def test_compiled_cells_are_paced_each_by_its_parameters(cpu):
    """A cell that opens its gate slowly has less of it open after three beats."""
    model = shipped("mitchell_schaeffer_2003")
    compiled = step(model.open(["gate.tau_open"]), "RL", "float64")
    found = paced_compiled(compiled, np.array([[120.0], [400.0]]), Pacing(cycle_length=400.0, beats=3), 0.1)
    gate = next(k for k in range(2) if k != model.voltage)
    assert found.shape == (2, 2)
    assert found[1, gate] < found[0, gate] - 0.1
    assert (found[:, model.voltage] < -70).all()


MODEL_FILE = CellSettings(file=str(MODELS / "aliev_panfilov_1996.mmt"))


def test_a_model_comes_from_a_file(cpu):
    pytest.importorskip("myokit")
    stimulus = Stimulus(site=Box(lower=(0, 0, 0), upper=(1, 1, 1)))
    mesh = box_mesh((2, 2, 2), (1.0, 1.0, 1.0))
    runs = []
    for model, cells in (("from file", MODEL_FILE), ("Aliev-Panfilov 1996", CellSettings())):
        parameters = CardiacParameters(
            cell_model=model, cells=cells, stimuli=[stimulus], numerics=Numerics(step=0.05, precision="fp64")
        )
        simulation = CardiacEngine().build(Problem(parameters, mesh), cpu)
        simulation.advance(100)
        runs.append(simulation.field("voltage"))
    np.testing.assert_array_equal(*runs)
    assert runs[0].max() > -60


@pytest.mark.parametrize(
    ("file", "words"), [("", "No file of a cell model is chosen"), ("/nowhere/a.mmt", "a.mmt is not there any more")]
)
def test_a_file_that_is_not_there_is_told(file, words):
    with pytest.raises(ProblemError, match=words):
        compiled_model(CardiacParameters(cell_model="from file", cells=CellSettings(file=file)))


def test_without_myokit_it_is_told_how_to_get_it(monkeypatch):
    import sys

    from engines.cardiac.setup import cells

    cells._imported.cache_clear()
    monkeypatch.setitem(sys.modules, "myokit", None)
    with pytest.raises(ProblemError, match="install the extra 'cellml'"):
        compiled_model(CardiacParameters(cell_model="from file", cells=MODEL_FILE))
    assert Path(MODEL_FILE.file).is_file()
