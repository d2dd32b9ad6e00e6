"""What a tissue does after its latest stimulus, on made-up waves: how long, and whether any came back."""

from dataclasses import replace

import numpy as np
import pytest

from engines.api import Dab, Problem, Selection
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import VERTEX_CENTRED, CardiacParameters, Numerics, RegionSetting, Sphere, Stimulus
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.stimulus.protocol import Protocol, Pulse
from engines.cardiac.tissue.silent import Silent
from engines.cardiac.watch.kernels import MapArrays
from engines.cardiac.watch.maps import WAITING, Maps
from engines.cardiac.watch.rhythm import Rhythm
from engines.cardiac.watch.watcher import Snapshot
from engines.geometry.meshes.box import box_mesh
from tests.engines.cardiac.problems import assert_same_state
from tests.engines.cardiac.watch.kernels import alive, both_kernels
from tests.engines.cardiac.watch.test_maps import triangle

STEP, EVERY, CELLS = 0.5, 1, 40
CROSSING = 3.2
"""[ms] after the start of a made-up beat it passes 0 mV."""


def after(backend, pulses, waves, until):
    """Watchers that saw ``waves``: lists of when each of the cells begins a beat [ms]; ``pulses`` [ms]."""
    made = [Pulse(1.0, round(time / STEP), 2, 2, 1) for time in pulses]
    for kernels in both_kernels(backend, "float64", CELLS):
        maps = Maps(kernels, CELLS, 0.0, 90.0, EVERY, STEP, alive(kernels, CELLS))
        rhythm = Rhythm(kernels, maps, Protocol(np.zeros(CELLS, np.uint32), made), STEP, EVERY)
        times = STEP * np.arange(round(until / STEP) + 1)
        voltages = np.stack([triangle(times, [wave[cell] for wave in waves]) for cell in range(CELLS)], axis=1)
        for step, (time, voltage) in enumerate(zip(times, voltages, strict=True)):
            with kernels.backend.active():
                moment = Snapshot(float(time), kernels.backend.array(voltage))
                maps.look(moment)
                if step % rhythm.every == 0:
                    rhythm.look(moment)
        yield maps, rhythm


def wave(start, along=2.0):
    """From the first cell to the last, ``along`` ms each."""
    return start + along * np.arange(CELLS)


@pytest.mark.parametrize(
    ("pulses", "waves", "beats", "said"),
    [
        ([10.0], [wave(10.0)], 0, ""),
        ([10.0, 300.0], [wave(10.0), wave(300.0)], 0, "No re-entry: after the latest stimulus at 300 ms nothing"),
        ([10.0, 300.0], [wave(10.0), wave(300.0), wave(560.0), wave(800.0)], 2, "up to 2 times, for 581 ms; cycle"),
        ([10.0], [wave(10.0), wave(400.0)], 1, "activated again once, for 471 ms; cycle length there 390 ms."),
        # The second pulse comes while the first wave still runs: its cells have two beats of two pulses.
        ([10.0, 60.0], [wave(10.0, 10.0), wave(260.0)], 0, "No re-entry"),
        ([10.0, 300.0], [wave(10.0), np.full(CELLS, 1e6)], 0, "and the last wave ran for 0 ms"),
    ],
)  # fmt: skip
def test_beats_that_no_stimulus_made_are_counted(backend, pulses, waves, beats, said):
    for _, rhythm in after(backend, pulses, waves, 1100.0):
        observed = rhythm.observe()
        assert observed["own_beats"] == beats
        last = max(one.max() for one in waves if one.max() < 1e6) + CROSSING
        assert observed["activity"] == pytest.approx(max(last - pulses[-1], 0), abs=1e-6)
        told = " ".join(finding.message for finding in rhythm.noticed())
        assert said in told
        assert bool(told) == bool(said)


def test_a_wave_that_still_runs_is_told(backend):
    for _, rhythm in after(backend, [10.0, 300.0], [wave(10.0), wave(300.0)], 330.0):
        (finding,) = rhythm.noticed()
        assert finding.message.startswith("No re-entry so far")
        assert "run longer" in finding.message
        assert rhythm.observe()["excited"] == pytest.approx(100 * 14 / CELLS), "those whose beat began by 326.8 ms"


def test_cycles_are_those_between_a_cells_last_two_beats(backend):
    for maps, rhythm in after(backend, [10.0], [wave(10.0), wave(300.0, 3.0)], 560.0):
        np.testing.assert_allclose(maps.values("cycle_length"), 290.0 + np.arange(CELLS), atol=1e-9)
        again = Rhythm(maps._kernels, maps, rhythm._protocol, STEP, EVERY)
        again.restore(rhythm.state())
        with maps._kernels.backend.active():
            again.look_between(Snapshot(560.0, None))
        assert again.observe() == rhythm.observe()
    for maps, _ in after(backend, [10.0], [wave(10.0)], 200.0):
        assert (maps.values("cycle_length") == -1).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_excited_is_what_numpy_finds(backend, dtype):
    """Over several blocks and chunks; of cells that had as many beats the first is the one whose cycle counts."""
    n, rng = 40_001, np.random.default_rng(4)
    for kernels in both_kernels(backend, dtype, n):
        maps = Maps(kernels, n, 0.0, 90.0, 1, STEP, alive(kernels, n))
        host = MapArrays(*np.zeros((len(MapArrays._fields), n), dtype))
        host.activation[:], host.cycle[:] = rng.uniform(-1, 900, n), rng.uniform(100, 300, n)
        host.beats[:] = rng.integers(0, 4, n)
        host.level[:] = np.where(rng.random(n) < 0.3, -70.0, WAITING)
        for name in ("activation", "beats", "level", "cycle"):
            getattr(maps.of_cells, name)[:] = getattr(host, name)
        out = kernels.backend.array(np.zeros(4))
        with kernels.backend.active():
            kernels.excited(maps.of_cells, out)
        most = host.beats.argmax()
        excited = (host.level > np.dtype(dtype).type(WAITING)).sum()
        expected = [host.activation.max(), host.beats[most], excited, host.cycle[most]]
        np.testing.assert_array_equal(kernels.backend.to_host(out), expected)


def test_what_is_excited_is_of_the_moment_at_which_it_is_asked_for(backend):
    """At each sample, and between two where a run may end: the maps know the same at that step."""
    mesh = box_mesh((16, 3, 2), (8.0, 1.5, 1.0), jitter=0.2, seed=4, fibre=(1, 0, 0))
    recording = Recording(ecg="off", interval=0.05)
    stimuli = [Stimulus(site=Sphere(radius=0.8), start=0.3)]
    parameters = CardiacParameters(stimuli=stimuli, numerics=Numerics(step=0.05), recording=recording)
    simulation = CardiacEngine().build(Problem(parameters, mesh), backend)
    unbroken = CardiacEngine().build(Problem(parameters, mesh), backend)
    for steps in (60, 10, 10, 17, 1, 2, 100):
        simulation.advance(steps)
        observed, activation = simulation.observe(), simulation.field("latest_activation")
        share = (activation >= 0).mean()  # none is at rest again as yet
        assert observed["excited"] == pytest.approx(100 * share, abs=1e-9)
        assert observed["activity"] == pytest.approx(activation.max() - 0.3, abs=1e-5)
    assert 0.2 < share < 1
    unbroken.advance(200)
    assert_same_state(simulation, unbroken)


@pytest.mark.parametrize("sites", ["cell-centred", VERTEX_CENTRED])
def test_scar_is_no_tissue_that_could_be_excited_and_has_no_rest(backend, sites):
    """Of a slab all of which is stimulated all is excited, however much of it does not conduct: a scar of the problem,
    and one that is painted over cells in the middle of their beat."""
    mesh = box_mesh((16, 3, 2), (8.0, 1.5, 1.0), jitter=0.2, seed=4, fibre=(1, 0, 0))
    half = mesh.centroids[:, 0] > 4.0
    mesh = replace(mesh, regions=half.astype(np.int32), region_names={0: "tissue", 1: "scar"})
    parameters = CardiacParameters(
        stimuli=[Stimulus(site=Sphere(radius=20.0), start=0.1)],
        numerics=Numerics(step=0.05, discretisation=sites),
        recording=Recording(ecg="off", interval=0.05),
        regions=[RegionSetting(region="scar", condition="non-conducting scar")],
    )
    simulation = CardiacEngine().build(Problem(parameters, mesh), backend)
    simulation.advance(100)
    assert simulation.observe()["excited"] == 100
    every = simulation.select(Selection(np.arange(mesh.n_cells, dtype=np.int32)))
    if sites == "cell-centred":
        simulation.paint(Dab("scar", (0.0, 0.7, 0.5), 2.0, 0.0))
        simulation.advance(1)
        assert simulation.observe()["excited"] == 100
        scar = simulation.field("scar") == 1
        assert scar.sum() > half.sum() + 10
        np.testing.assert_array_equal(np.isnan(simulation.gather("rest", every)), scar)
        simulation.paint(Dab("scar", (4.0, 0.7, 0.5), 9.0, 0.0))
        assert simulation.observe()["excited"] == 0, "nothing is left"
    else:
        assert np.isnan(simulation.gather("rest", every)).any()


def test_cells_that_fire_by_themselves_in_a_scar_are_no_beats(backend):
    for kernels in both_kernels(backend, "float64", CELLS):
        still = np.arange(CELLS) >= 30
        maps = Maps(kernels, CELLS, 0.0, 90.0, EVERY, STEP, Silent(kernels.backend, still))
        times = STEP * np.arange(200)
        voltages = np.stack([triangle(times, [wave(10.0)[cell]]) for cell in range(CELLS)], axis=1)
        with kernels.backend.active():
            for time, voltage in zip(times, voltages, strict=True):
                maps.look(Snapshot(float(time), kernels.backend.array(voltage)))
                if time == 40.0:
                    maps.conduct(np.arange(20, 25), np.where(np.arange(CELLS) < 25, 0.0, 1.0))
        activated = kernels.backend.to_host(maps.values("latest_activation")) >= 0
        np.testing.assert_array_equal(activated, (np.arange(CELLS) < 30) & ~np.isin(np.arange(CELLS), range(20, 25)))
        assert maps.conducting == 25


def test_checkpoints_of_before_cycles_were_counted_open(backend):
    for maps, _ in after(backend, [10.0], [wave(10.0), wave(300.0)], 560.0):
        kept = {"maps": maps.state()["maps"][:7]}
        before = maps.values("apd").copy()
        maps.restore(kept)
        np.testing.assert_array_equal(maps.values("apd"), before)
        assert ((maps.values("rest") >= -80) & (maps.values("rest") <= -71)).all(), "they had one array for both"
        assert (maps.values("cycle_length") == -1).all()
