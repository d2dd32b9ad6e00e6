"""Monitors: sums against a DFT of stored fields, conservation of flux, a slab, the end at decay, sentences."""

from __future__ import annotations

from types import SimpleNamespace

import h5py
import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.yee import VACUUM_IMPEDANCE, around_center
from engines.fdtd.monitors import plans
from engines.fdtd.monitors.decay import DecayWatcher
from engines.fdtd.monitors.flux import FluxWatcher
from engines.fdtd.monitors.fourier import Surroundings
from engines.fdtd.monitors.plans import make_watchers, plan_monitors
from engines.fdtd.monitors.trace import TraceWatcher, interpolation
from engines.fdtd.monitors.volume import VolumeWatcher
from engines.fdtd.parameters import (
    Box,
    BoxMonitor,
    Ending,
    Faces,
    FdtdParameters,
    Frequencies,
    FromFile,
    GridSetting,
    Numerics,
    PlaneMonitor,
    PointSource,
    Pulse,
    TraceMonitor,
    VolumeMonitor,
    WaveSource,
)
from engines.fdtd.sources.waveforms import Waveform
from engines.fdtd.step.cpu import CpuYee
from engines.fdtd.step.cuda import CudaYee
from engines.fdtd.step.simulation import FdtdSimulation
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.fdtd.fdtd_cases import MAGNETIC, driven, make_case, steps_of
from workbench.export.hdf5 import write_hdf5

THREADS = 1
ENGINE = FdtdEngine()
EPSILON = {"float32": 2.0**-24, "float64": 2.0**-53}
LIST = Frequencies(choice="list", given="wavelength", values=[0.4, 0.5, 0.9], every=1)


# ---- sums --------------------------------------------------------------------------------------------------------

MONITORS = [
    PlaneMonitor(name="x", axis="x", position=0.2, frequencies=LIST),
    PlaneMonitor(name="y", axis="y", position=0.15, frequencies=LIST.model_copy(update={"every": 2})),
    BoxMonitor(name="box", low=(0.12, 0.1, 0.15), high=(0.3, 0.2, 0.21), frequencies=LIST),
    VolumeMonitor(name="volume", low=(0.1, -1, 0.1), high=(0.3, 1, 9), components=["Ey", "Hz"], frequencies=LIST),
    TraceMonitor(name="trace", place=(0.213, 0.177, 0.18), components=["Ex", "Hy", "Ez"], every=2),
]


def recorded(maker, backend, precision, steps=21):
    """(watchers, E and H after each step, dt): random fields in random matter between faces of all kinds."""
    case = make_case("mixed", MAGNETIC, counts=(21, 14, 13))
    sources = driven(case)
    device = steps_of(maker, backend, case, sources, precision, case.random_fields(), **OPTIONS[maker])
    around = Surroundings(case.yee, case.axes, case.dt, "um", (Waveform("pulse", 1.0, 0.5, 1.0),), 4)
    parameters = FdtdParameters(monitors=MONITORS)
    watchers = make_watchers(parameters, plan_monitors(parameters, around), backend, device, 1.0)
    seen = []
    for step in range(1, steps + 1):
        with backend.active():
            device.advance(sources.table(step - 1, 1, case.dt))
            for watcher in watchers:
                if step % watcher.every == 0:
                    watcher.look(step)
        seen.append((np.array(device.electric, float), np.array(device.magnetic, float)))
    return watchers, seen, case


OPTIONS = {CpuYee: {}, CudaYee: {"shape": (1, 32, 4, 16)}}
DEVICES = [
    pytest.param(CpuYee, CpuBackend, id="cpu"),
    pytest.param(
        CudaYee, HostCudaBackend, id="cuda", marks=pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
    ),
]


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(("maker", "make_backend"), DEVICES)
def test_sums_are_the_transform_of_the_stored_fields(maker, make_backend, precision):
    """21 samples: a full batch of 16 and a rest that waits. A sum of n rounded products, with rounded turns, is good to
    (n + 4) ε Σ |terms|."""
    watchers, seen, case = recorded(maker, make_backend(), precision)
    epsilon = EPSILON[precision]
    fluxes = [each for each in watchers if isinstance(each, FluxWatcher)]
    (volume,) = [each for each in watchers if isinstance(each, VolumeWatcher)]
    for watcher in [*fluxes, volume]:
        spectra = watcher.block_spectra()
        every = watcher.every
        steps = np.arange(every, len(seen) + 1, every)
        for block, start in zip(watcher.plan.blocks, watcher.plan.starts, strict=True):
            i, j, k = (slice(at, at + n) for at, n in zip(block.low, block.counts, strict=True))
            times = (steps + (0.0 if block.electric else 0.5)) * case.dt
            turn = np.exp(2j * np.pi * np.outer(watcher.plan.frequencies, times))
            fields = np.array([seen[step - 1][0 if block.electric else 1][block.component] for step in steps])
            values = fields[:, k, j, i]
            if block.neighbour:
                d = next(d for d in range(3) if block.counts[d] == 1)
                before = np.roll(fields, 1, axis=3 - d)  # wraps only where nothing is asked for
                assert block.part == pytest.approx(0.5)  # the grid is even
                values = (1 - block.part) * values + block.part * before[:, k, j, i]
            expected = np.tensordot(turn, values, 1).reshape(len(turn), -1) * every * case.dt
            mine = spectra[:, start : start + block.size]
            terms = np.abs(values).sum(axis=0).reshape(-1) * every * case.dt
            assert (np.abs(mine - expected) <= (len(steps) + 4) * epsilon * terms).all()
            assert np.abs(expected).max() > 0.1 * terms.max()
    for watcher in fluxes:
        # the flux kernel against the surface's fields where both are the same sum: E_p H_q at their common places
        values = watcher.block_spectra()
        expected, terms = 0.0, 0.0
        for n, each in enumerate(watcher._rectangles):
            start, size = watcher.plan.starts[4 * n], each.size
            e_p, h_q, e_q, h_p = (
                values[:, start + c * size : start + (c + 1) * size].reshape(-1, *each.counts[::-1]) for c in range(4)
            )
            cell_p, cell_q, node_p, node_q = each.widths(case.yee)
            first = np.einsum("fqp,q,p->f", e_p * h_q.conj(), node_q, cell_p)
            second = np.einsum("fqp,q,p->f", e_q * h_p.conj(), cell_q, node_p)
            expected = expected + each.sign * each.orientation * (first - second).real
            terms = terms + np.einsum("fqp,q,p->f", abs(e_p * h_q), node_q, cell_p)
            terms = terms + np.einsum("fqp,q,p->f", abs(e_q * h_p), cell_q, node_p)
        unit = 2e-42 / VACUUM_IMPEDANCE  # (µm fs)²
        assert (np.abs(watcher.energy() - unit * expected) <= 50 * epsilon * unit * terms).all()
        assert (np.abs(expected) > 1e-3 * terms).all()


@pytest.mark.parametrize(("maker", "make_backend"), DEVICES)
def test_traces_are_the_stored_fields_between_places(maker, make_backend):
    """Trilinear: a place of E_x has x on halves, y and z on nodes. fp64."""
    watchers, seen, case = recorded(maker, make_backend(), "float64")
    (trace,) = [each for each in watchers if isinstance(each, TraceWatcher)]
    for name in trace.monitor.components:
        c = "xyz".index(name[1])
        times, values = trace.series_of(name)
        np.testing.assert_allclose(times, (2 * np.arange(1, 11) + (0.5 if name[0] == "H" else 0)) * case.dt)
        weights = []
        for d, x in enumerate(trace.monitor.place):
            points = case.yee.halves(d) if (d == c) == (name[0] == "E") else case.yee.nodes(d)
            weights.append(np.maximum(1 - np.abs(points - x) / case.yee.spacing[d], 0))
        for step, value in zip(range(2, 21, 2), values, strict=True):
            field = seen[step - 1][0 if name[0] == "E" else 1][c]
            part = field[: len(weights[2]), : len(weights[1]), : len(weights[0])]
            expected = np.einsum("kji,k,j,i->", part, *weights[::-1])
            assert value * (1 if name[0] == "E" else VACUUM_IMPEDANCE) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("x", [0.0, 0.004, 0.01, 0.013, 0.087, 0.09, 0.098, 0.1])
def test_a_trace_beside_a_periodic_face_is_linear_across_it(backend, x):
    """E_x stands in the middles of the five cells, which are 0.02 wide: the last one is beside the first."""
    parameters = FdtdParameters(
        grid=GridSetting(cells_x=5, cells_y=40, cells_z=1, size_x=0.1, size_y=0.8, size_z=0.02),
        faces=Faces(x_low="periodic", x_high="periodic", z_low="periodic", z_high="periodic"),
        sources=[PointSource(place=(0.05, 0.4, 0.0), axis="x", signal=Pulse(wavelength=0.5))],
        monitors=[TraceMonitor(place=(x, 0.4, 0.0), components=["Ex"])],
    )
    simulation = ENGINE.build(Problem(parameters), backend)
    (trace,) = [each for each in simulation.watchers if isinstance(each, TraceWatcher)]
    simulation.close()
    _, places, weights = interpolation(parameters.monitors[0], trace._around)
    found = np.zeros(5)
    line = places[0] - trace._around.yee.place(0, 0, 20, 0)
    here = (line >= 0) & (line < 5)
    assert weights[0][~here] == pytest.approx(0.0, abs=1e-9), "0.4 is a node along y"
    np.add.at(found, line[here], weights[0][here])
    expected = np.zeros(5)
    position = (x / 0.02 - 0.5) % 5
    expected[int(position)] += 1 - position % 1
    expected[(int(position) + 1) % 5] += position % 1
    assert found == pytest.approx(expected, abs=1e-9)


def test_a_full_trace_goes_on_at_half_the_rate(backend):
    case = make_case("layers")
    steps = steps_of(CpuYee, backend, case, case.sources(), "float64", case.random_fields())
    around = Surroundings(case.yee, case.axes, case.dt, "um", (), 8)
    monitor = TraceMonitor(place=(0.2, 0.2, 0.2), every=1)
    trace = TraceWatcher(1, monitor, around, backend, steps, capacity=8)
    seen = []
    for step in range(1, 30):
        with backend.active():
            steps.advance(np.zeros((1, 0)))
            whole = TraceWatcher(1, monitor, around, backend, steps, capacity=1)
            whole.look(step)
            if step % trace.every == 0:
                trace.look(step)
        seen.append(whole.series_of("Ez")[1][0])
    times, values = trace.series_of("Ez")
    assert trace.every == 4
    np.testing.assert_allclose(times, np.arange(4, 30, 4) * case.dt)
    np.testing.assert_array_equal(values, np.array(seen)[3::4])
    trace.restored(29)
    assert (trace.every, len(trace.series_of("Ez")[0])) == (4, 7)


# ---- whole problems ----------------------------------------------------------------------------------------------

SIDES = {f"{axis}_{end}": "periodic" for axis in "yz" for end in ("low", "high")}
BAND = Frequencies(first=1.24, last=1.6, count=26)


def slab(reflection: float, precision: str = "fp32") -> FdtdParameters:
    """Glass of 1.2 µm, 41 cells per wavelength and more, on a line of cells; the wave's box begins at x = 0.28."""
    return FdtdParameters(
        grid=GridSetting(cells_x=330, cells_y=1, cells_z=1, size_x=6.6, size_y=0.02, size_z=0.02),
        faces=Faces(**SIDES),
        objects=[Box(low=(3.0, -1, -1), high=(4.2, 1, 1))],
        sources=[WaveSource(polarization="y", signal=Pulse(wavelength=1.2, cycles=1.0))],
        monitors=[
            PlaneMonitor(name="back", position=reflection, measures="reflection", frequencies=BAND),
            PlaneMonitor(name="through", position=6.0, measures="transmission", frequencies=BAND),
        ],
        ending=Ending(at_decay=True, part=1e-9),
        numerics=Numerics(precision=precision),
    )


@pytest.mark.parametrize("reflection", [0.24, 1.5], ids=["scattered field", "incident taken off"])
def test_a_slab_reflects_and_transmits_as_airy_says(backend, reflection):
    """T = [1 + ((n² − 1)/2n)² sin²(2πnd/λ)]⁻¹; good codes 1.5e-3 here. R + T: −90 dB from the layers, fp32 sums."""
    simulation, parts = ENGINE.build(Problem(slab(reflection)), backend), [0.0]
    while not simulation.finished:
        simulation.advance(100)
        assert simulation.step < 5000
        parts.append(simulation.done)
    assert "died down to" in simulation.ending
    assert parts[-1] == 1.0
    assert any(0.1 < part < 0.9 for part in parts)
    wavelengths, n = np.linspace(1.24, 1.6, 26), 1.5
    airy = 1 / (1 + ((n**2 - 1) / (2 * n)) ** 2 * np.sin(2 * np.pi * n * 1.2 / wavelengths) ** 2)
    curves = {curve.title: curve for curve in simulation.chart("balance").curves}
    np.testing.assert_allclose(curves["T"].x, wavelengths)
    print("slab", np.abs(curves["T"].y - airy).max(), np.abs(curves["R + T"].y - 1).max())
    assert np.abs(curves["T"].y - airy).max() < 2e-3
    assert np.abs(curves["R"].y - (1 - airy)).max() < 2e-3
    assert np.abs(curves["R + T"].y - 1).max() < 1e-4
    assert simulation.watchers[0].every > 8  # few samples are enough


def test_a_waveform_changed_in_its_file_is_measured_against_its_own_run_without_objects(backend, tmp_path):
    """R and T do not hang on the amplitude: of twice the pulse in the same file they are the same to fp32 sums."""
    path, time = tmp_path / "wave.csv", np.linspace(0.0, 24.0, 481)
    pulse = np.exp(-(((time - 12) / 3.5) ** 2)) * np.sin(2 * np.pi * 0.22 * (time - 12))
    found = []
    for amplitude in (1.0, 2.0):
        np.savetxt(path, np.stack([time, amplitude * pulse], 1), delimiter=",")
        (wave,) = (problem := slab(0.24)).sources
        wave.signal = FromFile(path=str(path))
        simulation = ENGINE.build(Problem(problem), backend)
        simulation.advance(1500)
        found.append(simulation.results())
    for name in ("balance/R", "balance/T"):
        assert found[0][name].max() > 0.05
        np.testing.assert_allclose(found[1][name], found[0][name], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("asked", [1, 7, 1000])
def test_it_ends_where_it_was_looked_at(backend, asked):
    """However many steps are asked for at once: at the look that found the field dead, and not behind it."""
    simulation = ENGINE.build(Problem(slab(0.24)), backend)
    (decay,) = (watcher for watcher in simulation.watchers if isinstance(watcher, DecayWatcher))
    decay._energies, decay._from = SimpleNamespace(largest=1.0, last=1.0), 0.0
    decay.look = lambda step: (
        setattr(decay, "_step", step),
        setattr(decay._energies, "last", float(step < 3 * decay.every)),
    )
    while not simulation.finished:
        simulation.advance(asked)
    assert simulation.step == 3 * decay.every
    assert "died down to" in simulation.ending
    simulation.advance(asked)
    assert simulation.step == 3 * decay.every


def cube(**changes) -> FdtdParameters:
    """A dipole beside a glass cube in open space."""
    settings = {
        "grid": GridSetting(cells_x=36, cells_y=34, cells_z=32, size_x=1.8, size_y=1.7, size_z=1.6),
        "faces": Faces(layer=8),
        "objects": [Box(low=(0.9, 0.8, 0.7), high=(1.1, 1.0, 0.9))],
        "sources": [PointSource(place=(0.85, 0.85, 0.8), signal=Pulse(wavelength=1.0, cycles=0.6))],
        "numerics": Numerics(precision="fp64"),
    }
    return FdtdParameters(**{**settings, **changes})


def test_all_boxes_around_a_source_see_the_same_power(backend):
    """The flux on Yee's places is that of the discrete Poynting theorem: exact but for images in decimated
    spectra (1e-5) and the static charges that a pulse leaves which begins at 4e-5 of its top: their field never ends,
    and is of that size beside the source (15e-5 found, 10e-5 with a sample in each step)."""
    frequencies = Frequencies(first=0.8, last=1.4, count=5)
    boxes = [
        BoxMonitor(name="inner", low=(0.8, 0.75, 0.65), high=(1.15, 1.05, 0.95), frequencies=frequencies),
        BoxMonitor(name="outer", low=(0.5, 0.5, 0.45), high=(1.3, 1.25, 1.2), frequencies=frequencies),
        BoxMonitor(name="beside", low=(0.5, 0.5, 0.45), high=(0.75, 0.7, 1.1), frequencies=frequencies),
    ]
    simulation = ENGINE.build(Problem(cube(monitors=boxes)), backend)
    simulation.advance(700)
    inner, outer, beside = (watcher.energy() for watcher in simulation.watchers[:3])
    print("boxes", np.abs(inner / outer - 1).max(), np.abs(beside / outer).max())
    assert (outer > 0).all()
    np.testing.assert_allclose(inner, outer, rtol=3e-4)
    np.testing.assert_allclose(beside / outer, 0, atol=2e-5)
    # the surface has the places of the flux, whose half weights on edges are those of the two sets
    surface = simulation.watchers[1].surface()
    np.testing.assert_allclose(4 * surface.outward_power(), outer, rtol=1e-9)
    np.testing.assert_allclose((surface.areas[:, None] * surface.normals).sum(axis=0), 0, atol=1e-24)
    assert surface.areas.sum() == pytest.approx(4e-12 * (0.8 * 0.75 + 0.8 * 0.75 + 0.75 * 0.75))
    assert surface.electric.shape == (5, len(surface.areas), 3)


def test_a_run_with_monitors_continues_bit_for_bit_whatever_is_looked_at(backend):
    """Looking takes what waits in the buffer into account and leaves it there."""
    monitors = [
        PlaneMonitor(name="plane", position=0.9, frequencies=LIST),
        VolumeMonitor(name="volume", frequencies=LIST),
        TraceMonitor(place=(0.9, 0.8, 0.7), every=3),
    ]
    parameters = cube(monitors=monitors, numerics=Numerics(), ending=Ending(at_decay=True))
    one, two = (ENGINE.build(Problem(parameters), backend) for _ in range(2))
    one.advance(55)
    state = one.state()
    one.advance(30)
    two.restore(state)
    for steps in (7, 23):
        two.advance(steps)
        for info in two.charts:
            two.chart(info.name)
        two.results()
    for name, part in one.state().items():
        np.testing.assert_array_equal(part, two.state()[name], err_msg=name)
    for info in one.charts:
        for mine, other in zip(one.chart(info.name).curves, two.chart(info.name).curves, strict=True):
            np.testing.assert_array_equal(mine.y, other.y)


def test_a_volume_is_a_field(backend):
    """Its amplitude where a plane wave passes is the wave's, at any frequency of its pulse; outside is nothing."""
    parameters = slab(0.24).model_copy(
        update={
            "objects": [],
            "monitors": [
                VolumeMonitor(
                    name="middle", low=(2.0, -1, -1), high=(4.0, 1, 1), components=["Ey", "Hz"],
                    frequencies=Frequencies(choice="list", values=[1.2, 1.5]),
                )
            ],
        }
    )  # fmt: skip
    simulation = ENGINE.build(Problem(parameters), backend)
    assert isinstance(simulation, FdtdSimulation)
    simulation.advance(2200)
    infos = {info.name: info for info in simulation.fields}
    cells = np.array([0, 110, 150, 199, 200], np.int32)
    runs = np.array([0, 1, 3, 5], np.int32)
    for key, size in (("monitor_1_Ey_1", 1.0), ("monitor_1_Ey_2", 1.0), ("monitor_1_Hz_2", 1 / VACUUM_IMPEDANCE)):
        whole = simulation.field(key)
        assert np.isnan(whole[:100]).all()
        assert np.isnan(whole[200:]).all()
        # H at the middle of a cell is a mean of one place along x; the pulse lasts on, the wave is 1 V/m
        np.testing.assert_allclose(whole[100:200], size, rtol=2e-3)
        assert infos[key].title.startswith("|")
        np.testing.assert_allclose(simulation.gather(key, simulation.select(Selection(cells))), whole[cells], rtol=1e-5)
        means = simulation.gather(key, simulation.select(Selection(cells, runs)))
        np.testing.assert_allclose(means[1], whole[cells[1:3]].mean(), rtol=1e-5)
        assert np.isnan(means[0])
    phase = np.unwrap(simulation.field("monitor_1_Ey_2_phase")[100:200])
    # k from the discrete dispersion sin(ωΔt/2)/(cΔt) = sin(kΔ/2)/Δ is within (kΔ)²/24 of ω/c
    assert np.diff(phase) == pytest.approx(2 * np.pi * 0.02 / 1.5, rel=1e-3)
    assert around_center("Ey") == [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)]


def test_results_are_written_to_hdf5(backend, tmp_path):
    box = BoxMonitor(low=(0.5, 0.5, 0.5), high=(0.9, 0.8, 0.7), frequencies=LIST)
    monitors = [box, VolumeMonitor(frequencies=LIST)]
    simulation = ENGINE.build(Problem(cube(monitors=monitors, numerics=Numerics())), backend)
    simulation.advance(30)
    results = simulation.results()
    write_hdf5(tmp_path / "results.h5", results)
    with h5py.File(tmp_path / "results.h5") as file:
        assert sorted(file) == ["box", "volume"]
        np.testing.assert_array_equal(file["volume/Ez"][...], results["volume/Ez [V/m fs]"])
        assert file["volume/Ez"].shape == (3, 32, 35, 37)
        assert file["volume/Ez"].attrs["unit"] == "V/m fs"
        np.testing.assert_allclose(file["box/wavelength"][...], LIST.values)
        assert file["volume/z of Ez"].shape == (32,)


# ---- what cannot be ----------------------------------------------------------------------------------------------

WAVE = WaveSource(margin=2, signal=Pulse())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"monitors": [PlaneMonitor(position=5.0)]}, "'plane' at x = 5 lies outside of the grid: place it between 0"),
        ({"monitors": [PlaneMonitor(position=0.1)]}, "lies in the absorbing layer: place it between 0.4 and 1.4"),
        ({"monitors": [PlaneMonitor(position=0.9, low=(0, 0, 0), high=(9, 0.1, 9))]}, "no cell along y"),
        ({"monitors": [BoxMonitor(low=(0.1, 0.5, 0.5), high=(1, 1, 1))]}, "x = 0.1 lies in the absorbing layer"),
        ({"monitors": [BoxMonitor(low=(1, 1, 1), high=(0.5, 1.2, 1.1))]}, "lowest corner lies above its highest"),
        ({"monitors": [TraceMonitor(place=(0.1, 0.8, 0.8))]}, "'trace' lies in the absorbing layer of x"),
        ({"monitors": [TraceMonitor(place=(0.9, 0.8, 7))]}, "'trace' lies outside of the grid along z"),
        ({"monitors": [VolumeMonitor(low=(3, 0, 0))]}, "'volume' lies outside of the grid along x"),
        ({"monitors": [VolumeMonitor(frequencies=Frequencies(first=0.2))]}, "wavelength of 0.2 µm, which has 4 cells"),
        ({"monitors": [VolumeMonitor(frequencies=Frequencies(choice="list", values=[]))]}, "at least one frequency"),
        ({"monitors": [PlaneMonitor(position=0.9, frequencies=Frequencies(every=99))]}, "too few for its highest"),
        ({"monitors": [TraceMonitor(place=(0.9, 0.8, 0.7))] * 2}, "Two monitors are called 'trace'"),
        ({"monitors": [TraceMonitor(name="a/b", place=(0.9, 0.8, 0.7))]}, "has a slash"),
        ({"monitors": [TraceMonitor(name=".", place=(0.9, 0.8, 0.7))]}, "'.' is that of a folder"),
        ({"monitors": [TraceMonitor(name="..", place=(0.9, 0.8, 0.7))]}, "'..' is that of a folder"),
        ({"sources": [WaveSource()], "monitors": [PlaneMonitor(position=1, measures="reflection")]}, "sources a pulse"),
        ({"sources": [WAVE], "monitors": [PlaneMonitor(position=0.45, measures="transmission")]}, "Nothing comes to"),
        ({"sources": [PointSource(place=(0.9, 0.8, 0.8))], "ending": Ending(at_decay=True)}, "never dies down"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_said_in_a_sentence(backend, changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(Problem(cube(numerics=Numerics(), **changes)), backend)


def test_weak_spectra_and_memory_are_said_before_the_run(backend, monkeypatch):
    wide = Frequencies(first=0.9, last=9.0, count=200)
    volume = VolumeMonitor(frequencies=wide, components=["Ex", "Ey", "Ez", "Hx", "Hy", "Hz"])
    pulse = [PointSource(place=(0.85, 0.85, 0.8), signal=Pulse(wavelength=1.0, cycles=3.0))]
    plain = ENGINE.estimate(Problem(cube(sources=pulse)), backend)
    estimate = ENGINE.estimate(Problem(cube(sources=pulse, monitors=[volume])), backend)
    assert any("less than 0.001 of their largest amplitude" in finding.message for finding in estimate.findings)
    with monkeypatch.context() as patch:
        patch.delattr(plans, "source_spectrum")  # the same source is not asked again
        assert ENGINE.estimate(Problem(cube(sources=pulse, monitors=[volume])), backend).findings == estimate.findings
    values = 6 * 37 * 35 * 33
    assert estimate.memory_bytes - plain.memory_bytes == pytest.approx(values * 8 * (2 * 200 + 16), rel=0.01)
    large = GridSetting(cells_x=400, cells_y=400, cells_z=400, size_x=20.0, size_y=20.0, size_z=20.0)
    many = volume.model_copy(update={"frequencies": wide.model_copy(update={"count": 2000})})
    with pytest.raises(ProblemError, match=r"'volume' takes .* GB, give it fewer frequencies"):
        ENGINE.estimate(Problem(cube(grid=large, monitors=[many])), backend)


# ---- samples that are too far apart ------------------------------------------------------------------------------


def test_a_trace_of_fewer_than_two_samples_a_period_is_refused(backend):
    problem = slab(1.0)
    for every, right in ((0, True), (30, True), (200, False)):
        problem.monitors = [TraceMonitor(place=(6.0, 0, 0), components=["Ey"], every=every)]
        if right:
            ENGINE.build(Problem(problem), backend).close()
            continue
        with pytest.raises(ProblemError, match="every 200 steps, fewer than two in the shortest period of the sources"):
            ENGINE.build(Problem(problem), backend)


def test_a_trace_that_has_dropped_too_many_says_so(backend):
    case = make_case("layers")
    steps = steps_of(CpuYee, backend, case, case.sources(), "float64", case.random_fields())
    wave = Waveform("continuous", 0.2 / case.dt, 10 * case.dt, 0.0)
    around = Surroundings(case.yee, case.axes, case.dt, "um", (wave,), 8)
    trace = TraceWatcher(1, TraceMonitor(place=(0.2, 0.2, 0.2), every=1), around, backend, steps, capacity=8)
    notes = []
    for step in range(1, 30):
        if step % trace.every == 0:
            trace.look(step)
        notes.append(trace.chart("monitor_1_E_spectrum").note)
    assert trace.every == 4
    assert set(notes[:15]) == {""}  # every second one is 2.5 in a period
    assert "every 4th step alone is kept" in notes[-1]
    assert trace.chart("monitor_1_E").note == notes[-1]


def test_spectra_are_refused_where_what_the_sources_send_folds_onto_them(backend):
    """50 steps are 2.2 samples in a period at 1.24 µm, but waves of 1.06 µm, which the pulse has, look the same."""
    problem = slab(1.0)
    frequencies = Frequencies(choice="list", values=[1.24])
    for every, right in ((0, True), (36, True), (50, False)):
        plane = PlaneMonitor(position=6.0, frequencies=frequencies.model_copy(update={"every": every}))
        problem.monitors = [plane]
        if right:
            ENGINE.build(Problem(problem), backend).close()
            continue
        with pytest.raises(ProblemError, match="every 50 steps, too few for its highest frequency and those of the"):
            ENGINE.build(Problem(problem), backend)
