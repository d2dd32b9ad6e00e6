"""Waveforms, files of them, their charts, and what is said of sources that cannot run."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.grid.yee import SPEED_OF_LIGHT
from engines.fdtd.parameters import (
    BeamSource,
    Box,
    Continuous,
    Derivative,
    Faces,
    FdtdParameters,
    FromFile,
    Gaussian,
    GridSetting,
    Material,
    ModeSource,
    ObliqueWaveSource,
    PointSource,
    Pulse,
    Ricker,
    TypedSignal,
)
from engines.fdtd.setup.sources import waveform_of
from engines.fdtd.sources.waveform_files import read_waveform
from engines.fdtd.sources.waveforms import FALL, WIDEST_BAND, Sampled, Waveform, band_of

ENGINE = FdtdEngine()
GRID = GridSetting(cells_x=30, cells_y=30, cells_z=30, size_x=1.5, size_y=1.5, size_z=1.5)
SHORT = Pulse(wavelength=0.6, cycles=2.0)
GUIDE = ModeSource(place=(0.4, 0.75, 0.75), size=(0, 0.8, 0.8), signal=SHORT)
CORE = {
    "objects": [Box(material="core", low=(-1, 0.6, 0.65), high=(9, 0.9, 0.85))],
    "materials": [Material(name="core", permittivity=2.0)],
}
BEAM = BeamSource(sheet=0.4, focus=(0.75, 0.75, 0.75), waist=0.3, signal=SHORT)


def problem(*sources, **changes) -> Problem:
    return Problem(FdtdParameters(**{"grid": GRID, "faces": Faces(layer=6), "sources": list(sources), **changes}))


@pytest.mark.parametrize("signal", [Pulse(), Pulse(cycles=0.5), Gaussian(), Derivative(), Ricker()])
def test_the_highest_frequency_is_where_the_spectrum_has_fallen(signal):
    """The spectrum by FFT to a bin of it, 8,000 points over the whole waveform, which begins and ends below 2e-4."""
    waveform = waveform_of(signal, "fs")
    time = np.linspace(0, waveform.lasts, 8000)
    values = waveform.at(time)
    assert np.abs(values).max() == pytest.approx(1.0, abs=0.2)
    assert np.abs(values[[0, -1]]).max() < 2e-4
    amplitude = np.abs(np.fft.rfft(values, 1 << 19))
    frequency = np.fft.rfftfreq(1 << 19, time[1])
    top = frequency[np.flatnonzero(amplitude >= FALL * amplitude.max())[-1]]
    assert waveform.highest_frequency == pytest.approx(top, rel=1e-3, abs=frequency[1])
    foot = frequency[np.flatnonzero(amplitude >= FALL * amplitude.max())[0]]
    assert waveform.lowest_frequency == pytest.approx(foot, rel=1e-3, abs=2 * frequency[1])
    if not isinstance(signal, Gaussian | Pulse):
        assert frequency[amplitude.argmax()] == pytest.approx(SPEED_OF_LIGHT / signal.wavelength, abs=frequency[1])


def test_samples_of_a_waveform_are_the_waveform():
    """A cubic through 36 points per period errs by (2π/36)⁴/384·… below 1e-5; the ends are cut at 4e-5."""
    right = waveform_of(Pulse(cycles=2.0), "fs")
    times = np.linspace(0, right.lasts, 36 * 18 + 1)
    mine = Sampled(times, right.at(times))
    between = np.linspace(-5.0, right.lasts + 5.0, 1777)
    inside = (between >= 0) & (between <= right.lasts)
    np.testing.assert_allclose(mine.at(between), np.where(inside, right.at(between), 0), atol=2e-5)
    middle = np.abs(between - right.delay) < 3 * right.width
    np.testing.assert_allclose(mine.quadrature(between)[middle], right.quadrature(between)[middle], atol=2e-4)
    assert mine.carrier == pytest.approx(right.carrier, rel=5e-3)
    assert mine.highest_frequency == pytest.approx(right.highest_frequency, rel=5e-3)
    assert mine.lowest_frequency == pytest.approx(right.lowest_frequency, rel=5e-3)
    low, high = band_of([mine, Waveform("gaussian", 0.0, right.width, right.delay)])
    assert (low, high) == (mine.highest_frequency / WIDEST_BAND, mine.highest_frequency)


TYPED = {
    "gaussian": (Gaussian(), ["s = {w}", "f = exp(-((t - {d})/s)**2/2)"]),
    "pulse": (Pulse(cycles=2.0), ["y = (t - {d})/{w}  # of the middle", "f = exp(-y**2/2)*sin(2*pi*{f}*(t - {d}))"]),
    "differentiated": (Derivative(), ["y = (t - {d})/{w}", "f = -y*exp(0.5 - y**2/2)"]),
    "ricker": (Ricker(), [
        "late = t > {d}", "y = t - {d} if late else {d} - t", "q = (y/{w})**2", "f = (1 - q)*exp(-q/2)",
    ]),
}  # fmt: skip
"""What is built in, and the same as one types it."""


def as_typed(name: str, ends: float = 1.0) -> TypedSignal:
    built_in, lines = TYPED[name]
    known = waveform_of(built_in, "fs")
    numbers = {"w": repr(known.width), "d": repr(known.delay), "f": repr(known.frequency)}
    return TypedSignal(lines=[line.format(**numbers) for line in lines], lasts=ends * known.lasts)


@pytest.mark.parametrize("name", TYPED)
def test_a_typed_waveform_is_the_built_in_one_to_rounding(name):
    """In what it drives; its band to the square of a line of its spectrum, 6e-3 of it."""
    right, mine = waveform_of(TYPED[name][0], "fs"), waveform_of(as_typed(name, 2.0), "fs")
    times = np.linspace(-1.0, 2 * right.lasts, 5001)
    np.testing.assert_allclose(mine.at(times), np.where(times >= 0, right.at(times), 0), rtol=1e-13, atol=1e-15)
    assert mine.highest_frequency == pytest.approx(right.highest_frequency, rel=2e-4)
    assert mine.lowest_frequency == pytest.approx(right.lowest_frequency, rel=3e-3, abs=1e-9)
    assert mine.lasts == 2 * right.lasts
    assert not mine.steady


def test_a_typed_source_drives_what_the_built_in_one_does(backend):
    """The same fields, to roundings of float32 of their largest value; between walls, for what absorbs is made for the
    spectrum, which is known to 1e-4."""
    walls = Faces(**{f"{axis}_{end}": "PEC" for axis in "xyz" for end in ("low", "high")})
    runs = [ENGINE.build(problem(PointSource(place=(0.75, 0.75, 0.75), signal=signal), faces=walls), backend)
            for signal in (TYPED["gaussian"][0], as_typed("gaussian", 3.0))]  # fmt: skip
    for run in runs:
        run.advance(150)
    one, other = (run.state() for run in runs)
    assert runs[0].dt == runs[1].dt
    for name in one:
        if np.issubdtype(one[name].dtype, np.floating) and one[name].size > 1000:
            assert np.abs(one[name]).max() > 0
            np.testing.assert_allclose(other[name], one[name], rtol=0, atol=1e-6 * np.abs(one[name]).max())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"lines": ["f = cos(t)"]}, "The waveform begins at 1, at t = 0 fs: let it begin at zero"),
        ({"lines": ["f = t"]}, "The waveform ends at 22.5, at t = 22.5 fs: let it end at zero"),
        ({"lines": ["f = log(t - 3)"]}, "no finite number at t = 0 fs"),
        ({"lines": ["f = 0*t"]}, "zero from 0 to 22.5 fs"),
        ({"lines": ["f = sin(pi*t/22.5)*sin(3000*t)"]}, "changes within less than"),
        ({"lines": ["f = exp(-x)"]}, "Line 1 uses 'x', which is not known.*: there are t, pi"),
        ({"lines": ["g = exp(-t)"]}, "no line says what the waveform is"),
        ({"lines": ["pi = 3"]}, "'pi' has a meaning here"),
    ],
)
def test_a_formula_that_is_no_waveform_is_refused(change, sentence):
    with pytest.raises(ProblemError, match=sentence):
        waveform_of(TypedSignal(**change), "fs")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("time,value\n0,0\n1,2,3\n", "Row 3 of the waveform 'w.csv' is not 2 numbers"),
        ("0,0\n1,1\n1,0\n2,0\n", "Row 3 of the waveform 'w.csv' is not beyond"),
        ("0,0\n1,x\n", "Row 2 of the waveform 'w.csv' is not 2 numbers"),
        ("0,0\n1,1\n2,0\n", "has 3 points: it needs 4"),
        ("0,0\n1,1\n2,1\n3,0.5\n", "ends at 0.5: let it end at zero"),
        ("0,0.5\n1,1\n2,1\n3,0\n", "begins at 0.5: let it begin at zero"),
        ("0 0\n1 0\n2 0\n3 0\n", "zero all the time"),
    ],
)
def test_a_file_that_holds_no_waveform_is_refused(tmp_path, text, sentence):
    path = tmp_path / "w.csv"
    path.write_text(text)
    with pytest.raises(ProblemError, match=sentence):
        read_waveform(str(path), "fs")
    with pytest.raises(ProblemError, match="choose another file"):
        read_waveform(str(tmp_path / "none.csv"), "fs")


@pytest.mark.parametrize(("heading", "factor"), [("t,v", 1.0), ("time [fs],E [V/m]", 1.0), ("Time (ps);Field", 1e3)])
def test_the_time_of_a_file_is_in_the_unit_of_its_heading(tmp_path, heading, factor):
    path = tmp_path / "w.csv"
    mark = ";" if ";" in heading else ","
    path.write_text("\n".join([heading, *(f"{t}{mark}{v}" for t, v in ((0, 0), (1, 1), (2.5, -1), (4, 0)))]))
    assert read_waveform(str(path), "fs").lasts == pytest.approx(4 * factor)
    path.write_text("time [V],value\n0,0\n1,1\n2,1\n3,0\n")
    with pytest.raises(ProblemError, match="unit of another kind"):
        read_waveform(str(path), "fs")


def test_every_source_runs_and_is_drawn(backend, tmp_path):
    path = tmp_path / "wave.csv"
    course = waveform_of(SHORT, "fs")
    times = np.linspace(0, course.lasts, 400)
    np.savetxt(path, np.column_stack([times, course.at(times) - course.at(times[:1])]), delimiter=",", header="t,v")
    sources = [
        ObliqueWaveSource(margin=2, signal=Ricker(wavelength=1.2)),
        BEAM.model_copy(update={"direction": "-y", "sheet": 1.15, "focus": (0.75, 1.0, 0.75)}),
        GUIDE.model_copy(update={"signal": FromFile(path=str(path))}),
        PointSource(place=(0.7, 0.7, 0.7), signal=Derivative(wavelength=1.5)),
    ]
    run = problem(*sources, **CORE)
    reported = ENGINE.estimate(run, backend).findings
    assert any("waist of 0.5 wavelengths" in finding.message for finding in reported)
    one, two = (ENGINE.build(run, backend) for _ in range(2))
    two.set_control("source_scale", 0.5)
    for simulation in (one, two):
        simulation.advance(40)
    whole = one.field("Ez")
    assert np.abs(whole).max() > 0.01
    np.testing.assert_allclose(two.field("Ez"), 0.5 * whole, atol=1e-6 * np.abs(whole).max())
    assert [chart.title for chart in one.charts[-2:]] == ["Source over time", "Source spectrum"]
    time, spectrum = (one.chart(chart.name) for chart in one.charts[-2:])
    assert len(time.curves) == len(spectrum.curves) == 4
    carrier = spectrum.curves[1]
    assert carrier.x[carrier.y.argmax()] == pytest.approx(1e3 * SPEED_OF_LIGHT / 0.6, rel=0.01)
    tool = next(tool for tool in ENGINE.tools() if tool.id == "sources")
    shown = tool.run(run, tool.defaults(run), backend)
    assert "2 Gaussian beam up to" in shown.message
    assert len(shown.charts) == 2


@pytest.mark.parametrize(
    ("source", "changes", "sentence"),
    [
        (
            ObliqueWaveSource(phi=30.0),
            {"faces": Faces(y_low="periodic", y_high="periodic")},
            "another phase at each face of y",
        ),
        (ObliqueWaveSource(margin=9), {}, "no room along x"),
        (
            BEAM.model_copy(update={"sheet": 0.1}),
            {},
            "Beam 1 stands outside of the grid or in the absorbing layer of x",
        ),
        (BEAM, CORE, "The sheet of beam 1 cuts through an object"),
        (BEAM.model_copy(update={"polarization": "x"}), {}, "Beam 1 goes along x and has its field across that"),
        (BEAM.model_copy(update={"signal": Gaussian()}), {}, "Beam 1 needs a carrier"),
        (GUIDE.model_copy(update={"place": (1.4, 0.75, 0.75)}), CORE, "Mode source 1 stands outside"),
        (
            GUIDE.model_copy(update={"number": 9}),
            CORE,
            "asks for mode 9, and its cross-section has only 2 guided modes",
        ),
        (GUIDE, {}, "has no guided mode at a wavelength of 0.6"),
        (GUIDE.model_copy(update={"place": (0.4, 0.1, 0.75), "size": (0, 0.2, 0.2)}), CORE, "no cells along y"),
        (PointSource(signal=FromFile()), {}, "The waveform has no file"),
    ],
)
def test_what_cannot_run_is_said_in_a_sentence(backend, source, changes, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.build(problem(source, **changes), backend)


def test_a_beam_that_the_layers_cut_is_noticed(backend):
    wide = BEAM.model_copy(update={"waist": 0.62, "signal": Continuous(wavelength=0.6)})
    findings = ENGINE.estimate(problem(wide), backend).findings
    assert any("Beam 1 is cut along y" in finding.message for finding in findings)
