"""The model "particles" as the application uses it: against the series, in balance, to its end."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameter_sets.constants import FARADAY
from engines.battery.parameters import BatteryParameters
from engines.battery.particles import series
from engines.battery.particles.diffusivity import ecker_graphite, ecker_nco
from engines.battery.particles.exact import ExactParticle
from engines.battery.particles.pulses import History
from engines.battery.particles.step import reference
from engines.battery.verification import varying
from engines.battery.verification.collocation import surfaces

ENGINE = BatteryEngine()
RADIUS, D, MAXIMUM = 5.86e-6, 3.3e-14, 33133.0
START = 29866 / MAXIMUM


def problem(precision="fp32", **settings) -> Problem:
    given = {"model": "particles", "particles": settings, "numerics": {"precision": precision}}
    return Problem(BatteryParameters.model_validate(given))


def build(backend, precision="fp32", **settings):
    return ENGINE.build(problem(precision, **settings), backend)


def flux(value):
    return {"kind": "flux", "value": value}


@pytest.mark.parametrize("scheme", ["explicit", "implicit", "eigenmodes"])
def test_one_particle_follows_the_series(backend, scheme):
    """Shells of second order: 3e-5 of stoichiometry with 32 (measured: 1.7e-5); modes: to float32, 1e-6."""
    run = build(backend, scheme=scheme, drive=flux(-2e-5), step=None)
    steps = round(600 / run.dt)
    run.advance(steps)
    time = steps * run.dt
    assert run.time == time
    expected = START + series.shell_means(32, time, flux=-2e-5, radius=RADIUS, diffusivity=D) / MAXIMUM
    tolerance = 1e-6 if scheme == "eigenmodes" else 3e-5
    np.testing.assert_allclose(run.field("stoichiometry")[0], expected, rtol=0, atol=tolerance)
    (surface,) = series.uniform_start(np.ones(1), time, flux=-2e-5, radius=RADIUS, diffusivity=D)
    assert run.field("surface_stoichiometry")[0] == pytest.approx(START + surface / MAXIMUM, abs=tolerance)
    seen = run.observe()
    assert set(seen) == {each.name for each in run.series}
    assert seen["error"] <= tolerance
    assert seen["mean"] == pytest.approx(START - 3 * 2e-5 * time / RADIUS / MAXIMUM, abs=2e-7)
    assert seen["flux"] == pytest.approx(-20)  # µmol/m²/s


def test_the_error_against_the_series_falls_with_the_square_of_the_shells():
    """Of the finite volumes with steps so small that they do not count (implicit, second order in time)."""
    errors = []
    for shells in (8, 16, 32, 64):
        run = build(CpuBackend(), "fp64", scheme="implicit", shells=shells, drive=flux(-2e-5), step=0.5)
        run.advance(600)
        errors.append(run.observe()["error"])
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (np.abs(orders - 2) < 0.1).all(), orders


@pytest.mark.parametrize(("precision", "tolerance"), [("fp32", 1e-5), ("fp64", 1e-11)])
@pytest.mark.parametrize("scheme", ["explicit", "implicit", "eigenmodes"])
def test_lithium_is_in_balance(precision, tolerance, scheme):
    """The tolerances of the whole engine (10,000 steps), with pulses and a factor that changes."""
    run = build(
        CpuBackend(), precision, scheme=scheme, number=70, radius_spread=0.2, shells=12, drive=flux(-1e-5),
        pulses={"on": 100.0, "off": 33.0}, step=0.2,
    )  # fmt: skip
    for factor in (1.0, -0.5, 0.3, 1.0):
        run.set_control("particles.flux_factor", factor)
        run.advance(2500)
    assert run.step == 10_000
    assert run.observe()["balance"] <= tolerance


def test_a_diffusivity_that_varies_is_that_of_the_reference(backend):
    """As the kernels' own test: the reference's explicit steps in float64."""
    setting = {"kind": "linear", "value": 3e-14, "slope": -0.8, "reference": 0.5}
    run = build(backend, "fp64", shells=12, diffusivity=setting, drive=flux(-2e-5), step=1.0)
    run.advance(300)
    deviation = reference.explicit(
        np.zeros((12, 1)), np.array([RADIUS]),
        lambda c: 3e-14 * (1 - 0.8 * (START + c / MAXIMUM - 0.5)), np.array([-2e-5]), 1.0, 300,
    )  # fmt: skip
    np.testing.assert_allclose(run.field("stoichiometry")[0], START + deviation[:, 0] / MAXIMUM, rtol=0, atol=1e-7)
    assert "error" not in run.observe()
    assert [each.title for each in run.chart("profile").curves] == ["Particle"]


def test_the_surface_of_a_diffusivity_that_varies_converges():
    """Second order: from 16 to 32 to 64 shells the change of the surface falls by four."""
    found = []
    for shells in (16, 32, 64):
        run = build(
            CpuBackend(), "fp64", shells=shells, drive=flux(-2e-5), step=0.05,
            diffusivity={"kind": "table", "stoichiometries": [0, 0.5, 1], "diffusivities": [8e-14, 4e-14, 2e-14]},
        )  # fmt: skip
        run.advance(6000)
        found.append(run.observe()["surface"])
    assert (found[1] - found[0]) / (found[2] - found[1]) == pytest.approx(4, rel=0.15)


def test_a_diffusivity_of_a_file_is_solved(backend, tmp_path):
    """Chebyshev collocation after 100 s at 1C: 32 shells leave 1.05e-3 of stoichiometry (64: 3.2e-4), the mean of this
    law 0.106."""
    cell = PARAMETER_SETS["Chen2020"].values()
    file = {"parameter_set": "BPX file", "bpx_file": str(varying.write_file(tmp_path))}

    def given(**settings):
        values = {"model": "particles", **file, "numerics": {"precision": "fp64"}, "particles": settings}
        return Problem(BatteryParameters.model_validate(values))

    run = ENGINE.build(given(), backend)
    run.advance(round(100 / run.dt))
    most, R = cell["negative_maximum_concentration"], cell["negative_particle_radius"]
    solid = cell["electrode_area"] * cell["negative_thickness"] * cell["negative_active_fraction"]
    flux = -cell["nominal_capacity"] * R / (3 * FARADAY * solid * most)
    start = cell["negative_initial_concentration"] / most
    (expected,) = surfaces(start, R, varying.negative, flux, np.array([run.time]))
    assert run.observe()["surface"] == pytest.approx(expected, abs=1.2e-3)


def test_schemes_that_take_the_mean_of_a_diffusivity_say_so(tmp_path):
    file = {"parameter_set": "BPX file", "bpx_file": str(varying.write_file(tmp_path))}

    def told(**settings):
        values = {"model": "particles", **file, "numerics": {"precision": "fp64"}, "particles": settings}
        found = ENGINE.estimate(Problem(BatteryParameters.model_validate(values)), CpuBackend()).findings
        return [each for each in found if "its mean, " in each.message]

    for scheme in ("implicit", "eigenmodes"):
        (finding,) = told(scheme=scheme)
        assert finding.remedy.changes == {("particles", "scheme"): "explicit"}
    assert not told()


def test_published_diffusivities():
    """Values read off the fits by hand: x = 0.5 is between two peaks; graphite falls 500-fold, NCO 40-fold."""
    assert float(np.log10(ecker_graphite(np.array(0.5)))) == pytest.approx(-15.06 + 1.503 * 2.8e-4 + 0.0067, abs=2e-3)
    assert float(np.log10(ecker_graphite(np.array(0.0)))) == pytest.approx(-15.06 + 2.722 + 1.503 * 0.1137, abs=1e-3)
    assert float(np.log10(ecker_nco(np.array(0.6169)))) == pytest.approx(-12.67 - 1.597, abs=1e-3)


@pytest.mark.parametrize("scheme", ["explicit", "eigenmodes"])
@pytest.mark.parametrize(("value", "what", "limit"), [(-6e-5, "empty", 0.0), (6e-5, "full", 1.0)])
def test_the_run_ends_with_the_last_step_that_fits(scheme, value, what, limit):
    """One more step would leave 0 to 1; the step is found however many were asked for at once."""
    ends = []
    for batch in (100_000, 7):
        run = build(CpuBackend(), scheme=scheme, number=5, radius_spread=0.1, drive=flux(value), start=0.6, step=0.2)
        while not run.finished:
            run.advance(batch)
        surfaces = run.field("surface_stoichiometry")
        assert (np.abs(surfaces - 0.5) <= 0.5).all()
        assert np.abs(surfaces - limit).min() < abs(value) * 0.2 * 6 / (RADIUS * 0.8 / 3) / MAXIMUM + 1e-3
        assert what in run.ending
        assert "1 of 5 particles" in run.ending
        ends.append(run.step)
        run.advance(10)
        assert run.step == ends[-1]
    assert abs(ends[0] - ends[1]) <= 1  # in float32 the batches round differently
    run.set_control("particles.flux_factor", -1.0)
    run.advance(50)
    assert not run.finished
    assert run.step == ends[-1] + 50


def test_pulses_come_and_go(backend):
    """The mean moves by 3 N t/R in a pulse and stays between them; the surface relaxes towards it."""
    run = build(backend, drive=flux(-2e-5), pulses={"on": 60.0, "off": 120.0}, step=0.4)
    run.advance(150)
    after_pulse = run.observe()
    run.advance(300)
    rested = run.observe()
    assert rested["mean"] == pytest.approx(after_pulse["mean"], abs=1e-7)
    assert START - after_pulse["mean"] == pytest.approx(3 * 2e-5 * 60 / RADIUS / MAXIMUM, rel=1e-5)
    assert abs(rested["surface"] - rested["mean"]) < 0.3 * abs(after_pulse["surface"] - after_pulse["mean"])
    assert rested["error"] <= 3e-5
    run.advance(1)
    assert run.observe()["flux"] == pytest.approx(-20)  # µmol/m²/s


def test_two_ways_of_sharing_a_rate():
    """Both take from all particles together what the rate says: Σ R³ dx/dt = −(C/3600 s) Q/(F V c_max) Σ R³."""
    common = {"number": 400, "radius_spread": 0.3, "scheme": "eigenmodes", "step": 10.0}
    seen = {}
    for shared in ("by volume", "by surface"):
        run = build(CpuBackend(), drive={"kind": "C-rate", "c_rate": 1.0, "shared": shared}, **common)
        run.advance(6)
        seen[shared] = run.observe()
    assert seen["by volume"]["mean"] == pytest.approx(seen["by surface"]["mean"], rel=1e-6)
    one = seen["by volume"]
    assert one["mean_p95"] - one["mean_p05"] < 1e-6
    assert seen["by surface"]["mean_p95"] - seen["by surface"]["mean_p05"] > 0.005
    # Chen2020: 5 A h over 0.1027 m² · 85.2 µm · 0.75 of graphite
    taken = 5 * 60 / (96485.33212 * 0.1027 * 85.2e-6 * 0.75 * MAXIMUM)
    assert START - one["mean"] == pytest.approx(taken, rel=1e-5)


def test_a_restored_run_goes_on_bit_for_bit(backend):
    options = {"number": 70, "radius_spread": 0.2, "pulses": {"on": 20.0, "off": 10.0}}
    one, two = build(backend, **options), build(backend, **options)
    one.advance(130)
    one.set_control("particles.flux_factor", 1.4)
    one.advance(1)
    two.restore(one.state())
    for run in (one, two):
        run.advance(200)
    for name, values in one.state().items():
        assert (values == two.state()[name]).all(), name
    assert one.observe() == two.observe()
    assert one.non_finite() is None
    with pytest.raises(ValueError, match="particles of"):
        build(backend, number=2).restore(one.state())


def test_selections_charts_and_inspection(backend):
    run = build(backend, number=60, radius_spread=0.2, shells=16)
    run.advance(100)
    profile = run.field("stoichiometry")
    chosen = run.select(Selection(np.array([3, 33, 3], np.int32), np.array([0, 1, 3], np.int32)))
    np.testing.assert_allclose(
        run.gather("stoichiometry", chosen), [profile[3], (profile[33] + profile[3]) / 2], atol=1e-6
    )
    assert run.gather("flux", chosen).shape == (2,)
    names = [each.name for each in run.charts]
    assert names == ["stoichiometry", "profile", "radii", "flux", "error", "balance"]
    known = {each.name for each in run.series}
    assert all(set(each.series) | {n for band in each.bands for n in band} <= known for each in run.charts)
    mean, first, exact = run.chart("profile").curves
    assert (mean.low <= mean.y).all()
    assert (mean.y <= mean.high).all()
    assert first.y[:-1] == pytest.approx(profile[0])
    assert (first.x[-1], first.y[-1]) == (1.0, run.field("surface_stoichiometry")[0]), "it ends at the surface"
    assert np.interp(first.x, exact.x, exact.y) == pytest.approx(first.y, abs=1e-3)
    bars = run.chart("radii").curves[0]
    assert bars.y.sum() == 60
    assert len(bars.x) == len(bars.y) + 1 == len(bars.shade) + 1
    with pytest.raises(KeyError):
        run.chart("voltage")
    found = run.inspect(7)
    assert found.title == "Particle 8"
    facts = {fact.title: fact.value for fact in found.facts}
    assert facts["Radius"] == pytest.approx(run.geometry.radii[7])
    assert facts["At the surface"] == pytest.approx(facts["Surface by the series"], abs=3e-4)  # 16 shells, early
    ((info, data),) = found.profiles
    assert (info.x_unit, data.curves[0].x[-1]) == ("µm", facts["Radius"])


def test_the_series_of_any_sequence_of_fluxes_is_that_of_their_sum():
    """Superposition of three constant fluxes; 1e-9 of the largest deviation: rounding of a thousand modes."""
    x = np.linspace(0, 1, 11)
    got = ExactParticle(RADIUS, D).follow(1e-5, [(300.0, 1.0), (200.0, 0.0), (100.0, -0.5)])
    parts = [(1e-5, 600.0), (-1e-5, 300.0), (-0.5e-5, 100.0)]
    expected = sum(series.uniform_start(x, t, flux=f, radius=RADIUS, diffusivity=D) for f, t in parts)
    assert got.profile(x) == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    assert got.surface == pytest.approx(expected[-1], rel=1e-9)


def test_the_series_is_the_same_bit_for_bit_in_whatever_parts_the_time_passes():
    """A resumed run knows the runs of one flux, an unbroken one has gone through them from sample to sample."""
    x, fluxes, history = np.linspace(0, 1, 11), (1.0, 0.0, -0.5, 1.0), History()
    passed = ExactParticle(RADIUS, D)
    for factor in fluxes:
        for seconds in (14.4 / 1.3, 0.7, *[3.1] * 40):
            passed.advance(1e-5 * factor, seconds)
            history.add(seconds, factor)
    resumed = ExactParticle(RADIUS, D).follow(1e-5, history.runs)
    assert passed.profile(x).tobytes() == resumed.profile(x).tobytes()
    assert (passed.mean, passed.surface) == (resumed.mean, resumed.surface)


def test_geometry_is_the_same_object_for_the_same_particles(backend):
    given = problem(number=80, radius_spread=0.1)
    other = problem(number=80, radius_spread=0.1, drive=flux(1e-6))
    assert ENGINE.geometry_of(given) is ENGINE.geometry_of(other)
    assert ENGINE.build(given, backend).geometry is ENGINE.geometry_of(given)
    assert ENGINE.geometry_of(problem(number=81, radius_spread=0.1)) is not ENGINE.geometry_of(given)
    cell = Problem(BatteryParameters.model_validate({"ensemble": {"cells": 3}}))
    assert ENGINE.geometry_of(cell) is ENGINE.geometry_of(cell.__class__(cell.parameters.model_copy(deep=True)))


def test_steps():
    """The limit of explicit steps is 0.485 R²/D over the square of the shells, of the smallest particle."""
    backend = CpuBackend()
    estimate = ENGINE.estimate(problem(), backend)
    assert estimate.stable_step == pytest.approx(0.485 * RADIUS**2 / D / 32**2, rel=0.02)
    assert estimate.step == pytest.approx(0.9 * estimate.stable_step)
    with pytest.raises(ProblemError, match=r"use at most 0\.49\d+ s, let the step be lowered"):
        ENGINE.estimate(problem(step=1.0), backend)
    lowered = ENGINE.estimate(problem(step=1.0, lower_step=True), backend)
    assert lowered.step == pytest.approx(estimate.step)
    assert "0.4" in lowered.findings[0].message
    pulsed = ENGINE.estimate(problem(pulses={"on": 30.0, "off": 45.0}), backend).step
    assert pulsed <= estimate.step
    assert 30 / pulsed == pytest.approx(round(30 / pulsed))
    assert 45 / pulsed == pytest.approx(round(45 / pulsed))
    assert ENGINE.estimate(problem(scheme="eigenmodes", step=100.0), backend).stable_step is None


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"scheme": "implicit", "diffusivity": {"kind": "linear"}}, "takes a constant diffusivity"),
        ({"diffusivity": {"kind": "linear", "slope": -2.5}}, "not positive everywhere"),
        ({"diffusivity": {"kind": "table", "stoichiometries": [0, 1]}}, "give pairs"),
        ({"diffusivity": {"kind": "table", "stoichiometries": [0, 0.5, 0.5]}}, "that rise"),
        ({"diffusivity": {"kind": "table", "diffusivities": [1e-14, 0.0, 1e-14]}}, "above 0"),
    ],
)
def test_bad_input_is_a_sentence(settings, sentence):
    with pytest.raises(ProblemError, match=sentence):
        ENGINE.estimate(problem(**settings), CpuBackend())


def test_what_cannot_change_on_the_way_is_said():
    run = build(CpuBackend())
    with pytest.raises(ProblemError, match="reset, change it"):
        run.set_control("particles.shells", 8)
