"""Every CPU variant of the battery studies equals the float64 reference, and the studies are whole."""

from dataclasses import replace

import numpy as np
import pytest

from engines.api.lab import Case
from engines.backend import open_backend
from engines.battery.cells.step import reference as cells
from engines.battery.engine import BatteryEngine
from engines.battery.lab.studies import studies
from engines.battery.lab.variants import butler_volmer, discharges, spheres
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.particles.step import reference as particles
from tests.engines.battery.lab.variants.lab_cases import small_cases
from tests.engines.lab_checks import check_on_the_cpu, check_rows, variants_of
from workbench.bench.check import Checker

BY_ID = {study.id: study for study in studies()}


def test_the_engine_offers_them():
    assert [study.id for study in BatteryEngine().studies()] == list(BY_ID)


@pytest.mark.parametrize(("study", "variant"), variants_of(studies(), lambda variant: variant.device == "cpu"))
def test_a_cpu_variant_equals_the_reference(study, variant):
    check_on_the_cpu(study, variant, small_cases(study))


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.id)
def test_rows_of_the_reference_are_those_of_the_whole(study):
    """Every particle, point and cell is on its own; matrix products may sum in another order: 1e-13."""
    check_rows(study, small_cases(study)[-1], 1e-13)


def test_the_closed_form_is_288_steps_of_the_engines_reference():
    """In float64; 288 steps of seven roundings each are 2e-13 of the largest value."""
    inputs = spheres.smooth(spheres.case("", 50), np.random.default_rng(2))
    stepped, closed = spheres.reference(inputs, 288), spheres.closed_reference(inputs, 288)
    np.testing.assert_allclose(closed, stepped, rtol=0, atol=5e-13 * np.abs(stepped).max())
    np.testing.assert_array_equal(
        spheres.reference(inputs, 1),
        particles.explicit(
            inputs["c"].T.astype(float), inputs["radius"], inputs["diffusivity"], inputs["flux"], 100 / 288, 1
        ).T,
    )


@pytest.mark.parametrize("wrong", ["cylinder", "sign"])
@pytest.mark.parametrize("id", ["spherical", "spherical-288"])
def test_the_published_equations_would_be_refused(id, wrong):
    """Dendrite's stencil, 1 ± dr/2r, is a cylinder's Laplacian; its baseline adds the inner difference with the wrong
    sign. Neither passes, not even where another algorithm is allowed its own error."""
    study = BY_ID[id]
    case = small_cases(study)[-1]
    checker = Checker(study, case, seed=1)
    steps = study.variants[0].steps
    inputs = checker.inputs
    r = np.arange(32) + 0.5
    outer, inner = 1 + 0.5 / r, 1 - 0.5 / r
    tau = (inputs["diffusivity"] * spheres.DT / inputs["radius"] ** 2)[:, None] * 32**2
    gain = inputs["flux"] * spheres.DT / inputs["radius"] * spheres.GRID.source[-1]
    c = inputs["c"].astype(float)
    for _ in range(steps):
        padded = np.pad(c, ((0, 0), (1, 1)), mode="edge")
        outwards, inwards = padded[:, 2:] - c, padded[:, :-2] - c
        c = c + tau * (outer * outwards + (inner if wrong == "cylinder" else -inner) * inwards)
        c[:, -1] += gain
    worst = max(variant.tolerance or study.tolerance for variant in study.variants)
    assert not checker.error(c, steps) <= 2 * worst


def test_the_discharges_are_those_of_the_engines_reference():
    """Against the series of 2000 terms: 16 modes and a tail are 0.013 mV from it at 10 s, less after; twice that."""
    inputs = discharges.inputs(discharges.case("", 3), np.random.default_rng(8))
    got = discharges.reference(inputs, 1)
    chen = PARAMETER_SETS["Chen2020"]
    times = discharges.DT * np.arange(1, 91)
    for cell in range(3):
        changed = {name: replace(chen.scalars[name], value=float(values[cell])) for name, values in inputs.items()}
        own = replace(chen, scalars={**chen.scalars, **changed})
        expected = np.array([cells.spm(own, 5.0, time)[0] for time in times])
        assert np.abs(got[cell, : len(times)] - np.maximum(expected, 2.5)).max() < 2.6e-5


def test_cells_end_within_the_hundred_steps():
    """Most do: what follows is the lowest voltage, in the reference and in the engine's trace."""
    inputs = discharges.inputs(discharges.case("", 200), np.random.default_rng(3))
    voltages = discharges.reference(inputs, 1)
    assert voltages.min() == 2.5
    assert (voltages[:, -1] == 2.5).mean() > 0.5
    assert voltages[:, 0].min() > 3.9


def test_expressions_of_many_points_are_refused_with_a_reason():
    from engines.api.errors import ProblemError

    numpy = next(variant for variant in BY_ID["spherical-288"].variants if variant.id == "numpy")
    with pytest.raises(ProblemError, match="smaller sizes"):
        numpy.prepare(open_backend("cpu"), Case("", (20_000, 32), 640_000), {}, 1, None)


def test_naive_exponentials_lose_what_is_said():
    """They pass their own tolerance and not the study's: the difference is what the study shows."""
    study = BY_ID["butler-volmer"]
    case = Case("4096", (4096,), 4096)
    checker = Checker(study, case, seed=3)
    u = np.float32(butler_volmer.HALF) * checker.inputs["overpotential"]
    naive = checker.inputs["exchange"] * (np.exp(u) - np.exp(-u))
    assert study.tolerance < checker.error(naive, 1)


def test_all_currents_are_of_one_size():
    study = BY_ID["butler-volmer"]
    inputs = study.inputs(Case("4096", (4096,), 4096), np.random.default_rng(4))
    size, eta = np.abs(study.reference(inputs, 1)), np.abs(inputs["overpotential"])
    assert size.min() > 0.99
    assert size.max() < 2.01
    assert eta.min() < 1.1e-5
    assert eta.max() > 0.24


def test_the_published_tables_name_what_there_is():
    """The text's figures: barriers 340 and shuffles 799 GB/s; 351, 518 and 2.63 ms; 794 GB/s; and PyBaMM's 21 s."""
    figures = [
        figure
        for study in studies()
        for table in study.published
        for row in table.figures.values()
        for figure in row.values()
    ]
    assert figures == [340.0, 799.0, 712.0, 351.0, 518.0, 2.63, 0.035, 794.0, 21000.0]
