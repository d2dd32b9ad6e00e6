"""The pseudo-ECG: against the solid angle of a front, against plain NumPy in float64, in the engine; both backends."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engines.api import Dab, Problem
from engines.api.errors import ProblemError
from engines.cardiac.diffusion.kernels import least_squares
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics, RegionSetting, Sphere, Stimulus
from engines.cardiac.parameters.recording import Electrode, Lead, Recording
from engines.cardiac.tissue.operator import tissue_operator
from engines.cardiac.watch.cuda import CudaKernels
from engines.cardiac.watch.ecg import Ecg
from engines.cardiac.watch.kernels import KERNELS
from engines.cardiac.watch.leads import LeadPlaces, lead_places, lead_weights
from engines.cardiac.watch.watcher import Snapshot
from engines.geometry.meshes.adjacency import face_neighbours
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from tests.cuda_on_host.backend import HostCudaBackend
from tests.cuda_on_host.loader import COMPILER
from tests.engines.cardiac.problems import assert_same_state

ENGINE = CardiacEngine()
SIGMA_I, SIGMA_BATH = 0.17, 0.2


def weights_of(mesh: TetMesh, leads: list[LeadPlaces], conductivity: np.ndarray | None = None) -> np.ndarray:
    tensors = np.tile(SIGMA_I * np.eye(3), (mesh.n_cells, 1, 1)) if conductivity is None else conductivity
    neighbours = face_neighbours(mesh.cells)
    gradients = least_squares(mesh.points, mesh.cells, mesh.volumes, mesh.centroids, tensors, neighbours)
    return lead_weights(mesh, neighbours, gradients, tensors, leads, SIGMA_BATH)


def ecg_of(simulation):
    return next(watcher for watcher in simulation._watchers if isinstance(watcher, Ecg))


def solid_angle(half: float, distance: float) -> float:
    """Of a square seen from above its middle."""
    return 4 * math.asin(half**2 / (half**2 + distance**2))


@pytest.fixture(scope="module")
def slab() -> TetMesh:
    return box_mesh((48, 6, 6), (24.0, 3.0, 3.0), jitter=0.2, seed=1)


@pytest.mark.parametrize("distance", [6.0, 12.0, 40.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_plane_front_is_a_dipole_layer(slab, distance, side):
    """φ = σ_i ΔV Ω / (4π σ_b), positive where the front comes towards the electrode (excited behind it).

    The front is a logistic curve 0.4 mm wide, so Ω is its mean over that curve. Left are the mesh's gradients over
    cells as large as the curve is wide, and one point in each of the 6 × 6 cells of the cross-section: (h/d)².
    """
    front, height, width = 12.0, 100.0, 0.4
    voltage = height / (1 + np.exp((slab.centroids[:, 0] - front) / width))  # excited at small x
    lead = LeadPlaces("L", (front + side * distance, 1.5, 1.5))
    potential = float(weights_of(slab, [lead])[0] @ voltage)
    offsets = np.linspace(-10 * width, 10 * width, 2001)
    density = 1 / (4 * width * np.cosh(offsets / (2 * width)) ** 2)
    angles = np.array([solid_angle(1.5, distance - offset) for offset in offsets])
    expected = side * SIGMA_I * height * np.trapezoid(density * angles, offsets) / (4 * math.pi * SIGMA_BATH)
    assert potential == pytest.approx(expected, rel=0.01)


def test_weights_are_the_sum_over_cells_written_out():
    """The integral cell by cell, in the formula's own order, over tensors of any direction. The gradients are those of
    the diffusion, which has tests of its own."""
    mesh = box_mesh((3, 2, 2), (3.0, 2.0, 2.0), jitter=0.2, seed=2)
    rng = np.random.default_rng(5)
    root = rng.normal(size=(mesh.n_cells, 3, 3))
    tensors = 0.1 * np.eye(3) + 0.05 * root @ root.transpose(0, 2, 1)
    neighbours = face_neighbours(mesh.cells)
    gradients = least_squares(mesh.points, mesh.cells, mesh.volumes, mesh.centroids, tensors, neighbours)
    lead = LeadPlaces("L", (9.0, 4.0, -3.0), (-5.0, 1.0, 2.0))
    voltage = rng.normal(size=mesh.n_cells)
    total = 0.0
    for i in range(mesh.n_cells):
        gradient = np.zeros(3)
        for k in range(4):
            if neighbours[i, k] >= 0:
                gradient += gradients[i, k] * (voltage[neighbours[i, k]] - voltage[i])
        for sign, electrode in ((1, lead.plus), (-1, lead.minus)):
            away = mesh.centroids[i] - np.array(electrode)
            inverse = -away / np.linalg.norm(away) ** 3  # the gradient of 1/r
            total -= sign * mesh.volumes[i] * (tensors[i] @ gradient) @ inverse / (4 * np.pi * SIGMA_BATH)
    weights = weights_of(mesh, [lead], tensors)
    assert weights[0] @ voltage == pytest.approx(total, rel=1e-12)
    assert abs(weights.sum()) < 1e-14 * np.abs(weights).sum() * mesh.n_cells


def test_an_electrode_inside_a_cell_gives_a_number(slab):
    weights = weights_of(slab, [LeadPlaces("L", tuple(slab.centroids[100]))])  # type: ignore[arg-type]  # three floats
    assert np.isfinite(weights).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_on_the_device(backend, dtype):
    """Voltages in ``dtype`` and weights in float32: 6e-8 of each term, of 20,000 with random signs; a constant gives
    exactly nothing."""
    n, rng = 20_000, np.random.default_rng(3)
    weights = rng.normal(size=(3, n))
    weights -= weights.mean(axis=1)[:, None]
    voltage = rng.uniform(-90, 40, n).astype(dtype)
    expected = weights @ voltage.astype(float)
    kinds = [KERNELS.open(backend, n, np.dtype(dtype))]
    if COMPILER is not None:
        kinds.append(CudaKernels(HostCudaBackend(), n, np.dtype(dtype)))
    for kernels in kinds:
        ecg = Ecg(kernels, ["a", "b", "c"], weights, every=1)
        with kernels.backend.active():
            ecg.look(Snapshot(0.0, kernels.backend.array(voltage)))
        scale = np.sqrt((weights**2).sum(axis=1)) * 130
        assert (np.abs(np.array(list(ecg.observe().values())) - expected) < 1e-6 * scale).all()
        with kernels.backend.active():
            ecg.look(Snapshot(0.0, kernels.backend.array(np.full(n, -85.3, dtype))))
        assert list(ecg.observe().values()) == [0.0, 0.0, 0.0]


def block_problem(recording: Recording) -> Problem:
    mesh = box_mesh((8, 3, 2), (4.0, 1.5, 1.0), jitter=0.2, seed=4, fibre=(1, 0, 0))
    stimulus = Stimulus(site=Sphere(radius=0.8))
    parameters = CardiacParameters(stimuli=[stimulus], numerics=Numerics(step=0.05), recording=recording)
    return Problem(parameters, mesh)


def test_leads_of_a_wave_in_the_engine(backend):
    """The wave runs along x from the origin: lead X sees it come, and the six electrodes are its two sides."""
    seen = {}
    for ecg in ("across", "around"):
        simulation = ENGINE.build(block_problem(Recording(ecg=ecg, maps=False)), backend)
        assert simulation.sample_steps == 10
        assert abs(np.array(list(simulation.observe().values()))).max() == 0.0, "at rest, and looked at"
        simulation.advance(100)  # 5 ms
        titles = [info.title for info in simulation.series]
        seen |= dict(zip(titles, simulation.observe().values(), strict=True))
        assert simulation.charts[0].series == tuple(info.name for info in simulation.series)
    assert seen["X"] > 1e-4
    for axis in "xyz":
        assert seen[axis.upper()] == pytest.approx(seen[f"+{axis}"] - seen[f"−{axis}"], rel=1e-4, abs=1e-9)


def test_leads_are_of_the_moment_at_which_they_are_asked_for(backend):
    """Also between two samples, where a run may end; asking there, and going on from there, changes nothing later."""
    asked, unbroken = (ENGINE.build(block_problem(Recording()), backend) for _ in range(2))
    unbroken.advance(100)
    asked.advance(93)
    weights = backend.to_host(ecg_of(asked)._weights).astype(float)
    voltage = asked.state()["voltage"].astype(float)
    found = [value for name, value in asked.observe().items() if name.startswith("ecg_")]
    expected = weights @ (voltage - voltage[0])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert asked.observe() != unbroken.observe()
    again = ENGINE.build(block_problem(Recording()), backend)
    again.restore(asked.state())
    assert again.observe() == asked.observe()
    for simulation in (asked, again):
        simulation.advance(7)
        assert_same_state(simulation, unbroken)
        assert simulation.observe() == unbroken.observe()
    again.restore(asked.state())
    assert again.observe() == unbroken.observe()


def test_a_region_that_is_scar_is_no_source(backend):
    """Its cells stay at rest and conduct nothing, so the leads of excited tissue around it are those of no voltage."""
    problem = block_problem(Recording(maps=False))
    mesh = problem.geometry
    middle = (np.abs(mesh.centroids[:, 0] - 2.0) < 0.6).astype(np.int32)
    cut = replace(mesh, regions=middle, region_names={0: "rest", 1: "scar"})
    seen = []
    for condition in ("healthy", "non-conducting scar"):
        problem.parameters.regions = [RegionSetting(region="scar", condition=condition)]
        simulation = ENGINE.build(Problem(problem.parameters, cut), backend)
        state = simulation.state()
        voltage = np.where(middle == 1, -85.0, 0.0)[tissue_operator(cut, problem.parameters).order]
        state["voltage"][: cut.n_cells] = voltage
        simulation.restore(state)
        simulation._look()
        seen.append(np.abs(list(simulation.observe().values())).max())
    assert seen[0] > 1e-3, "a step of 85 mV between conducting cells is a source"
    assert seen[1] < 1e-6 * seen[0]


def test_painted_scar_is_no_source_and_weights_around_it_are_those_of_a_mesh_with_a_hole(backend):
    """Against weights of the whole mesh, made anew: of a region that is scar, and by tensors that are less. Float32."""
    problem = block_problem(Recording())
    simulation = ENGINE.build(problem, backend)
    mesh, ecg = problem.geometry, ecg_of(simulation)
    order = tissue_operator(mesh, problem.parameters).order

    def weights():
        found = np.empty((3, mesh.n_cells))
        found[:, order] = backend.to_host(ecg._weights)
        return found

    before, kept = weights(), simulation.state()
    simulation.paint(Dab("scar", (2.0, 0.7, 0.5), 0.5, 0.0))
    dead = simulation.field("scar") == 1
    holed = replace(mesh, regions=dead.astype(np.int32), region_names={0: "rest", 1: "scar"})
    of_region = problem.parameters.model_copy(
        update={"regions": [RegionSetting(region="scar", condition="non-conducting scar")]}
    )
    expected = ENGINE.build(Problem(of_region, holed), backend)
    whole = np.empty_like(before)
    whole[:, tissue_operator(holed, of_region).order] = backend.to_host(ecg_of(expected)._weights)
    assert (weights()[:, dead] == 0).all()
    assert (before[:, dead] != 0).any()
    assert np.abs(weights() - whole).max() < 1e-6 * np.abs(whole).max()
    painted = simulation.state()
    simulation.restore(kept)
    np.testing.assert_array_equal(weights(), before)
    simulation.paint(Dab("scar", (2.0, 0.7, 0.5), 0.5, 0.25))
    weak = problem.parameters.model_copy(update={"regions": [RegionSetting(region="scar", conductivity_scale=0.25)]})
    expected = ENGINE.build(Problem(weak, holed), backend)
    whole[:, tissue_operator(holed, weak).order] = backend.to_host(ecg_of(expected)._weights)
    assert np.abs(weights() - whole).max() < 1e-6 * np.abs(whole).max()
    simulation.restore(painted)
    assert (weights()[:, dead] == 0).all()
    simulation.paint(Dab("scar", (2.0, 0.7, 0.5), 9.0, 0.0, erase=True))
    np.testing.assert_array_equal(weights(), before)


def test_leads_between_electrodes_of_ones_own():
    electrodes = [Electrode(name="a", position=(10, 0, 0)), Electrode(name="b", position=(-10, 0, 0))]
    mesh = box_mesh((2, 2, 2), (1.0, 1.0, 1.0))
    leads = lead_places(Recording(ecg="own", electrodes=electrodes, leads=[Lead(name="I", plus="a", minus="b")]), mesh)
    assert leads == (LeadPlaces("I", (10, 0, 0), (-10, 0, 0)),)
    assert [lead.name for lead in lead_places(Recording(ecg="own", electrodes=electrodes), mesh)] == ["a", "b"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "has no electrode: add one"),
        ({"electrodes": [Electrode(), Electrode()]}, "called 'E1': give each a name of its own"),
        ({"electrodes": [Electrode()], "leads": [Lead(plus="E9")]}, "'E9', which there is not; there are: E1"),
        ({"electrodes": [Electrode()], "leads": [Lead(), Lead()]}, "Two leads"),
    ],
)
def test_electrodes_that_cannot_be_are_refused_before_the_run(backend, changes, sentence):
    problem = block_problem(Recording(ecg="own", **changes))
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.estimate(problem, backend)


def test_the_factor_on_all_conductivities_is_in_it(backend):
    """As if the tissue's own were as much smaller; after a live change from the next look on."""
    scaled, smaller = block_problem(Recording(maps=False)), block_problem(Recording(maps=False))
    tissue = smaller.parameters.tissue
    quarter = {name: 0.25 * getattr(tissue, name) for name in ("sigma_il", "sigma_it", "sigma_el", "sigma_et")}
    scaled = replace(scaled, parameters=scaled.parameters.model_copy(update={"conductivity_scale": 0.25}))
    smaller = replace(
        smaller, parameters=smaller.parameters.model_copy(update={"tissue": tissue.model_copy(update=quarter)})
    )
    one, other = (ENGINE.build(each, backend) for each in (scaled, smaller))
    for simulation in (one, other):
        simulation.advance(60)
    assert one.observe() == pytest.approx(other.observe(), rel=1e-3, abs=1e-9)
    assert max(map(abs, one.observe().values())) > 1e-4
    again = ENGINE.build(scaled, backend)
    again.restore(one.state())
    assert again.observe() == one.observe()
    before = one.observe()
    one.set_control("conductivity_scale", 0.5)
    assert one.observe() == before
    one.advance(1)
    other.advance(1)
    assert one.observe() == pytest.approx(
        {name: 2 * value for name, value in other.observe().items()}, rel=0.05, abs=5e-4
    )
