"""The many-particle model as the application uses it: fields, bands, histograms, one particle, geometry, bad input."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters
from engines.battery.watch.many_particles import weighted_percentiles
from engines.battery.watch.overfilled import SLACK

ENGINE = BatteryEngine()


def problem(**changes) -> Problem:
    given = {"model": "MPM", "sizes": {"particles": 60}, "numerics": {"step": 10.0}, **changes}
    return Problem(BatteryParameters.model_validate(given))


def simulation(backend, **changes):
    return ENGINE.build(problem(**changes), backend)


def test_small_particles_follow_first(backend):
    """Chen2020 at 1C: they empty and fill ahead of the large ones at the start, and the bands say how far."""
    run = simulation(backend)
    run.advance(30)
    surface, flux = run.field("surface_stoichiometry"), run.field("flux")
    assert surface.shape == flux.shape == (120,)
    assert (flux[:60] > 0).all()
    assert (flux[60:] < 0).all()
    seen = run.observe()
    assert set(seen) == {series.name for series in run.series}
    assert seen["capacity"] == pytest.approx(5 * 300 / 3600, rel=1e-6)
    for k, name in enumerate(("negative", "positive")):
        x = surface[60 * k : 60 * (k + 1)]
        assert seen[f"{name}_stoichiometry"] == pytest.approx(x.mean(), rel=1e-6)  # equal shares
        assert x.min() <= seen[f"{name}_stoichiometry_p05"] < seen[f"{name}_stoichiometry_p95"] <= x.max()
    assert seen["balance"] < 1e-6


def test_profiles_end_at_the_surface(backend):
    run = simulation(backend, numerics={"step": 10.0, "radial_points": 24})
    run.advance(30)
    profile, surface = run.field("stoichiometry"), run.field("surface_stoichiometry")
    assert profile.shape == (120, 24)
    assert surface == pytest.approx(1.5 * profile[:, -1] - 0.5 * profile[:, -2], abs=4e-3)
    chosen = run.select(Selection(np.array([3, 63, 3], np.int32), np.array([0, 1, 3], np.int32)))
    assert run.gather("surface_stoichiometry", chosen) == pytest.approx([surface[3], (surface[63] + surface[3]) / 2])
    found = run.inspect(63)
    facts = {fact.title: fact.value for fact in found.facts}
    assert facts["Stoichiometry at the surface"] == pytest.approx(surface[63], rel=1e-6)
    assert facts["Radius"] == pytest.approx(run.geometry.radii[63])
    assert facts["Overpotential"] < 0  # lithium enters
    ((_, data),) = found.profiles
    assert data.curves[0].y[-1] == pytest.approx(surface[63], abs=1e-6)
    assert data.curves[0].x[-1] == pytest.approx(facts["Radius"])


def test_histograms_hold_the_surface_and_the_lithium(backend):
    run = simulation(backend)
    run.advance(100)
    for name in ("negative", "positive"):
        (bars,) = run.chart(f"{name}_sizes").curves
        assert len(bars.x) == len(bars.y) + 1 == len(bars.shade) + 1
        assert bars.y.sum() == pytest.approx(100)
        assert ((bars.shade >= 0) & (bars.shade <= 1)).all()
    with pytest.raises(KeyError):
        run.chart("nothing")
    names = {series.name for series in run.series}
    for chart in run.charts:
        assert set(chart.series) <= names
        assert {end for band in chart.bands for end in band} <= names
        assert chart.series or run.chart(chart.name).curves


def test_the_run_ends_with_the_protocol(backend):
    run = simulation(backend, protocol=["Discharge at 2C for 2 minutes", "Rest for 1 minute"])
    run.advance(17)
    assert not run.finished
    run.advance(3)
    assert run.finished
    assert run.observe()["current"] == 0


def test_restoring_goes_on_bit_for_bit(backend):
    one, two = (simulation(backend) for _ in range(2))
    one.advance(20)
    two.restore(one.state())
    one.advance(20)
    two.advance(7)
    two.advance(13)
    for name, values in one.state().items():
        assert (values == two.state()[name]).all(), name


def test_particles_with_more_lithium_than_sites_are_told_of(backend):
    """Graphite's potential is flat where it is full: a hold at 4.2 V fills the smallest particles beyond it."""
    protocol = ["Charge at 1C until 4.2 V", "Hold at 4.2 V until C/20"]
    run = simulation(backend, protocol=protocol, initial_state_of_charge=0.5, sizes={"particles": 50})
    largest, full, early = 0.0, 0.0, run.state()
    while not run.finished:
        run.advance(run.sample_steps)
        run.observe()
        n = len(surfaces := run.field("surface_stoichiometry")) // 2
        largest = max(largest, surfaces[:n].max())
        assert bool(run.noticed()) == (largest > 1 + SLACK)
        full = full or (run.time if run.noticed() else 0.0)
    (finding,) = run.noticed()
    assert finding.distorts
    assert f"negative electrode are full from {full:.6g} s on" in finding.message
    assert f"come to {largest:.4f}" in finding.message
    again = simulation(backend, protocol=protocol, initial_state_of_charge=0.5, sizes={"particles": 50})
    again.restore(run.state())
    assert again.noticed() == [finding]
    again.restore(early)
    assert again.noticed() == [], "it went back"
    usual = simulation(backend)
    usual.advance(30)
    usual.observe()
    assert usual.noticed() == []


def test_the_live_current_acts_from_the_next_step_on(backend):
    run = simulation(backend)
    run.advance(1)
    run.set_control("current_factor", 2.0)
    run.advance(1)
    assert run.observe()["current"] == 10
    with pytest.raises(ProblemError, match="reset"):
        run.set_control("sizes.seed", 2)


def test_heaps_touch_and_do_not_overlap():
    geometry = ENGINE.geometry_of(problem(sizes={"particles": 300}))
    assert geometry is ENGINE.geometry_of(problem(sizes={"particles": 300}, protocol=["Rest for 1 hour"]))
    apart = np.linalg.norm(geometry.positions[:, None] - geometry.positions, axis=2)
    space = apart - geometry.radii[:, None] - geometry.radii
    np.fill_diagonal(space, np.inf)
    assert space.min() >= -1e-9  # rounding of some hundred µm
    assert (geometry.positions[:300, 0] + geometry.radii[:300]).max() < 0
    assert (geometry.positions[300:, 0] - geometry.radii[300:]).min() > 0


def test_an_estimate_and_its_findings():
    backend = CpuBackend()
    balance = ENGINE.estimate(problem(), backend).findings
    assert {each.severity for each in balance} == {"info"}
    found = ENGINE.estimate(problem(sizes={"particles": 5}, ensemble={"cells": 10}), backend)
    assert [("one cell" in each.message, each.severity) for each in found.findings[len(balance) :]] == [
        (True, "info"), (False, "info"),
    ]  # fmt: skip
    assert found.memory_bytes > 0
    assert found.seconds_per_simulated_unit > 0
    warm = ENGINE.estimate(problem(thermal="lumped"), backend).findings  # the form does not show it for this model
    assert ["one temperature" in each.message for each in warm[len(balance) :]] == [True]


def test_weighted_percentiles():
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([0.1, 0.6, 0.3])
    assert weighted_percentiles(values, weights, (0.05, 0.6, 0.7, 0.95, 1.0)) == [1, 1, 2, 3, 3]
