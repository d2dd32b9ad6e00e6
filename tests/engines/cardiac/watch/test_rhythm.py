"""What a tissue does after its latest stimulus, on made-up waves: how long, and whether any came back."""

import numpy as np
import pytest

from engines.cardiac.stimulus.protocol import Protocol, Pulse
from engines.cardiac.watch.maps import Maps
from engines.cardiac.watch.rhythm import Rhythm
from engines.cardiac.watch.watcher import Snapshot
from tests.engines.cardiac.watch.test_maps import both_kernels, triangle

STEP, EVERY, CELLS = 0.5, 1, 40
CROSSING = 3.2
"""[ms] after the start of a made-up beat it passes 0 mV."""


def after(backend, pulses, waves, until):
    """Watchers that saw ``waves``: lists of when each of the cells begins a beat [ms]; ``pulses`` [ms]."""
    made = [Pulse(1.0, round(time / STEP), 2, 2, 1) for time in pulses]
    for kernels in both_kernels(backend, "float64", CELLS):
        maps = Maps(kernels, CELLS, threshold=0.0, level=90.0, every=EVERY, since=STEP)
        rhythm = Rhythm(kernels, maps, Protocol(np.zeros(CELLS, np.uint32), made), STEP)
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
        again = Rhythm(maps._kernels, maps, rhythm._protocol, STEP)
        again.restore(rhythm.state())
        assert again.observe() == rhythm.observe()
    for maps, _ in after(backend, [10.0], [wave(10.0)], 200.0):
        assert (maps.values("cycle_length") == -1).all()


def test_checkpoints_of_before_cycles_were_counted_open(backend):
    for maps, _ in after(backend, [10.0], [wave(10.0), wave(300.0)], 560.0):
        kept = {"maps": maps.state()["maps"][:7]}
        before = maps.values("apd").copy()
        maps.restore(kept)
        np.testing.assert_array_equal(maps.values("apd"), before)
        assert (maps.values("cycle_length") == -1).all()
