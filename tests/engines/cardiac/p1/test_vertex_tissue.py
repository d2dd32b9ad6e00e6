"""Tissue on vertices in the engine: against plain NumPy, and everything that is named by the cells of the mesh."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from engines.api import Dab, FieldInfo, Problem, Selection
from engines.api.errors import ProblemError
from engines.cardiac.cells import reference as cells
from engines.cardiac.cells.tt06 import CellType, start_state
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.p1.sites import vertex_sites
from engines.cardiac.p1.stiffness import assemble_vertices
from engines.cardiac.parameters import (
    VERTEX_CENTRED,
    Box,
    CardiacParameters,
    Numerics,
    RegionSetting,
    Sphere,
    Stimulus,
    WholeRegion,
)
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.tissue.operator import VertexTissueOperator, diffusion_tensors, tissue_operator
from engines.cardiac.tissue.places import VertexPlaces
from engines.cardiac.watch.leads import LeadPlaces, vertex_lead_weights
from engines.geometry.meshes.adjacency import cells_at
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from tests.engines.cardiac.traffic import bytes_of_a_step

ENGINE = CardiacEngine()
DT = 0.02


@pytest.fixture(scope="module")
def mesh() -> TetMesh:
    """With a point that belongs to no cell, so that vertices and points are not numbered alike."""
    box = box_mesh((6, 4, 3), (3.0, 2.0, 1.5), jitter=0.2, seed=4, fibre=(1.0, 2.0, 0.5))
    points = np.vstack([[[9.0, 9.0, 9.0]], box.points])
    return TetMesh(points, box.cells + 1, box.regions, box.region_names, box.fibres)


def parameters(precision: str = "fp64", **changes: object) -> CardiacParameters:
    numerics = Numerics(step=DT, precision=precision, initial_state="published", discretisation=VERTEX_CENTRED)
    stimulus = Stimulus(name="corner", site=Sphere(center=(0, 0, 0), radius=0.9), start=0.1, duration=1.0)
    return CardiacParameters(**{"stimuli": [stimulus], "numerics": numerics, **changes})


def on_vertices(simulation, values) -> np.ndarray:
    """What stands on the device, in the order of the sites."""
    operator = tissue_operator(simulation.geometry, parameters())
    found = np.empty(len(operator.order))
    found[operator.order] = values[: len(operator.order)]
    return found


def reference_wave(mesh: TetMesh, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Voltage and activation time of all vertices by plain NumPy: every formula of the cells spelled out."""
    operator = assemble_vertices(mesh, diffusion_tensors(mesh, parameters()))
    rates = operator.rates - sparse.diags(np.asarray(operator.rates.sum(axis=1)).ravel())
    points = mesh.points[operator.vertices]
    kinds = np.full(len(points), CellType.EPI, np.uint8)
    state = np.tile(start_state(CellType.EPI)[:, None], (1, len(points)))
    reached = np.linalg.norm(points, axis=1) <= 0.9
    activation = np.full(len(points), -1.0)
    for step in range(steps):
        before = state[0].copy()
        state[0] += DT * (rates @ state[0])
        state = cells.step(state, kinds, DT, np.where(reached & (5 <= step < 55), 50.0 / 1.4, 0.0))
        crossed = (before < 0) & (state[0] >= 0) & (activation < 0)
        share = -before[crossed] / (state[0][crossed] - before[crossed])
        activation[crossed] = (step + share) * DT
    return state[0], activation


@pytest.fixture(scope="module")
def wave(mesh):
    return reference_wave(mesh, 1000)


@pytest.mark.parametrize(
    ("precision", "voltage_error", "activation_error"),
    # As for cells: fp64 is rounding and the float32 of a field; fp32 moves an activation by some 1e-4 ms, which the
    # upstroke of 300 mV/ms turns into some 0.03 mV; mixed by a thousandth of that.
    [("fp64", 1e-5, 1e-6), ("fp32", 0.1, 1e-3), ("mixed", 1e-3, 1e-5)],
)
def test_the_wave_is_that_of_the_reference(backend, mesh, wave, precision, voltage_error, activation_error):
    simulation = ENGINE.build(Problem(parameters(precision), mesh), backend)
    simulation.advance(1000)
    voltage, activation = wave
    assert 0.3 < (activation >= 0).mean() < 1.0, "the front must be on its way"
    state = simulation.state()
    assert np.abs(on_vertices(simulation, state["voltage"]) - voltage).max() < voltage_error
    assert np.abs(on_vertices(simulation, state["activation"]) - activation).max() < activation_error

    corners = mesh.cells - 1  # the point without a cell comes first
    assert np.abs(simulation.field("voltage") - voltage[corners].mean(axis=1)).max() < voltage_error + 1e-5
    known = activation[corners] >= 0
    times = np.where(known, activation[corners], 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    expected = np.where(known.any(axis=1), times, -1.0)
    assert np.abs(simulation.field("activation") - expected).max() < activation_error + 1e-6


def test_viewers_and_probes_get_vertices_or_means_of_four(backend, mesh):
    simulation = ENGINE.build(Problem(parameters("fp32"), mesh), backend)
    simulation.advance(300)
    voltage = on_vertices(simulation, simulation.state()["voltage"]).astype(np.float32)
    nodes = np.array([1, 7, 40], np.int32)
    found = simulation.gather("voltage", simulation.select(cells_at(mesh, nodes)))
    np.testing.assert_array_equal(found, voltage[nodes - 1])

    run = Selection(np.array([3, 5, 8], np.int32), np.array([0, 2, 3], np.int32))
    corners = mesh.cells - 1
    expected = [voltage[corners[[3, 5]]].mean(), voltage[corners[8]].mean()]
    # four or eight roundings of values up to 90 mV
    np.testing.assert_allclose(simulation.gather("voltage", simulation.select(run)), expected, atol=5e-5)
    for name in ("voltage", "activation", "calcium"):
        some = np.array([0, 100, 431], np.int32)
        handle = simulation.select(Selection(some))
        np.testing.assert_array_equal(simulation.gather(name, handle), simulation.field(name)[some], err_msg=name)


def test_angles_are_averaged_as_directions(backend, mesh):
    """Two vertices at π − 0.1 and two at −π + 0.3: their mean is at −π + 0.1, where plain numbers give 0.1."""
    sites = vertex_sites(mesh, np.zeros(mesh.n_cells, bool))
    places = VertexPlaces(backend, np.arange(sites.n_cells, dtype=np.int32), sites)
    angles = np.zeros(sites.n_cells, np.float32)
    angles[sites.corners[0]] = [math.pi - 0.1, math.pi - 0.1, -math.pi + 0.3, -math.pi + 0.3]
    info = FieldInfo("phase", "Phase", "rad", "cell", (-math.pi, math.pi), cyclic=True)
    found = places.gather_later(info, angles, places.select(Selection(np.array([0], np.int32))))()
    assert found[0] == pytest.approx(-math.pi + 0.1, abs=1e-5)  # float32 of an angle of 3


def test_a_checkpoint_continues_bit_for_bit(backend, mesh):
    problem = Problem(parameters("fp32", recording=Recording(phase=True)), mesh)
    simulation = ENGINE.build(problem, backend)
    simulation.advance(60)
    simulation.paint(Dab("stimulus", (3.0, 2.0, 1.5), 0.5, 50_000.0))
    kept = simulation.state()
    simulation.advance(60)
    expected = simulation.state()
    again = ENGINE.build(problem, backend)
    again.restore(kept)
    again.advance(60)
    for name, value in again.state().items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


def test_scar_is_painted_on_cells_alone(backend, mesh):
    simulation = ENGINE.build(Problem(parameters(), mesh), backend)
    assert [brush.name for brush in simulation.brushes] == ["stimulus"]
    assert "scar" not in {info.name for info in simulation.fields}
    with pytest.raises(ProblemError, match="choose the cell-centred"):
        simulation.paint(Dab("scar", (0.0, 0.0, 0.0), 1.0, 0.0))
    assert "vertices, t = 0.0 ms" in simulation.paint(Dab("stimulus", (0.0, 0.0, 0.0), 0.5, 50_000.0))


def parted(mesh: TetMesh) -> TetMesh:
    """Three slabs across x: "left", "wall" from 1 to 2 mm, "right"."""
    x = mesh.centroids[:, 0]
    regions = np.where(x < 1.0, 0, np.where(x < 2.0, 1, 2)).astype(np.int32)
    return TetMesh(mesh.points, mesh.cells, regions, {0: "left", 1: "wall", 2: "right"}, mesh.fibres)


def test_insulating_cells_are_cut_out(backend):
    mesh = parted(box_mesh((12, 4, 3), (3.0, 2.0, 1.5)))
    wall = RegionSetting(region="wall", condition="non-conducting scar")
    problem = Problem(parameters(regions=[wall]), mesh)
    operator = tissue_operator(mesh, problem.parameters)
    assert isinstance(operator, VertexTissueOperator)
    dense, order = operator.matrix.to_csr().toarray(), operator.order
    without = assemble_vertices(
        mesh.take_cells(np.flatnonzero(mesh.regions != 1)), diffusion_tensors(mesh, parameters())[mesh.regions != 1]
    )
    whole = np.zeros((mesh.n_points, mesh.n_points))
    whole[np.ix_(without.vertices, without.vertices)] = without.rates.toarray()
    np.fill_diagonal(whole, -whole.sum(axis=1))
    np.testing.assert_allclose(dense, whole[np.ix_(order, order)], atol=1e-12 * np.abs(whole).max())
    assert operator.pieces == (100, 100), "five layers of 5 by 4 vertices on either side"

    sites = operator.sites
    inside = (sites.centroids[:, 0] > 1.01) & (sites.centroids[:, 0] < 1.99)
    np.testing.assert_array_equal(sites.regions == 1, inside)
    assert sites.volumes[~inside].sum() == pytest.approx(mesh.volumes[mesh.regions != 1].sum())
    simulation = ENGINE.build(problem, backend)
    simulation.advance(1500)
    activation = simulation.field("activation")
    assert (activation[mesh.regions == 0] >= 0).mean() > 0.5
    assert (activation[mesh.regions == 2] < 0).all()


def test_a_vertex_belongs_to_the_region_with_most_volume_around_it():
    mesh = parted(box_mesh((12, 4, 3), (3.0, 2.0, 1.5), jitter=0.2))
    sites = vertex_sites(mesh, np.zeros(mesh.n_cells, bool))
    for site in range(0, sites.n_cells, 7):
        around = (mesh.cells == sites.vertices[site]).any(axis=1)
        volumes = np.bincount(mesh.regions[around], mesh.volumes[around], minlength=3)
        assert sites.regions[site] == volumes.argmax()
        assert sites.volumes[site] == pytest.approx(mesh.volumes[around].sum() / 4)


def test_lead_weights_are_the_integral_over_cells():
    """∇v of a field that is linear everywhere is known: the sum over cells of V (σ ∇v)·(−∇1/r) at their centroids."""
    mesh = box_mesh((4, 3, 2), (4.0, 3.0, 2.0), jitter=0.2, seed=2)
    rng = np.random.default_rng(5)
    root = rng.normal(size=(mesh.n_cells, 3, 3))
    tensors = 0.1 * np.eye(3) + 0.05 * root @ root.transpose(0, 2, 1)
    slope, electrode = np.array([3.0, -1.0, 2.0]), np.array([9.0, 4.0, -3.0])
    weights = vertex_lead_weights(mesh, mesh.cells, mesh.n_points, tensors, [LeadPlaces("L", (9.0, 4.0, -3.0))], 0.2)
    away = mesh.centroids - electrode
    inverse = -away / np.linalg.norm(away, axis=1)[:, None] ** 3
    total = -(mesh.volumes * np.einsum("nij,j,ni->n", tensors, slope, inverse)).sum() / (4 * math.pi * 0.2)
    assert weights[0] @ (mesh.points @ slope) == pytest.approx(total, rel=1e-12)
    assert abs(weights.sum()) < 1e-14 * np.abs(weights).sum() * mesh.n_points


def test_action_potentials_last_as_long_as_on_cells(backend):
    """All of a small block is stimulated, so that only the reaction matters: equal to the rounding of fp32."""
    found = []
    for discretisation in ("cell-centred", VERTEX_CENTRED):
        mesh = box_mesh((2, 2, 2), (1.0, 1.0, 1.0))
        numerics = Numerics(step=0.05, initial_state="published", discretisation=discretisation)
        everywhere = Stimulus(site=WholeRegion(region="tissue"))
        simulation = ENGINE.build(Problem(CardiacParameters(stimuli=[everywhere], numerics=numerics), mesh), backend)
        simulation.advance(7000)
        found.append(simulation.field("apd"))
    assert found[0][0] == pytest.approx(290.1, abs=3.0)  # published, of another stimulus and a finer step
    assert np.abs(found[0] - found[1]).max() < 2e-3


def test_the_estimate_counts_vertices(backend, mesh):
    on_cells = parameters()
    on_cells.numerics = on_cells.numerics.model_copy(update={"discretisation": "cell-centred"})
    few, many = (ENGINE.estimate(Problem(each, mesh), backend) for each in (parameters(), on_cells))
    assert any("140 vertices are unknowns instead of 432 cells" in each.message for each in few.findings)
    assert 2 < many.bytes_per_step / few.bytes_per_step < 5  # 3.1 times the unknowns, as many entries in a row
    problem = Problem(parameters(), mesh)
    assert few.bytes_per_step == bytes_of_a_step(ENGINE.build(problem, backend), problem)
    slow = parameters(tissue=parameters().tissue.model_copy(update={"sigma_il": 50.0, "sigma_el": 50.0}))
    with pytest.raises(ProblemError, match="mean ratio"):
        ENGINE.build(Problem(slow, mesh), backend)


def test_a_front_is_met_where_it_is(backend):
    """Phase singularities, leads and maps of a tissue on vertices run with it: a plane wave has no singularity."""
    mesh = box_mesh((10, 3, 3), (2.0, 0.6, 0.6))
    stimulus = Stimulus(site=Box(lower=(-1, -1, -1), upper=(0.5, 1, 1)))
    problem = parameters(stimuli=[stimulus], recording=Recording(phase=True, ecg="around"))
    simulation = ENGINE.build(Problem(problem, mesh), backend)
    simulation.advance(150)
    observed = simulation.observe()
    assert observed["phase_singularities"] == 0.0
    assert observed["ecg_+x"] > 0 > observed["ecg_−x"], "the wave goes towards +x"
    simulation.advance(200)
    latest = simulation.field("latest_activation")
    order = np.argsort(mesh.centroids[:, 0])
    assert (latest >= 0).all()
    assert latest[order[-20:]].min() > latest[order[:20]].max()
