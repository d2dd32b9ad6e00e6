"""Phase and phase singularities: rotating fields with known charges, the phases of a beat; both backends."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.device import Backend
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics, Sphere, Stimulus
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.watch.kernels import WatcherKernels
from engines.cardiac.watch.phase import Phase, phase_looks
from engines.cardiac.watch.watcher import Snapshot
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.shell import Shell, shell_of
from tests.engines.cardiac.watch.kernels import both_kernels

ENGINE = CardiacEngine()
ORIGIN = -40.0
TOP = 1.0


@pytest.fixture(scope="module")
def sheet() -> TetMesh:
    return box_mesh((20, 20, 2), (20.0, 20.0, TOP), jitter=0.2, seed=6)


def look(
    kernels: WatcherKernels,
    watcher: Phase,
    time: float,
    voltage: np.ndarray,
    dtype: str = "float32",
    between: bool = False,
) -> None:
    with kernels.backend.active():
        moment = Snapshot(float(time), kernels.backend.array(voltage.astype(dtype)))
        (watcher.look_between if between else watcher.look)(moment)


def pulsed() -> Problem:
    """A cube of 1 mm that is stimulated at 2 ms, and whose phase is recorded."""
    parameters = CardiacParameters(
        stimuli=[Stimulus(site=Sphere(radius=10), start=2.0)],
        numerics=Numerics(step=0.05),
        recording=Recording(phase=True, ecg="off", maps=False),
    )
    return Problem(parameters, box_mesh((2, 2, 2), (1.0, 1.0, 1.0)))


def on_top(
    backend: Backend, mesh: TetMesh, shell: Shell, angle: np.ndarray, dtype: str = "float64"
) -> list[tuple[np.ndarray, Phase]]:
    """Where on the upper face the singularities of the phase ``angle: (n_cells,)`` are: (k, 4) x, y, z and charge."""
    then, now = ORIGIN + 30 * np.sin(angle), ORIGIN + 30 * np.cos(angle)
    found = []
    for kernels in both_kernels(backend, dtype, mesh.n_cells):
        watcher = Phase(kernels, mesh.n_cells, shell, ORIGIN, every=1, looks=1, dt=1.0)
        for time, voltage in enumerate((then, now)):
            look(kernels, watcher, time, voltage, dtype)
        wrapped = (watcher.values("phase") - angle + np.pi) % (2 * np.pi) - np.pi
        assert np.abs(wrapped).max() < 1e-5
        charge = watcher.charge()
        assert charge.astype(int).sum() == 0, "a closed surface"
        assert watcher.observe() == {"phase_singularities": float(np.abs(charge).sum())}
        middles = shell.points[shell.triangles].mean(axis=1)
        here = (charge != 0) & (middles[:, 2] > TOP - 1e-6)
        found.append((np.column_stack([middles[here], charge[here]]), watcher))
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_rotating_phase_has_one_singularity_with_its_sign(backend, sheet, sign, dtype):
    """Within a triangle of 1 mm; the lower face, seen from below, has the opposite charge, and nothing else has any."""
    x, y = sheet.centroids[:, 0] - 8.3, sheet.centroids[:, 1] - 11.2
    for found, watcher in on_top(backend, sheet, shell_of(sheet), sign * np.arctan2(y, x), dtype):
        assert len(found) == 1
        assert found[0, 3] == sign
        assert np.hypot(found[0, 0] - 8.3, found[0, 1] - 11.2) < 1.5
        assert watcher.observe()["phase_singularities"] == 2
        assert watcher.marked.title.endswith("of the whole surface"), "one spiral is seen, and two are told"
        assert "a sheet or wall has two, one of each sign" in watcher.marked.note


def test_a_plane_wave_has_none(backend, sheet):
    for found, watcher in on_top(
        backend, sheet, shell_of(sheet), 0.7 * sheet.centroids[:, 0] + 0.4 * sheet.centroids[:, 1]
    ):
        assert len(found) == 0
        assert watcher.observe()["phase_singularities"] == 0


def test_a_pair_turns_both_ways(backend, sheet):
    x, y = sheet.centroids[:, 0], sheet.centroids[:, 1]
    angle = np.arctan2(y - 10.1, x - 5.2) - np.arctan2(y - 10.1, x - 15.2)
    for found, _ in on_top(backend, sheet, shell_of(sheet), angle):
        assert sorted(found[:, 3]) == [-1, 1]
        plus, minus = found[found[:, 3] == 1][0], found[found[:, 3] == -1][0]
        assert plus[0] < 10 < minus[0]


def test_the_shell_of_a_mesh_is_its_boundary(sheet):
    shell = shell_of(sheet)
    corners = shell.points[shell.triangles]
    volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    assert volume == pytest.approx(20 * 20 * TOP), "closed, normals outwards"
    for i in (0, len(shell.points) // 2, len(shell.points) - 1):
        around = shell.cells[shell.offsets[i] : shell.offsets[i + 1]]
        at = np.linalg.norm(sheet.points - shell.points[i], axis=1).argmin()
        np.testing.assert_array_equal(np.sort(around), np.flatnonzero((sheet.cells == at).any(axis=1)))


def test_the_delay_is_made_of_looks():
    assert phase_looks(8.0, 0.02) == (50, 8)
    assert phase_looks(0.5, 0.02) == (25, 1)
    assert phase_looks(8.0, 0.05) == (20, 8)


def test_phase_goes_through_a_beat_and_on_from_a_checkpoint(backend):
    """At rest -3π/4, at the end of the plateau π/4, each to 0.3 rad: the voltages are not as far from the origin."""
    simulation = ENGINE.build(pulsed(), backend)

    def phase() -> float:
        return float(simulation.field("phase").mean())

    assert phase() == pytest.approx(-3 * np.pi / 4, abs=1e-6)
    simulation.advance(100)
    assert -np.pi / 2 < phase() < 0, "the upstroke is in between"
    kept = simulation.state()
    simulation.advance(2000)
    assert phase() == pytest.approx(np.pi / 4, abs=0.3)
    expected = simulation.state()
    again = ENGINE.build(pulsed(), backend)
    again.restore(kept)
    again.advance(2000)
    for name, value in again.state().items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)
    assert [chart.name for chart in simulation.charts] == ["phase_singularities"]
    assert simulation.observe() == {"phase_singularities": 0.0}


def test_phase_is_of_the_moment_between_two_looks(backend):
    """Looks are 1 ms apart, here 20 steps; of the voltage a delay ago a straight line is known between two of them."""
    problem = pulsed()
    simulation, recording = ENGINE.build(problem, backend), problem.parameters.recording
    every, looks = phase_looks(recording.phase_delay, 0.05)
    shifted = [simulation.field("voltage").astype(float) - recording.phase_origin]
    away = []
    for step in range(1, 400):
        simulation.advance(1)
        shifted.append(simulation.field("voltage").astype(float) - recording.phase_origin)
        then = shifted[max(step - every * looks, 0)]
        way = simulation.field("phase") - np.arctan2(then, shifted[-1])
        away.append(np.abs((way + np.pi) % (2 * np.pi) - np.pi).max())
    assert max(away[every - 1 :: every]) < 1e-6, "at looks it is exact"
    assert max(away[: every * looks]) < 1e-6, "the upstroke, with rest before it"
    assert max(away) < 0.4, "0.35, where the upstroke of 8 ms ago is on a straight line"
    assert np.mean(away) < 0.01


def test_singularities_are_where_waves_turn_now(backend, sheet):
    """A spiral's centre that drifts by 4 mm in the millisecond between two looks is found where it is."""
    x, y = sheet.centroids[:, 0], sheet.centroids[:, 1]

    def voltage(time: float) -> np.ndarray:
        return ORIGIN + 30 * np.cos(np.arctan2(y - 11.2, x - 8.3 - 4.0 * time) - np.pi / 2 * time)

    for kernels in both_kernels(backend, "float32", sheet.n_cells):
        watcher = Phase(kernels, sheet.n_cells, shell_of(sheet), ORIGIN, every=4, looks=1, dt=0.25)
        for time in (0.0, 1.0):
            look(kernels, watcher, time, voltage(time))
        kept = watcher.state()
        places = []
        for time in (1.0, 1.25, 1.5, 1.75):
            look(kernels, watcher, time, voltage(time), between=True)
            found = watcher.markers()
            assert watcher.observe()["phase_singularities"] == len(found.signs) == 2
            (above,) = np.flatnonzero(found.positions[:, 2] > TOP / 2)
            places.append(found.positions[above, 0])
        assert (np.diff(places) >= 0).all(), "triangles are a millimetre"
        assert places[-1] - places[0] > 1.5
        for name, value in watcher.state().items():
            np.testing.assert_array_equal(value, kept[name], err_msg=name)


@pytest.mark.parametrize("turns", ["clockwise", "counter-clockwise"])
def test_markers_say_where_waves_turn_and_which_way(backend, sheet, turns):
    """A crest at the angle ∓Ω t, seen from above; a quarter of a turn between the two looks."""
    x, y = sheet.centroids[:, 0] - 8.3, sheet.centroids[:, 1] - 11.2
    way = -1 if turns == "clockwise" else 1
    shell = shell_of(sheet)
    for kernels in both_kernels(backend, "float32", sheet.n_cells):
        watcher = Phase(kernels, sheet.n_cells, shell, ORIGIN, every=1, looks=1, dt=1.0)
        assert len(watcher.markers().signs) == 0
        for quarter in (0, 1):
            crest = way * quarter * np.pi / 2
            look(kernels, watcher, quarter, ORIGIN + 30 * np.cos(np.arctan2(y, x) - crest))
        found = watcher.markers()
        assert found.signs.dtype == np.int8
        (above,) = np.flatnonzero(found.positions[:, 2] > TOP / 2)
        assert np.hypot(*(found.positions[above, :2] - (8.3, 11.2))) < 1.5, "within a triangle of 1 mm"
        assert watcher.marked.signs[0 if found.signs[above] > 0 else 1] == turns
        assert found.signs.sum() == 0
