"""Numbers too large for float32, in which fields are handed out, are told: in Python, in the log and in run.json."""

import json

import numpy as np
import pytest

import workbench as wb
from engines.api import Selection, no_progress
from engines.backend.devices.select import open_backend
from workbench.cli import main

GROWTH = {
    "grid": {"kind": "2D", "cells_x": 24, "cells_y": 24, "size_x": 24.0, "size_y": 24.0},
    "equation.lines": ["du/dt = D*laplacian(u) + r*u"],
    "equation.fields": [{"name": "u", "start": "where(x < 12, -1e30, 0)"}],
    "equation.parameters.1.value": 20.0,
    "numerics.precision": "fp64",
}
"""−1e30 exp(20 t): beyond 3.4e38 from t = 1 s on."""
SENTENCE = "The field 'u' is beyond 3.4e38 at element 0, the largest number that pictures, probes and files hold"


@pytest.mark.filterwarnings("ignore::workbench.api.findings.WorkbenchWarning")
def test_a_run_whose_numbers_leave_float32_says_so():
    with wb.simulate(wb.open("typed_fisher").set(GROWTH), device="cpu") as run:
        run.run(until=0.5)
        assert not [one for one in run.findings if "beyond" in one.message]
        run.run(until=1.2)
        assert np.isinf(np.asarray(run.field("u"))).any()
        assert [one.message.startswith(SENTENCE) for one in run.findings] == [True]


def test_so_does_the_command_line_once(tmp_path, capfd):
    project = wb.open("typed_fisher").set(GROWTH).save(tmp_path / "growth")
    out = tmp_path / "out"
    command = ["run", str(tmp_path / "growth"), "--until", "1.2", "--device", "cpu", "--no-pictures", "--out", str(out)]
    assert project is not None
    assert main(command) == 0
    told = capfd.readouterr().err
    assert told.count(SENTENCE) == 1
    assert "RuntimeWarning" not in told
    noticed = json.loads((out / "run.json").read_text())["noticed"]
    assert [one["message"].startswith(SENTENCE) for one in noticed] == [True]


@pytest.mark.filterwarnings("ignore::workbench.api.findings.WorkbenchWarning")
@pytest.mark.parametrize(("line", "precision", "told"), [
    ("d = -exp(10*x)", "fp64", True), ("d = exp(8*x)", "fp64", False), ("d = exp(10*x)", "fp32", False),
])  # fmt: skip
def test_so_does_a_run_of_the_names_of_its_lines(line, precision, told):
    """They were infinite in Python, in pictures and in files, with no word; in fp32 they are so for the run, too."""
    changes = {"equation.lines": ["du/dt = D*laplacian(u) - r*u", line], "numerics.precision": precision}
    sizes = {"grid.cells_x": 64, "grid.cells_y": 8, "grid.size_x": 10.0, "grid.size_y": 1.0}
    with wb.simulate(wb.open("typed_fisher").set({**sizes, **changes}), device="cpu") as run:
        run.advance(1)
        assert np.isinf(np.asarray(run.field("d"))).any() == (line != "d = exp(8*x)")
        assert any(one.message.startswith("The field 'd' is beyond 3.4e38") for one in run.findings) == told


FAST = {"numerics.precision": "fp64", "loads.0.y": -1e27, "loads.1.y": 1e27, "numerics.damping": 0.0}
"""[m/s]: with 1e21 m a particle has some 1e42 times the energy density of 1 m."""
STRONG = {"numerics.precision": "fp64", "sources.0.moment": 1e30}


@pytest.mark.filterwarnings("ignore::workbench.api.findings.WorkbenchWarning")
@pytest.mark.parametrize(
    ("preset", "changes", "steps", "told", "field"),
    [
        ("fdtd_dipole", STRONG, 40, "The electric field is beyond 3.4e38 at element ", "E"),
        ("brazilian_disc", FAST, 10, "The energy density is beyond 3.4e38 at element ", "energy"),
    ],
)
def test_so_do_waves_and_solids(preset, changes, steps, told, field):
    with wb.open(preset).set(changes).simulate(device="cpu") as run:
        run.advance(steps)
        values = np.asarray(run.field(field))
        large = [one.message for one in run.findings if "beyond 3.4e38" in one.message]
        assert [message.startswith(told) for message in large] == [True]
        assert np.isinf(values).any()


@pytest.mark.parametrize(
    ("preset", "array", "told"),
    [
        ("one_particle", "deviation", "The stoichiometry"),
        ("small_slab", "voltage", "The voltage"),
        ("brazilian_disc", "u", "The displacement"),
        ("brazilian_disc", "v", "The velocity"),
        ("fdtd_slab", "magnetic", "The magnetic field"),
    ],
)
def test_all_engines_that_have_double_precision_note_it_until_they_begin_anew(preset, array, told):
    project = wb.open(preset).set("numerics.precision", "fp64")
    document = project._document
    simulation = document.engine.build(document.complete_problem(), open_backend("cpu"), no_progress)
    start = simulation.state()
    spoiled = start[array].copy()
    spoiled[..., simulation._solver.body.places if preset == "brazilian_disc" else slice(None)] = 1e60
    simulation.restore({**start, array: spoiled})
    assert simulation.non_finite() is None
    assert simulation.beyond is not None
    assert simulation.beyond.field == told
    simulation.restore(start)
    assert simulation.beyond is None
    assert simulation.non_finite() is None
    assert simulation.beyond is None
    simulation.close()


@pytest.mark.parametrize("preset", ["typed_fisher", "gray_scott_coral"])
def test_an_amount_of_a_brush_is_within_bounds_as_numbers_of_the_form_are(preset):
    with wb.simulate(wb.open(preset), device="cpu") as run:
        brush = run.brushes[0].name
        with pytest.raises(wb.ProblemError, match=r"is from -1e\+30 to 1e\+30, not 1e\+300"):
            run.paint(brush, (1, 1), 1e300, radius=1)


def _simulated(preset, **changes):
    project = wb.open(preset).set(changes)
    document = project._document
    return document.engine.build(document.complete_problem(), open_backend("cpu"), no_progress)


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
def test_a_field_whose_length_alone_is_too_large_is_told(precision):
    """(3e38, 3e38, 0) V/m are numbers, 4.2e38 V/m is none that files hold; where one component is 3e38 all are."""
    simulation = _simulated("fdtd_dipole", **{"numerics.precision": precision})
    start = simulation.state()
    for parts, told in ((1, False), (2, True)):
        large = np.zeros_like(start["electric"])
        large[:parts] = 3e38
        simulation.restore({**start, "electric": large})
        assert simulation.non_finite() is None
        assert np.isinf(simulation.field("E")).any() == told
        assert (simulation.beyond is not None) == told
    simulation.close()


def test_an_infinite_value_stays_in_its_own_block():
    """Of a coarse picture: all that came after it were no numbers."""
    simulation = _simulated("fdtd_dipole", **{"numerics.precision": "fp64"})
    start = simulation.state()
    field = np.ones_like(start["electric"])
    field[:, 0, 0, 0] = 1e60
    simulation.restore({**start, "electric": field})
    runs = Selection(np.arange(6, dtype=np.int32), np.array([0, 2, 2, 4, 6], np.int32))
    means = simulation.gather("E", simulation.select(runs))
    assert np.isinf(means[0])
    assert np.isnan(means[1])  # of no cell
    np.testing.assert_allclose(means[2:], 3**0.5, rtol=1e-6)
    simulation.close()


@pytest.mark.parametrize("size", [1e-25, 1.0, 1e25])
def test_lengths_on_the_device_are_those_of_the_host(size):
    """Squares of 1e25 are too large for float32, those of 1e-25 nothing."""
    simulation = _simulated("fdtd_dipole", **{"numerics.precision": "fp32"})
    start = simulation.state()
    simulation.restore({**start, "electric": np.full_like(start["electric"], size)})
    np.testing.assert_allclose(simulation.on_device("E"), simulation.field("E"), rtol=1e-6)
    simulation.close()


@pytest.mark.parametrize(("precision", "size"), [("fp32", 1e20), ("fp64", 1e25)])
def test_stress_that_is_too_large_is_told_once_it_is_looked_at(precision, size):
    simulation = _simulated("brazilian_disc", **{"numerics.precision": precision})
    start = simulation.state()
    rng = np.random.default_rng(1)
    simulation.restore({**start, "u": start["u"] + size * rng.normal(size=start["u"].shape).astype(start["u"].dtype)})
    assert simulation.non_finite() is None
    assert simulation.beyond is None
    values = simulation.field("von_mises")
    assert np.isinf(values).any()
    assert simulation.beyond is not None
    assert simulation.beyond.told_beyond().startswith("The strain or stress is beyond 3.4e38 at element ")
    simulation.restore(start)
    assert simulation.beyond is None
    assert np.isfinite(simulation.field("von_mises")).any()
    assert simulation.beyond is None
    simulation.close()
