"""Cells that differ: what is drawn, their traces and the bands, on both backends."""

import numpy as np
import pytest
from pydantic import ValidationError

from engines.api.errors import ProblemError
from engines.battery.cells.step.cells import CELLS
from engines.battery.cells.step.reference import end_of_discharge
from engines.battery.parameter_sets import PARAMETER_SETS
from engines.battery.parameters.ensemble import Distribution
from engines.battery.protocol.instructions import Instruction, Kind
from engines.battery.setup.ensemble import sample
from engines.battery.step.cell_rows import Row
from engines.battery.watch.bands import bands

CHEN = PARAMETER_SETS["Chen2020"]


@pytest.mark.parametrize("kind", ["normal", "lognormal", "uniform"])
def test_what_is_drawn(kind):
    """Mean and deviation of 10⁵ numbers: within five standard errors."""
    drawn = sample(CHEN, [Distribution(parameter="positive_diffusivity", kind=kind, spread=0.1)], 100_000, 3)
    factor = drawn["positive_diffusivity"] / 4e-15
    of = np.log(factor) + 1 if kind == "lognormal" else factor
    assert of.mean() == pytest.approx(1.0, abs=5 * 0.1 / np.sqrt(1e5))
    assert of.std() == pytest.approx(0.1 / (np.sqrt(3) if kind == "uniform" else 1), rel=0.02)


def test_numbers_depend_on_seed_and_name_alone():
    one = Distribution(parameter="positive_diffusivity", spread=0.1)
    other = Distribution(parameter="negative_thickness", spread=0.1)
    together, alone = sample(CHEN, [other, one], 9, 1), sample(CHEN, [one], 9, 1)
    assert (together["positive_diffusivity"] == alone["positive_diffusivity"]).all()
    assert (sample(CHEN, [one], 9, 2)["positive_diffusivity"] != alone["positive_diffusivity"]).all()
    assert (together["negative_thickness"] / 85.2e-6 != alone["positive_diffusivity"] / 4e-15).all()


@pytest.mark.parametrize(
    ("distributions", "sentence"),
    [
        ([Distribution(), Distribution()], "two distributions"),
        ([Distribution(spread=1.0)], "get a negative negative_particle_radius: use a smaller spread"),
        ([Distribution(parameter="negative_initial_concentration", spread=0.1)], "outside of stoichiometries 0 to 1"),
    ],
)
def test_what_cannot_be_drawn(distributions, sentence):
    with pytest.raises(ProblemError, match=sentence):
        sample(CHEN, distributions, 1000, 0)


@pytest.mark.parametrize("name", ["colour", "upper_cutoff"])
def test_what_cannot_differ_is_not_offered(name):
    with pytest.raises(ValidationError, match="negative_particle_radius"):
        Distribution(parameter=name)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_bands_are_those_of_sorting(backend, precision):
    values = np.random.default_rng(0).normal(3.7, 0.2, (4, 320)).astype(precision)
    values[0] *= -1
    values[1, 10:200] = np.nan
    values[2] = np.nan
    values[3, 5:50] = 3.7
    found = bands(backend, backend.array(values), 313)
    for row in range(4):
        kept = values[row, :313][~np.isnan(values[row, :313])]
        assert found.count[row] == len(kept)
        got = [found.low[row], found.middle[row], found.high[row]]
        if len(kept):
            # CUDA selects doubles as floats: 6e-8 of 4 V, twice.
            assert got == pytest.approx(np.percentile(kept.astype(float), (5, 50, 95)), rel=0, abs=5e-7)
            assert found.mean[row] == pytest.approx(kept.astype(float).mean(), rel=1e-12)
        else:
            assert np.isnan(got).all()


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 21, 41, 60])
def test_percentiles_of_few_cells_lie_between_two_of_them(backend, n):
    """NumPy's definition; the nearest of 60 cells is up to 12 mV from it. 1e-12 is the order of three operations."""
    drawn = np.random.default_rng(n).normal(3.7, 0.2, n)
    spread_out, ties = np.geomspace(1e-6, 1e6, n) * (-1) ** np.arange(n), np.repeat([-0.5, 0.0, 4.0], n)[::3][:n]
    values = np.array([drawn, spread_out, ties, np.full(n, 3.7)], np.float32)
    found = bands(backend, backend.array(values), n)
    for row, got in zip(values.astype(float), zip(found.low, found.middle, found.high, strict=True), strict=True):
        assert list(got) == pytest.approx(np.percentile(row, (5, 50, 95)), rel=1e-12)


def test_discharges_in_one_launch(backend):
    """Cells that differ in the particle's radius against their own series; the end is found within the step."""
    radii = sample(CHEN, [Distribution(spread=0.1)], 40, 5)
    cells = CELLS.open(backend, CHEN, [Instruction(Kind.CURRENT, 5.0, lowest=2.5)], 36.0, radii)
    trace = cells.new_trace(100)
    with backend.timed("cells"):
        cells.advance(0, 100, trace)
    found = bands(backend, trace, cells.n_cells)
    assert (found.count[:90] == 40).all()
    assert 0 < found.count[-1] < 40  # some end in the last step, others before it
    assert (found.low[:90] < found.middle[:90]).all()
    assert (found.middle[:90] < found.high[:90]).all()
    ends = backend.to_host(cells.state[int(Row.ENDED)])[: cells.n_cells]
    for cell in (0, 17, 39):
        scalars = dict(CHEN.scalars)
        source = scalars["negative_particle_radius"]
        value = radii["negative_particle_radius"][cell]
        scalars["negative_particle_radius"] = type(source)(value, source.unit, source.source)
        changed = type(CHEN)(**{**vars(CHEN), "scalars": scalars})
        assert ends[cell] == pytest.approx(end_of_discharge(changed, 5.0, 3300, 3580), abs=5e-3)
