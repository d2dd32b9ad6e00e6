"""Plain C of TT06, and the table that compares a core's time with it."""

import shutil

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.backend import open_backend
from engines.cardiac.compiler.model import shipped
from engines.cardiac.lab.cells import single_core
from engines.cardiac.lab.cells.plain_c import MODEL, c_source, compiled, start_states
from engines.formulas.emit_numpy import evaluate

pytest.importorskip("myokit")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@needs_compiler
def test_plain_c_has_the_rates_of_the_model():
    """A step of 1 ms adds the rates of the compiler's graph, to round-off of sums of some ten terms."""
    model = shipped(MODEL)
    start = np.array(start_states())
    np.testing.assert_allclose(start, [state.initial for state in model.states], rtol=1e-15)
    states = start * np.random.default_rng(2).uniform(0.8, 1.2, (5, len(start)))
    after = states.copy()
    compiled(c_source(), ("-O1",))(after, 1.0)
    symbols = {state.name: states[:, k] for k, state in enumerate(model.states)}
    rates = np.stack([np.broadcast_to(rate, 5) for rate in evaluate(model.rates, symbols)], axis=1)
    np.testing.assert_allclose(after, states + rates, rtol=1e-10, atol=1e-10)


class Tiny(single_core.SingleCoreTable):
    cells = 64


@needs_compiler
def test_the_table_compares_with_plain_c(monkeypatch):
    monkeypatch.setattr(single_core, "OPTIONS", {"Plain C, -O0": ("-O0",)})
    (_, ours, nothing), (_, plain, faster) = Tiny().measure(open_backend("cpu"))
    assert nothing is None
    assert faster == pytest.approx(plain / ours)


def test_without_a_compiler_the_rows_are_empty(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ProblemError, match="no C compiler"):
        compiled("", ())
    rows = Tiny().measure(open_backend("cpu"))
    assert [row[1:] for row in rows[1:]] == [(None, None)] * len(single_core.OPTIONS)
