"""What the gauge says of its percentage."""

from dataclasses import fields, replace

import pytest

from engines.api import KernelTraffic, SeriesInfo, SimulationInfo
from engines.api.device import Ceilings, DeviceInfo
from ui.panels.meters.bounds import bound_of, shortly
from ui.panels.meters.gauge import MEANING
from ui.panels.meters.panel import MetersPanel
from workbench.run.frames import KernelRate, Sample

MEMORY = Ceilings(copy=20e9, triad=22e9)


@pytest.mark.parametrize(
    ("ceiling", "fused", "said"),
    [
        (22e9, 1, []),
        (120e9, 1, ["The caches hold", "120 GB/s", "the memory delivers 22 GB/s"]),
        (22e9, 8, ["up to 8 steps in one pass"]),
        (120e9, 8, ["The caches hold", "up to 8 steps"]),
    ],
)
def test_the_tooltip_says_what_the_percentage_is_of(qtbot, ceiling, fused, said):
    panel = MetersPanel()
    qtbot.addWidget(panel)
    traffic = (KernelTraffic("a", 1, 1, 1), KernelTraffic("b", 1, 1, 1, fused=fused))
    info = SimulationInfo(None, 1.0, "s", (), (), traffic, None, device="d", ceilings=MEMORY, ceiling=ceiling)
    panel.set_info(info)
    tip = panel.gauge.toolTip()
    assert tip.startswith(MEANING)
    for words in said:
        assert words in tip
    assert said or tip == MEANING


def sample(steps, wall, series):
    made = dict.fromkeys((field.name for field in fields(Sample)), 0)
    made |= {"steps": steps, "wall_seconds": wall, "steps_per_second": steps / wall, "kernels": (), "remaining": None}
    return Sample(**made | {"time_per_second": 0.1 * steps / wall, "series": series})


def test_what_an_engine_counts_is_shown_per_second_of_the_clock(qtbot):
    """Steps of 0.1 ms, 20,000 a second: a network that runs twice as fast as it would, and has so many events more."""
    panel = MetersPanel()
    qtbot.addWidget(panel)
    series = (SeriesInfo("a", "A", "Hz"), SeriesInfo("events", "Synaptic events", "1/s", metered="Events"))
    info = SimulationInfo(None, 0.1, "ms", (), series, (), None, device="d")
    panel.set_info(info)
    panel.take([sample(200, 0.01, {"events": [1e6, 2e6]}), sample(200, 0.01, {})])
    assert panel.figures["counted"].text() == "3 M"
    assert panel.figures["real"].text() == "0.5"
    assert not panel.figures["real"].isHidden()
    assert "Events\t3 M /s" in panel.overlay_lines()
    panel.set_info(replace(info, series=series[:1]))
    panel.take([sample(200, 0.01, {})])
    assert panel.figures["real"].isHidden()
    assert not any("Events" in line for line in panel.overlay_lines())


def kernel(seconds):
    return (KernelRate("step", seconds, 1.0, 1.0),)


@pytest.mark.parametrize(
    ("pace", "fraction", "ceiling", "kernel_seconds", "threads", "said", "short"),
    [
        (1000.0, 0.01, 22e9, 1e-5, 4, "the pace that was set", "the pace"),
        (5000.0, 0.80, 22e9, 5e-5, 4, "the memory's bandwidth", "the memory"),
        (None, 0.80, 120e9, 5e-5, 4, "the caches: a copy in them makes 120 GB/s", "the caches"),
        (None, 0.01, 22e9, 1e-5, 4, "launches: a step takes 50 µs, its kernels 10 µs", "launches"),
        (None, 0.20, 22e9, 4.5e-5, 4, "the kernels' instructions, not the memory", "instructions"),
        (None, 0.20, 22e9, 4.5e-5, 1, "one core: its instructions, not the memory", "one core"),
    ],
)
def test_what_bounds_a_run(qtbot, pace, fraction, ceiling, kernel_seconds, threads, said, short):
    """20,000 steps of 0.1 ms a second, 2,000 ms of simulated time."""
    panel = MetersPanel()
    qtbot.addWidget(panel)
    device = DeviceInfo("d", "cpu", 2**30, threads, "", {})
    told = {"device": "d", "device_info": device, "ceilings": MEMORY, "ceiling": ceiling}
    info = SimulationInfo(None, 0.1, "ms", (), (), (), None, **told)
    panel.set_info(info)
    panel.pace = pace
    read = replace(sample(200, 0.01, {}), kernels=kernel(kernel_seconds), bytes_per_second=1e9)
    panel.take([replace(read, fraction_of_ceiling=fraction)])
    assert panel.bound.text() == f"Bound by {said}"
    assert f"Bound by\t{short}" in panel.overlay_lines()
    assert panel.figures["pace"].text() == ("1\u202f000 ms" if pace == 1000.0 else "2\u202f000 ms")
    assert panel.figures["steps"].text() == ("10\u202f000" if pace == 1000.0 else "20\u202f000"), "of the same pace"
    panel.clear()
    assert panel.bound.text() == ""


@pytest.mark.parametrize("takes_turns", [True, False])
def test_a_process_beside_the_window_is_offered_where_a_run_may_wait_for_the_window(qtbot, takes_turns):
    panel = MetersPanel()
    qtbot.addWidget(panel)
    panel.set_info(SimulationInfo(None, 0.1, "ms", (), (), (), None, device="d"))
    panel.takes_turns = takes_turns
    waiting, busy = (replace(sample(200, 0.01, {}), kernels=kernel(seconds)) for seconds in (1e-5, 5e-5))
    panel.take([busy])
    assert panel.beside.isHidden(), "nothing waits"
    panel.take([waiting])
    assert panel.beside.isHidden() is not takes_turns
    panel.take([busy])
    assert panel.beside.isHidden() is not takes_turns, "it stays where it may be clicked"
    with qtbot.waitSignal(panel.beside_asked):
        panel.beside.click()
    panel.take([waiting])
    assert panel.beside.isHidden(), "it was asked for"
    panel.takes_turns = True
    panel.take([waiting])
    panel.clear()
    assert panel.beside.isHidden()


def test_one_batch_in_a_hurry_does_not_make_the_pace_the_bound(qtbot):
    """It would keep 1,000 ms/s, and takes a tenth of a second for 20 ms before it."""
    panel = MetersPanel()
    qtbot.addWidget(panel)
    panel.set_info(SimulationInfo(None, 0.1, "ms", (), (), (), None, device="d"))
    panel.pace = 1000.0
    panel.take([replace(sample(*of, {}), kernels=kernel(1e-5)) for of in ((200, 0.1), (10, 1e-4))])
    assert panel.bound.text().startswith("Bound by launches")


@pytest.mark.parametrize(
    ("steps_per_second", "kernel_seconds", "said", "short"),
    [
        (0.0, 0.1, "", ""),
        (0.5, 0.1, "other work on the processor: a step takes 2.0 s, its kernels 100 ms", "other work"),
        (2.0, 0.1, "other work on the processor: a step takes 500 ms, its kernels 100 ms", "other work"),
        (1000.0, 1e-4, "launches: a step takes 1 ms, its kernels 100 µs", "launches"),
        (1000.0, 7e-4, "launches: a step takes 1 ms, its kernels 700 µs", "launches"),
        (1000.0, 8e-4, "the kernels' instructions, not the memory", "instructions"),
    ],
)
def test_what_takes_longer_than_launches_is_not_called_so(steps_per_second, kernel_seconds, said, short):
    """Half a second beside the kernels was, where the processor drew the 3D view."""
    info = SimulationInfo(None, 0.1, "ms", (), (), (), None, device="d")
    last = replace(sample(200, 0.01, {}), kernels=kernel(kernel_seconds))
    bound = bound_of(last, steps_per_second, 0.01, info, False)
    assert bound == said
    assert shortly(bound) == short


def test_nothing_moves_for_the_offer_of_a_process_beside_the_window(qtbot):
    panel = MetersPanel()
    qtbot.addWidget(panel)
    panel.resize(296, 600)
    panel.show()
    panel.takes_turns = True
    panel.set_info(SimulationInfo(None, 0.1, "ms", (), (), (), None, device="d"))
    qtbot.waitExposed(panel)
    places = [each.geometry() for each in (panel.history, *panel.figures.values())]
    panel.take([replace(sample(200, 0.1, {}), kernels=kernel(1e-5))])
    qtbot.waitUntil(panel.beside.isVisible)
    assert [each.geometry() for each in (panel.history, *panel.figures.values())] == places


def test_what_a_pause_cuts_short_is_read_with_what_came_before_it(qtbot):
    """One step that took 9 ms stood there as the speed of a run that had made 50,000 a second."""
    panel = MetersPanel()
    qtbot.addWidget(panel)
    panel.set_info(SimulationInfo(None, 0.1, "ms", (), (), (), None, device="d"))
    panel.take([sample(5000, 0.1, {})])
    panel.take([sample(10, 0.01, {})])
    assert panel.figures["steps"].text() == "45\u202f500", "5,010 steps in 0.11 s"
    panel.take([sample(3000, 0.1, {})])
    assert panel.figures["steps"].text() == "30\u202f000"
    panel.take([sample(20, 0.1, {})])
    panel.take([sample(20, 0.1, {})])
    assert panel.figures["steps"].text() == "200", "it has become slow"
