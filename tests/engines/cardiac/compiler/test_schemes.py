"""The schemes: which states step how, their orders, and the thesis' table 3.2."""

from __future__ import annotations

import numpy as np
import pytest

from engines.cardiac.compiler.convergence import Row, convergence, is_stable, rrms
from engines.cardiac.compiler.model import CellModel, State, shipped
from engines.cardiac.compiler.schemes import SCHEMES, STEP, STIMULUS, step
from engines.formulas.emit_numpy import evaluate
from engines.formulas.graph import const, make, symbol

TT06 = "ten_tusscher_panfilov_2006"


def small_model() -> CellModel:
    """A voltage that a gate w damps, and a concentration c that its own square takes away; c starts above 1, so that
    it is stored as a difference."""
    V, w, c = symbol("V"), symbol("w"), symbol("c")
    limit = make("div", const(1.0), make("add", const(1.0), make("exp", make("mul", const(-0.1), V))))
    rates = (
        make("sub", make("mul", const(-0.4), make("mul", w, V)), c),
        make("mul", const(0.5), make("sub", limit, w)),
        make("sub", make("mul", const(0.02), V), make("mul", const(0.1), make("mul", c, c))),
    )
    return CellModel("small", "small", (State("V", "mV", 20.0), State("w", "", 0.2), State("c", "mM", 3.0)), 0, rates)


def at_the_end(scheme: str, steps: int, optimise: bool = True) -> np.ndarray:
    """V, w and c after 4 ms."""
    compiled = step(small_model(), scheme, optimise=optimise)
    stored = np.array([20.0, 0.2, 3.0]) - compiled.offsets
    for _ in range(steps):
        values = dict(zip("Vwc", stored, strict=True)) | {STEP: 4.0 / steps, STIMULUS: 0.5}
        stored = np.array([float(x) for x in evaluate(compiled.after, values)])
    return stored + compiled.offsets


@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_orders(scheme, optimise):
    """Differences of three runs with halved steps shrink by 2 or 4; a tenth for the next term at these steps."""
    coarse, middle, fine = (at_the_end(scheme, steps, optimise) for steps in (80, 160, 320))
    orders = np.log2((coarse - middle) / (middle - fine))
    assert orders == pytest.approx(2.0 if scheme == "GRL2" else 1.0, abs=0.1)


def test_schemes_agree_in_the_limit():
    """Extrapolated from two steps; what is left is third order, or second for the first-order ones."""
    exact = at_the_end("GRL2", 2000)
    for scheme in SCHEMES:
        coarse, fine = at_the_end(scheme, 400), at_the_end(scheme, 800)
        order = 2 if scheme == "GRL2" else 1
        assert fine + (fine - coarse) / (2**order - 1) == pytest.approx(exact, abs=2e-4)


def test_what_takes_an_exponential_step():
    """Lightweight Rush-Larsen: TT06's m alone, the only stiff state (thesis, 3.4.1)."""
    assert step(shipped(TT06), "FE").exponential == ()
    assert step(shipped(TT06), "LRL").exponential == ("cell.m",)
    assert step(shipped("courtemanche_1998"), "LRL").exponential == ("sodium.m",)
    assert len(step(shipped(TT06), "GRL1").exponential) == 19
    assert step(shipped("mitchell_schaeffer_2003"), "LRL").exponential == ()


def by_step(rows: list[Row], scheme: str) -> dict[float, Row]:
    return {row.dt: row for row in rows if row.scheme == scheme}


def test_ten_tusscher_converges_as_the_thesis_says():
    """Table 3.2: at 2⁻⁵ to 2⁻⁷ ms 4.54, 2.27, 1.13 % for LRL and no stable FE. Its cell is endocardial and its stimulus
    not told, so a quarter more or less."""
    rows = convergence(shipped(TT06), ("FE", "LRL"), (2**-5, 2**-6, 2**-7), reference=2.0**-11)
    for dt, published in zip((2**-5, 2**-6, 2**-7), (0.0454, 0.0227, 0.0113), strict=True):
        assert not by_step(rows, "FE")[dt].stable
        assert by_step(rows, "LRL")[dt].error == pytest.approx(published, rel=0.25)
    assert by_step(rows, "LRL")[2**-7].rate == pytest.approx(1.0, abs=0.05)


@pytest.mark.slow
def test_table_3_2():
    """All of it. Stable where the table has an entry at 2⁻³ ms and below; errors within 30 % of its own down to 2⁻⁹,
    from where on its reference's own error counts; first order to 1 %, GRL2 second to 5 %."""
    thesis = {
        "FE": {9: 0.23},
        "LRL": {3: 18.50, 4: 9.07, 5: 4.54, 6: 2.27, 7: 1.13, 8: 0.56, 9: 0.28},
        "RL": {3: 21.63, 4: 10.53, 5: 5.18, 6: 2.57, 7: 1.27, 8: 0.63, 9: 0.31},
        "GRL1": {3: 18.35, 4: 9.69, 5: 4.95, 6: 2.49, 7: 1.25, 8: 0.62, 9: 0.31},
    }
    rows = convergence(shipped(TT06))
    for scheme, errors in thesis.items():
        found = by_step(rows, scheme)
        assert [k for k in range(3, 10) if found[2.0**-k].stable] == sorted(errors)
        for k, error in errors.items():
            assert found[2.0**-k].error == pytest.approx(error / 100, rel=0.3)
        assert found[2.0**-11].rate == pytest.approx(1.0, abs=0.01)
    assert by_step(rows, "GRL2")[2.0**-9].rate == pytest.approx(2.0, abs=0.1)


def test_errors_and_stability():
    wanted = np.array([3.0, 4.0])
    assert rrms(np.array([3.0, 4.5]), wanted) == pytest.approx(0.1)
    assert is_stable(wanted + 50, wanted)
    assert not is_stable(np.array([3.0, np.nan]), wanted)
    assert not is_stable(wanted + 500, wanted)
