"""Tables of the cell model's schemes and instructions, and the code paths that they are about."""

import numpy as np
import pytest

from engines.backend import open_backend
from engines.backend.lab import timing as lab_timing
from engines.cardiac.cells import reference, tt06
from engines.cardiac.lab.cells import expressions, paths, peak, schemes
from engines.cardiac.lab.cells.expressions import ExponentialsTable, PassTable, PathInstructionsTable
from engines.cardiac.lab.cells.schemes import SchemeErrorTable, SchemeInstructionsTable, SchemeTimeTable
from engines.formulas.counts import count
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import ordered
from tests.cuda_on_host import COMPILER, HostCudaBackend
from tests.engines.cardiac.compiler.conftest import random_states


@pytest.fixture(scope="module")
def backend():
    return open_backend("cpu")


@pytest.fixture
def few(monkeypatch):
    """Two schemes instead of five; the others are compiled in the compiler's own tests."""
    monkeypatch.setattr(schemes, "SCHEMES", ("FE", "LRL"))


@pytest.fixture
def without_nvrtc(monkeypatch):
    for module in (schemes, expressions):
        monkeypatch.setattr(module, "machine_code", lambda compiled: None)


@pytest.mark.parametrize("below", [None, True, False])
@pytest.mark.parametrize(("name", "kind"), [("epi", tt06.CellType.EPI), ("endo", tt06.CellType.ENDO)])
def test_a_path_has_the_published_rates(name, kind, below):
    """The reference's, written as published; 1e-10 of each rate's largest size, as for the compiler itself."""
    model = paths.tt06(name)
    states, roots = random_states(model, 200), model.rates
    if below is not None:
        states[model.voltage] = np.random.default_rng(3).uniform(*((-95, -41) if below else (-39, 50)), 200)
        roots = paths.along(roots, below)
        assert not any(node.op == "select" for node in ordered(roots))
    symbols = {state.name: row for state, row in zip(model.states, states, strict=True)}
    rates = evaluate(roots, symbols)
    found = {state.name.rpartition(".")[2]: rate for state, rate in zip(model.states, rates, strict=True)}
    order = [f"cell.{state}" for state in tt06.STATES]
    wanted = reference.rates(np.stack([symbols[each] for each in order]), np.full(200, kind))
    for state, rate in zip(tt06.STATES, wanted, strict=True):
        assert np.abs(found[state] - rate).max() <= 1e-10 * np.abs(rate).max(), state


def test_generated_code_costs_what_the_thesis_counted():
    """Table 5.1 by its own costs of each operation: within 5 %; ours folds constants, its compiler fused other sums."""
    for cells, below, published in (("endo", True, 1750), ("endo", False, 1663), ("epi", True, 1774)):
        found = count(paths.path_step(cells, below, "LRL", False).after)
        assert found.total == pytest.approx(published, rel=0.05)


@pytest.mark.parametrize("optimise", [False, True])
def test_every_choice_of_a_step_is_by_the_voltage(optimise):
    """So that a path through it is what remains on one side of −40 mV; m alone takes an exponential step."""
    whole = paths.path_step("epi", None, "LRL", optimise)
    assert whole.exponential == ("cell.m",)
    conditions = {node.args[0] for node in ordered(whole.after) if node.op == "select"}
    assert {(condition.op, condition.args[0].value, condition.args[1].number) for condition in conditions} == {
        ("lt", "cell.V", -40.0)
    }


def test_instructions_by_path_without_nvrtc(backend, without_nvrtc):
    rows = PathInstructionsTable().measure(backend)
    keys = {row[:4] for row in rows}
    assert keys == {row[:4] for published in PathInstructionsTable.published for row in published.rows}
    static = {row[:2]: row[-1] for row in rows}
    assert all(row[4:8] == (None,) * 4 for row in rows)
    for path in ("1 and b", "2 and a"):
        assert static["optimised", path] < 0.7 * static["generated", path]
    assert static["optimised", "1 and b"] > static["optimised", "1 and a"]


def test_instructions_in_the_machine_code():
    """Machine code is counted, and is of the size of the static count."""
    compiled = paths.path_step("epi", True, "LRL", True)
    made = paths.machine_code(compiled)
    if made is None:
        pytest.skip("NVRTC is not installed")
    assert 0.7 < made.counted.total / count(compiled.after).total < 1.1
    assert 32 < made.registers < 256


def test_passes_save_instructions_one_after_the_other(backend):
    rows = PassTable().measure(backend)
    assert len({row[0] for row in rows}) == 7
    total = [row[4] for row in rows]
    assert total[1] < 0.9 * total[0]
    assert total[3] < 0.9 * total[2], "shared exponentials"
    assert total[-1] == pytest.approx(total[-2], rel=0.02)
    assert rows[0][7] == 0 < rows[-1][7] < 100


def test_the_exponentials_cost_a_third(backend):
    """240 as they stand; 14 of the 15 take the thesis 72 and the search 62, the 15th takes 16."""
    rows = ExponentialsTable().measure(backend)
    assert rows[-1][3] == 240
    assert rows[-1][5] == 62 + 16


def test_instructions_by_scheme_without_nvrtc(backend, few, without_nvrtc):
    rows = SchemeInstructionsTable().measure(backend)
    published = {row[:2] for each in SchemeInstructionsTable.published for row in each.rows}
    assert published <= {row[:2] for row in rows}
    static = {row[0]: row[2:] for row in rows if row[1] == "Static count"}
    # eight more for an exponential step of m, and its exponential
    assert 15 < static["generated"][1] - static["generated"][0] < 40


class TinyErrors(SchemeErrorTable):
    steps, milliseconds = (2.0**-4, 2.0**-5), 4.0


@pytest.mark.slow
def test_errors_by_scheme(backend, few):
    """Forward Euler is not stable at these steps; LRL is of first order: 10.5 and 5.2 % over 10 ms in the thesis."""
    (_, fe, coarse), (_, _, fine) = TinyErrors().measure(backend)
    assert fe is None
    assert coarse / fine == pytest.approx(2.0, rel=0.15)
    assert [row[0] for row in SchemeErrorTable.published[0].rows] == list(SchemeErrorTable.steps)


FEW = {"cpu": 64}


class TinyTimes(SchemeTimeTable):
    cells, thorough_cells = FEW, 64


@pytest.mark.slow
def test_time_to_solution_is_scaled_to_ten_million_cells(backend, few, monkeypatch):
    monkeypatch.setattr(lab_timing, "BUDGET", {"cpu": 1e-3})
    fe, lrl = TinyTimes().measure(backend)
    assert (fe[:3], lrl[:3]) == (("FE", 0.002, 500_000), ("LRL", 0.02, 50_000))
    for row in (fe, lrl):
        assert row[4] == pytest.approx(1e-3 * row[2] * row[3])
        assert row[3] == pytest.approx(1e-6 * 1e7 * row[6])


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
def test_the_peak_counts_what_the_kernel_does(monkeypatch):
    """Blocks of 256 threads, eight chains and three rounds each; the time is given."""
    monkeypatch.setattr(peak, "launch_seconds", lambda backend, launch: launch(0) or 2.0)
    assert peak.peak_rate(HostCudaBackend(), "float64", rounds=3, blocks=1) == 2 * 256 * 8 * 3 / 2.0
