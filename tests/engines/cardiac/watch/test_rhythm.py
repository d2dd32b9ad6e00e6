"""What a tissue does after its latest stimulus, on made-up waves: how long, and whether any came back."""

import numpy as np
import pytest

from engines.api import Problem
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters, Numerics, Sphere, Stimulus
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.stimulus.protocol import Protocol, Pulse
from engines.cardiac.watch.kernels import MapArrays
from engines.cardiac.watch.maps import WAITING, Maps
from engines.cardiac.watch.rhythm import Rhythm
from engines.cardiac.watch.watcher import Snapshot
from engines.geometry.meshes.box import box_mesh
from tests.engines.cardiac.problems import assert_same_state
from tests.engines.cardiac.watch.test_maps import both_kernels, triangle

STEP, EVERY, CELLS = 0.5, 1, 40
CROSSING = 3.2
"""[ms] after the start of a made-up beat it passes 0 mV."""


def after(backend, pulses, waves, until):
    """Watchers that saw ``waves``: lists of when each of the cells begins a beat [ms]; ``pulses`` [ms]."""
    made = [Pulse(1.0, round(time / STEP), 2, 2, 1) for time in pulses]
    for kernels in both_kernels(backend, "float64", CELLS):
        maps = Maps(kernels, CELLS, threshold=0.0, level=90.0, every=EVERY, since=STEP)
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
        maps = Maps(kernels, n, threshold=0.0, level=90.0, every=1, since=STEP)
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


def test_checkpoints_of_before_cycles_were_counted_open(backend):
    for maps, _ in after(backend, [10.0], [wave(10.0), wave(300.0)], 560.0):
        kept = {"maps": maps.state()["maps"][:7]}
        before = maps.values("apd").copy()
        maps.restore(kept)
        np.testing.assert_array_equal(maps.values("apd"), before)
        assert (maps.values("cycle_length") == -1).all()
