"""What regions change in their cells: against the float64 reference, in tissue, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.cardiac.cells import tt06
from engines.cardiac.diffusion.forward_euler import DIFFUSION
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import Box, CardiacParameters, Numerics, RegionSetting, Stimulus
from engines.cardiac.parameters.cells import CellChange, CellSettings, Pacing
from engines.cardiac.setup.cells import CELL_TYPES, cell_findings, parameter_book
from engines.cardiac.tissue.operator import tissue_operator
from engines.cardiac.tissue.population import LEVELS, cut, insulators, pieces, population
from engines.geometry.meshes.adjacency import face_neighbours
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh

ENGINE = CardiacEngine()


def sheet(*regions: tuple[str, object], cubes: tuple[int, int, int] = (16, 12, 1)) -> TetMesh:
    """A sheet of 0.5 mm cubes; each region's predicate of the centroids says which cells it takes from "rest"."""
    mesh = box_mesh(cubes, tuple(0.5 * n for n in cubes))
    ids = np.zeros(mesh.n_cells, np.int32)
    for k, (_, inside) in enumerate(regions):
        ids[inside(mesh.centroids)] = k + 1
    names = {0: "rest"} | {k + 1: name for k, (name, _) in enumerate(regions)}
    return replace(mesh, regions=ids, region_names=names)


def problem(mesh: TetMesh, *settings: RegionSetting, step: float = 0.04, **changes: object) -> Problem:
    return Problem(
        CardiacParameters(
            regions=list(settings),
            stimuli=[Stimulus(site=Box(lower=(0, 0, 0), upper=(1, 100, 100)), duration=1.0)],
            numerics=Numerics(step=step, precision="fp64", initial_state="published"),
            **changes,
        ),
        mesh,
    )


def kinds_of(*settings: RegionSetting, seed: int = 1):
    """Kinds by region of a sheet cut in as many strips as there are settings."""
    strips = [(s.region, lambda c, k=k: np.floor(c[:, 1] / 1.5) == k) for k, s in enumerate(settings)]
    parameters = CardiacParameters(regions=list(settings), cells=CellSettings(seed=seed))
    mesh = sheet(*strips, cubes=(8, 12, 1))
    return mesh, population(mesh, parameters, parameter_book(parameters), tuple(CELL_TYPES))


def wall(centroids: np.ndarray) -> np.ndarray:
    """Across the sheet at x = 2.5 mm, open in its upper third."""
    return (np.abs(centroids[:, 0] - 2.5) < 0.5) & (centroids[:, 1] < 3.0)


def test_a_typed_factor_is_that_of_a_region_bit_for_bit(backend):
    mesh = sheet(("slow", lambda centroids: centroids[:, 0] > 2.5), cubes=(9, 6, 1))
    slow = problem(mesh, RegionSetting(region="slow", conductivity_scale=0.25), conductivity_scale=2.0)
    lines = ["edge = 2.5", "f = where(x > edge, 0.25, 1)"]
    typed, plain = (problem(mesh, conductivity_scale=2.0) for _ in range(2))
    typed.parameters.tissue.place_scale = lines
    voltages = []
    for given in (slow, typed, plain):
        run = ENGINE.build(given, backend)
        run.advance(300)
        voltages.append(run.field("voltage").copy())
    np.testing.assert_array_equal(voltages[0], voltages[1])
    assert np.abs(voltages[0] - voltages[2]).max() > 1.0
    limits = [ENGINE.estimate(given, backend).stable_step for given in (slow, typed)]
    assert limits[0] == limits[1]


@pytest.mark.parametrize(("lines", "sentence"), [
    (["f = x - 1"], "is -0.625 at .* mm: let it be above 0"),
    (["f = log(-x)"], "is nan at"),
    (["f = t"], "Line 1 uses 't', which is not known.*: there are x, y, z, pi"),
])  # fmt: skip
def test_a_factor_that_is_none_is_told(backend, lines, sentence):
    given = problem(sheet(cubes=(3, 3, 1)))
    given.parameters.tissue.place_scale = lines
    with pytest.raises(ProblemError, match=sentence) as refused:
        ENGINE.build(given, backend)
    assert refused.value.place[:2] == ("tissue", "place_scale")


def test_a_wave_goes_around_a_scar(backend):
    mesh = sheet(("scar", wall), cubes=(9, 9, 1))
    scar = mesh.regions == 1
    behind = int(np.argmin(np.linalg.norm(mesh.centroids - np.array([3.3, 0.3, 0.25]), axis=1)))
    gap = int(np.argmin(np.linalg.norm(mesh.centroids - np.array([3.3, 4.3, 0.25]), axis=1)))
    runs = []
    for settings in ((), (RegionSetting(region="scar", condition="non-conducting scar"),)):
        simulation = ENGINE.build(problem(mesh, *settings, conductivity_scale=2.0), backend)
        simulation.advance(500)
        runs.append(simulation)
    free, scarred = (run.field("activation") for run in runs)
    assert (free >= 0).all()
    assert (scarred[~scar] >= 0).all(), "all living tissue is reached"
    assert (scarred[scar] < 0).all()
    assert scarred[behind] > scarred[gap] + 2
    assert scarred[behind] > free[behind] + 2
    voltage = runs[1].field("voltage")[scar]
    assert np.ptp(voltage) == 0.0, "the scar's cells see neither each other nor the wave"


def rates(backend, mesh: TetMesh, parameters: CardiacParameters, v: np.ndarray) -> np.ndarray:
    """L v [mV/ms] in the numbering of the mesh."""
    operator = tissue_operator(mesh, parameters)
    diffusion = DIFFUSION.open(backend, operator.matrix, 1.0, "float64")
    before, after = v[operator.order], np.empty(mesh.n_cells)
    with backend.active():
        diffusion.step(before, after)
    found = np.empty(mesh.n_cells)
    found[operator.order] = after - before
    return found


def test_a_non_conducting_scar_lets_nothing_through(backend):
    """The operator of the tissue with a scar is that of a mesh without the scar's cells, but for rounding."""
    mesh = sheet(("scar", wall), cubes=(12, 10, 1))
    living = np.flatnonzero(mesh.regions == 0)
    parameters = problem(mesh, RegionSetting(region="scar", condition="non-conducting scar")).parameters
    v = np.random.default_rng(0).standard_normal(mesh.n_cells)
    found = rates(backend, mesh, parameters, v)
    without = mesh.take_cells(living)
    expected = rates(backend, without, problem(without).parameters, v[living])
    np.testing.assert_allclose(found[living], expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    assert (found[mesh.regions == 1] == 0.0).all()


def test_a_spread_is_log_normal_and_comes_again_with_its_seed():
    """Of sixteen equally likely levels the mean is that of the quantiles; cells draw them evenly."""
    setting = RegionSetting(
        region="a",
        changes=[CellChange(parameter="g_CaL", number=0.8, spread=20), CellChange(parameter="g_Kr", spread=10)],
    )
    mesh, found = kinds_of(setting)
    inside = mesh.regions == 1
    assert len(set(found.of[inside].tolist())) == LEVELS
    assert (found.of[~inside] == 0).all()
    drawn = [dict(found.kinds[k][1]) for k in range(3, 3 + LEVELS)]
    for name, middle, width in (("g_CaL", 0.8, 0.2), ("g_Kr", 1.0, 0.1)):
        logs = np.log([kind[name] / (middle * tt06.COMMON[name]) for kind in drawn])
        assert abs(logs.mean()) < 1e-12
        assert logs.std() == pytest.approx(width, rel=0.06), "sixteen quantiles have 0.95 of the width"
    both = np.array([[kind["g_CaL"], kind["g_Kr"]] for kind in drawn])
    assert abs(np.corrcoef(both.T)[0, 1]) < 0.6
    again, other = kinds_of(setting)[1], kinds_of(setting, seed=2)[1]
    assert again.kinds == found.kinds
    np.testing.assert_array_equal(again.of, found.of)
    assert other.kinds != found.kinds


def test_regions_alike_share_a_kind():
    settings = [RegionSetting(region=name, cell_type="endo", condition="border zone") for name in "ab"]
    assert len(kinds_of(*settings)[1].kinds) == 4


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (RegionSetting(region="a", changes=[CellChange(parameter="g_KR")]), "no parameter 'g_KR'.* it has g_Na"),
        (RegionSetting(region="a", changes=[CellChange(parameter="g_Kr", number=-1)]), "'g_Kr' becomes -0.153"),
        (RegionSetting(region="a", changes=[CellChange(parameter="K_o", number=0)]), "make it positive"),
    ],
)
def test_changes_that_cannot_be_made_say_why(setting, words):
    with pytest.raises(ProblemError, match=words):
        cell_findings(CardiacParameters(regions=[setting]))


def test_a_condition_of_another_model_is_refused():
    parameters = CardiacParameters(
        cell_model="Bueno-Orovio 2008", regions=[RegionSetting(region="a", condition="border zone")]
    )
    with pytest.raises(ProblemError, match=r"'border zone' in region 'a'.*Bueno-Orovio.*has no g_Na"):
        cell_findings(parameters)


def test_too_many_kinds_are_refused():
    with pytest.raises(ProblemError, match=r"make .* kinds of cells, and 256 fit"):
        kinds_of(
            *(RegionSetting(region=f"r{k}", changes=[CellChange(parameter="g_Kr", spread=5 + k)]) for k in range(17))
        )


def test_pieces_are_counted_and_told(backend):
    mesh = sheet(("scar", lambda c: np.abs(c[:, 0] - 4.0) < 0.5))
    scarred = problem(mesh, RegionSetting(region="scar", condition="non-conducting scar"))
    messages = [finding.message for finding in ENGINE.estimate(scarred, backend).findings]
    assert any("in 2 pieces, of 504, 504 cells" in message for message in messages)
    assert not any("pieces" in finding.message for finding in ENGINE.estimate(problem(mesh), backend).findings)
    neighbours = face_neighbours(mesh.cells)
    lone = np.zeros(mesh.n_cells, bool)
    lone[7] = True
    assert pieces(cut(neighbours, lone), np.zeros_like(lone)) == (mesh.n_cells - 1, 1)


def test_a_step_too_large_names_the_cell(backend):
    mesh = box_mesh((3, 3, 3), (1.5, 1.5, 1.5))
    points = mesh.points.copy()
    points[21] += np.array([0.0, 0.0, 0.35])  # an inner node: its tetrahedra become flat
    mesh = TetMesh(points, mesh.cells, mesh.regions, mesh.region_names)
    given = problem(mesh, step=0.1, conductivity_scale=20.0)
    with pytest.raises(ProblemError, match=r"set by cell \d+ at \(.*\) mm with a mean ratio of 0\.\d+.*use at most"):
        ENGINE.build(given, backend)


def test_a_step_above_the_cells_own_limit_is_refused(backend):
    """TT06's lightweight Rush-Larsen bears 0.125 ms whatever diffusion allows."""
    with pytest.raises(ProblemError, match=r"above the stable limit of the cell model: use at most 0\.125 ms"):
        ENGINE.build(problem(sheet(cubes=(3, 3, 1)), step=0.2, conductivity_scale=0.01), backend)


def test_the_last_of_two_settings_of_a_region_counts_and_that_is_told(backend):
    mesh = sheet(("a", wall), cubes=(5, 4, 1))
    scar, healthy = (RegionSetting(region="a", condition=each) for each in ("non-conducting scar", "healthy"))
    for settings, count in (((scar, healthy), 0), ((healthy, scar), (mesh.regions == 1).sum())):
        given = problem(mesh, *settings)
        assert insulators(mesh, given.parameters).sum() == count
        messages = [finding.message for finding in ENGINE.estimate(given, backend).findings]
        assert any("More than one setting is for a: the last one counts" in message for message in messages)


def test_a_stimulus_longer_than_the_pacing_s_cycle_is_refused(backend):
    given = problem(sheet(cubes=(3, 3, 1)))
    given.parameters.numerics.initial_state = "paced"
    given.parameters.numerics.pacing = Pacing(cycle_length=10.0, duration=50.0)
    with pytest.raises(ProblemError, match="50 ms of every 10 ms: make the pacing"):
        ENGINE.build(given, backend)
