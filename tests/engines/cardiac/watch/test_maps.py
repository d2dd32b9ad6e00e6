"""Maps of each beat: against the single cell, on made-up voltages, in the whole engine; both backends."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.cardiac.cells.pacing import Protocol, measure, pace
from engines.cardiac.cells.tt06 import CellType
from engines.cardiac.cells.tt06_tissue import TT06_CELLS
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics, RegionSetting, Sphere, Stimulus
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.watch.maps import NO_PEAK, Maps
from engines.cardiac.watch.watcher import Snapshot
from engines.cardiac.watch.watchers import watchers_traffic
from engines.geometry.meshes.box import box_mesh
from tests.engines.cardiac.watch.kernels import alive, both_kernels

ENGINE = CardiacEngine()


def triangle(times: np.ndarray, starts: list[float]) -> np.ndarray:
    """Beats of 100 mV from -80: up in 4 ms, down in 200."""
    voltage = np.full(len(times), -80.0)
    for start in starts:
        since = times - start
        voltage = np.maximum(voltage, -80 + np.minimum(100 * since / 4, 100 * (1 - (since - 4) / 200)))
    return voltage


def looked(
    kernels: object, starts: list[float], until: float, dtype: str, n: int = 5, notch: bool = False
) -> tuple[Maps, np.ndarray]:
    maps = Maps(kernels, n, 0.0, 90.0, 1, 0.5, alive(kernels, n))  # type: ignore[arg-type]  # either kind
    times = np.arange(0, until, 0.5)
    shifts = 0.37 * np.arange(n)  # each cell meets the looks at another moment
    beats = np.stack([triangle(times - shift, starts) for shift in shifts], axis=1).astype(dtype)
    if notch:
        beats[(times > 20) & (times < 25)] -= 30
    for time, voltage in zip(times, beats, strict=True):
        with kernels.backend.active():  # type: ignore[attr-defined]  # as above
            maps.look(Snapshot(float(time), kernels.backend.array(voltage)))  # type: ignore[attr-defined]  # as above
    return maps, shifts


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_linear_beats_are_timed_exactly_and_the_latest_counts(backend, dtype):
    """Between two looks the voltage is linear but for its corners: crossings at 3.2 ms and, from the top seen within
    0.5 ms of looks (0.25 mV of the falling flank), the level at 90 % of the height."""
    exact = 1e-9 if dtype == "float64" else 1e-4  # float32: 3e-5 ms at 500 ms, and 7e-6 mV over 0.5 mV/ms
    for kernels in both_kernels(backend, dtype):
        maps, shifts = looked(kernels, [10.0, 300.0], 550.0, dtype)
        assert np.abs(maps.values("latest_activation") - (303.2 + shifts)).max() < exact
        top = 20 - maps.values("peak")
        assert (top >= -1e-5).all()
        assert top.max() < 0.25 + 1e-5
        end = 304 + 200 * (0.9 + 0.1 * top / 100)  # a lower top lowers the level by a tenth of that
        assert np.abs(maps.values("repolarisation") - (end + shifts)).max() < 5 * exact
        assert np.abs(maps.values("apd") - (end - 303.2)).max() < 5 * exact
        np.testing.assert_allclose(maps.values("rest"), -80, atol=1e-5)


def test_a_beat_in_the_tail_of_another_counts_and_a_notch_does_not(backend):
    for kernels in both_kernels(backend, "float64"):
        maps, shifts = looked(kernels, [10.0, 180.0], 200.0, "float64")  # the second rises from -63 mV
        assert (maps.values("latest_activation") > 180).all()
        assert (maps.values("apd") == -1).all(), "the beat that was cut short has no duration"
        np.testing.assert_allclose(maps.values("rest"), -80, err_msg="that of the beat before")
        notched, _ = looked(kernels, [10.0], 60.0, "float64", notch=True)  # down to -18 mV and up again
        assert np.abs(notched.values("latest_activation") - 13.2 - shifts).max() < 1e-9


def of_one(kernels: object, voltage: np.ndarray, since: float = 0.5) -> Maps:
    """Maps that have looked at this course in each of five cells."""
    maps = Maps(kernels, 5, 0.0, 90.0, 1, since, alive(kernels, 5))  # type: ignore[arg-type]  # either kind
    for look, value in enumerate(voltage):
        with kernels.backend.active():  # type: ignore[attr-defined]  # as above
            held = kernels.backend.array(np.full(5, value, "float32"))  # type: ignore[attr-defined]  # as above
            maps.look(Snapshot(since * look, held))
    return maps


@pytest.mark.parametrize("after", [-60.0, -5.0, 5.0])
def test_the_resting_voltage_is_that_before_the_beat_once_it_is_over(backend, after):
    """It may come to rest higher, lower, or not yet: with the peak it gives the level at which the beat has ended."""
    times = np.arange(0, 400, 0.5)
    course = triangle(times, [10.0])
    course[times > 215] += after * np.minimum((times[times > 215] - 215) / 40, 1)
    for kernels in both_kernels(backend, "float32"):
        maps = of_one(kernels, course)
        np.testing.assert_allclose(maps.values("rest"), -80, atol=1e-5)
        height = maps.values("peak") - maps.values("rest")
        assert height == pytest.approx(100, abs=0.25)


def test_a_dip_at_the_edge_of_a_stimulus_is_no_resting_voltage(backend):
    """8 mV for some ms: it falls by 0.1 mV a ms at most, the level of 90 % by nine tenths of that, at 0.5 mV/ms. A cell
    that drifts slower, and one that settles after a beat, are followed."""
    times = np.arange(0, 320, 0.5)
    plain, dipped = triangle(times, [10.0]), triangle(times, [10.0])
    dipped[(times >= 7) & (times < 10)] -= 8 * np.sin(np.pi * (times[(times >= 7) & (times < 10)] - 7) / 3)
    drifting = plain - 0.09 * np.minimum(times, 10.0)
    twice = triangle(times, [10.0, 290.0])
    twice[(times > 215) & (times < 290)] -= 15 * np.minimum((times[(times > 215) & (times < 290)] - 215) / 20, 1)
    twice[times >= 290] -= 15
    for kernels in both_kernels(backend, "float32"):
        expected, found = of_one(kernels, plain), of_one(kernels, dipped)
        assert np.abs(found.values("rest") + 80).max() <= 0.3
        assert np.abs(found.values("apd") - expected.values("apd")).max() <= 0.9 * 0.3 / 0.5
        assert of_one(kernels, drifting).values("rest") == pytest.approx(-80.9, abs=1e-4)
        assert of_one(kernels, twice).values("rest") == pytest.approx(-95, abs=1e-4)


def test_nothing_is_known_before_the_first_beat(backend):
    for kernels in both_kernels(backend, "float32"):
        maps, _ = looked(kernels, [100.0], 50.0, "float32")
        for name in ("latest_activation", "repolarisation", "apd"):
            assert (maps.values(name) == -1).all()
        assert (maps.values("peak") == NO_PEAK).all()
        assert (maps.values("rest") == NO_PEAK).all()


def tissue_of(kind: str, **recording: object) -> Problem:
    """A small block that is stimulated as a whole: every cell does what a single one does."""
    mesh = box_mesh((2, 1, 1), (1.0, 0.5, 0.5))
    everywhere = Stimulus(site=Sphere(radius=10), duration=1.0, amplitude=52 * 1400.0)  # 52 pA/pF
    parameters = CardiacParameters(
        regions=[RegionSetting(region=name, cell_type=kind) for name in mesh.region_names.values()],
        stimuli=[everywhere],
        numerics=Numerics(step=0.02, precision="fp64", initial_state="published"),
        recording=Recording(ecg="off", **recording),
    )
    return Problem(parameters, mesh)


@pytest.mark.parametrize(
    ("kind", "cell", "published"),
    [("epi", CellType.EPI, 290.1), ("endo", CellType.ENDO, 281.9), ("M", CellType.M, 351.3)],
)
def test_apd90_in_a_tissue_is_that_of_the_single_cell(backend, kind, cell, published):
    """Looks 0.2 ms apart. The single cell's APD starts at the steepest upstroke, which is within half a step (0.01 ms)
    and the curvature of the upstroke of 0 mV; the looks miss up to 0.2 mV of the peak: 0.02 ms at 1 mV/ms."""
    simulation = ENGINE.build(tissue_of(kind), backend)
    simulation.advance(18_500)
    cells = TT06_CELLS.open(backend, np.array([cell], np.uint8), np.ones(1, np.uint32), precision="float64")
    potential = measure(*(each.squeeze() for each in pace(cells, Protocol(cycle_length=370.0), 1, 0.02)))
    apd = simulation.field("apd")
    assert np.ptp(apd) < 1e-4, "the tissue is the same everywhere"
    assert apd[0] == pytest.approx(potential.duration_90, abs=0.05)
    assert apd[0] == pytest.approx(published, abs=0.3)  # our step and stimulus
    assert simulation.field("peak")[0] == pytest.approx(potential.peak, abs=0.3)
    activation = simulation.field("activation")
    assert np.abs(simulation.field("latest_activation") - activation).max() < 0.02
    total = simulation.field("latest_activation") + apd
    np.testing.assert_allclose(total, simulation.field("repolarisation"), atol=1e-4)  # field() is float32


def test_maps_of_a_wave_and_a_checkpoint_of_them(backend):
    mesh = box_mesh((10, 4, 2), (5.0, 2.0, 1.0), jitter=0.2, seed=3, fibre=(1, 0, 0))
    stimulus = Stimulus(site=Sphere(radius=1.0))
    problem = Problem(CardiacParameters(stimuli=[stimulus], numerics=Numerics(step=0.05)), mesh)
    simulation = ENGINE.build(problem, backend)
    simulation.advance(150)
    kept = simulation.state()
    simulation.advance(331)  # no multiple of the steps between looks
    first, latest = simulation.field("activation"), simulation.field("latest_activation")
    assert (first >= 0).all()
    # A front's upstroke of some 150 mV in 1 ms bends within 0.2 ms: as in the heart, where 0.045 ms was the most.
    assert np.abs(first - latest).max() < 0.06
    again = ENGINE.build(problem, backend)
    again.restore(kept)
    again.advance(331)
    expected = simulation.state()
    assert {"maps", "rhythm"} <= expected.keys()
    for name, value in again.state().items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)
    assert again.observe() == simulation.observe()


def test_a_checkpoint_without_maps_starts_them_anew(backend):
    simulation = ENGINE.build(tissue_of("epi"), backend)
    simulation.advance(500)
    state = simulation.state()
    del state["maps"]
    simulation.restore(state)
    simulation.advance(100)
    assert (simulation.field("latest_activation") == -1).all()
    assert np.isfinite(simulation.field("rest")).all()
    assert (simulation.field("activation") > 0).all()


def test_maps_cost_less_than_two_percent_of_a_step(backend):
    for precision in ("fp32", "fp64"):
        for step in (0.02, 0.05):
            problem = tissue_of("epi")
            problem.parameters.numerics = Numerics(step=step, precision=precision)  # type: ignore[attr-defined]  # a BaseModel here
            step_bytes = sum(kernel.bytes for kernel in ENGINE.build(problem, backend).traffic)
            (maps,) = watchers_traffic(problem.parameters, problem.geometry, 4 if precision == "fp32" else 8)  # type: ignore[arg-type]  # a BaseModel here
            assert maps.bytes < 0.02 * step_bytes


def test_without_recording_there_is_nothing_to_pay(backend):
    problem = tissue_of("epi", maps=False)
    simulation = ENGINE.build(problem, backend)
    assert [info.name for info in simulation.fields] == ["voltage", "calcium", "activation", "scar"]
    assert simulation.observe() == {}
    assert simulation.charts == ()
    assert {kernel.kernel for kernel in simulation.traffic} == {"diffusion", "reaction"}
