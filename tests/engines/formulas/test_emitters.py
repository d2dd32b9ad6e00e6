"""CUDA and Numba, written from a graph, against NumPy's value of it: on random formulas, in both precisions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, seed, settings
from hypothesis import strategies as st
from numba import njit, types
from numba.core.cgutils import get_item_pointer
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from engines.backend.precision import REAL
from engines.formulas import emit_scalar
from engines.formulas.emit_cuda import rows_source
from engines.formulas.emit_numba import rows_function
from engines.formulas.emit_numpy import Program, evaluate
from engines.formulas.graph import OPERATIONS, Node, const, make, ordered, symbol
from engines.formulas.parse import parse
from engines.formulas.passes.sharing import share_exponentials
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rounding import bounds
from engines.formulas.rules import simplify
from engines.stencil.equations.language import NUMBERS
from tests.compiled import known_architectures, resources_of
from tests.cuda_on_host.loader import COMPILER, compile_for_host
from tests.engines.formulas.conftest import LANGUAGE, NAMES, numbers

N = 64
rng = np.random.default_rng(5)
EDGES = np.array([[0.0, 1.0, -1.0, 2.0], [0.0, 1.0, -1.0, 2.0], [1.0, 2.0, 0.0, 2.0]])
VALUES = np.concatenate([rng.uniform(-3.0, 3.0, (3, N - 4)), EDGES], axis=1)
A, B, C = (symbol(name) for name in NAMES)
HALF = make("exp", make("mul", const(0.5), A))
EVERY = [
    *(
        make(op, A)
        for op in ("neg", "exp", "log", "sqrt", "log10", "sinh", "cosh", "tanh", "sin", "cos", "tan", "atan")
    ),
    make("abs", A),
    make("floor", A),
    *(make(op, A, B) for op in ("add", "sub", "mul", "div", "pow", "min", "max")),
    make("goldman", A, make("exp", A)),
    make("goldman_slope", A, make("exp", A)),
    make("growth", A, HALF),
    make("expm1", A, HALF),
    *(make("select", make(op, A, B), A, C) for op in ("lt", "le", "eq")),
    *(make("select", make(op, make("lt", A, B), make("lt", B, C)), A, C) for op in ("and", "or")),
    make("select", make("not", make("lt", A, B)), A, C),
]
"""Each operation by itself."""


def by_numba(roots: list[Node], values: np.ndarray) -> np.ndarray:
    found = np.full((len(roots), values.shape[1]), np.nan, values.dtype)
    rows_function(roots, NAMES)(values, found)
    return found


def by_cuda(roots: list[Node], values: np.ndarray) -> np.ndarray:
    module = compile_for_host(rows_source(roots, NAMES), (REAL[values.dtype.name],))
    found = np.full((len(roots), values.shape[1]), np.nan, values.dtype)
    n = values.shape[1]
    module.get_function("formula_rows")((-(-n // 32),), (32,), (np.ascontiguousarray(values), found, np.int64(n)))
    return found


def by_numpy(roots: list[Node], values: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.array(Program(roots)(dict(zip(NAMES, values, strict=True))))


EMITTERS = [by_numba, pytest.param(by_cuda, marks=pytest.mark.skipif(COMPILER is None, reason="no C++ compiler"))]


def certain(roots: list[Node], values: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(lowest, highest, known) of each root: known where nothing that it needs may be infinite or no number."""
    nodes = ordered(roots)
    sides: dict[Node, np.ndarray] = {}
    known: dict[Node, np.ndarray] = {}
    for node, found in zip(nodes, bounds(nodes, values), strict=True):
        sides[node] = np.array([np.broadcast_to(side, N).astype(float) for side in found])
        known[node] = (np.abs(sides[node]) < 1e30).all(axis=0) & np.logical_and.reduce(
            [np.ones(N, bool), *(known[arg] for arg in node.args)]
        )
    low, high = np.array([sides[root] for root in roots]).transpose(1, 0, 2)
    return low, high, np.array([known[root] for root in roots])


def check(roots: list[Node], precision: str, emitted) -> float:
    """In float32 the value lies in the bounds of float32 arithmetic. In float64 it is NumPy's to the width of those
    bounds times 2^-29, by which a rounding is smaller, and 8 for what is not linear in it. The share of values that the
    bounds say anything of."""
    values = VALUES.astype(precision)
    given_values = {name: row.astype(float) for name, row in zip(NAMES, values, strict=True)}
    found = emitted(roots, values).astype(float)
    low, high, known = certain(roots, given_values)
    wanted = np.array([np.broadcast_to(row, N) for row in evaluate(roots, given_values)])
    if precision == "float64":
        slack = 8 * 2.0**-29 * np.where(known, high - low, 0.0)
        low, high = wanted - slack, wanted + slack
    bad = known & ~((low <= found) & (found <= high))
    row, column = np.argwhere(bad)[0] if bad.any() else (0, 0)
    assert not bad.any(), (row, VALUES[:, column], found[row, column], wanted[row, column])
    return float(known.mean())


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("emitted", EMITTERS)
def test_every_operation_is_that_of_numpy(emitted, precision):
    used = {node.op for root in EVERY for node in (root, *root.args)}
    assert used >= set(OPERATIONS)
    assert check(EVERY, precision, emitted) > 0.8


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("emitted", EMITTERS)
def test_what_is_infinite_is_so_everywhere(emitted, precision):
    """On a CPU an exponential ended at the largest number, and log(0) was none: another answer than a GPU's."""
    roots = [make("exp", A), make("log", A), make("min", make("log", A), const(0.5))]
    row = np.resize([0.0, np.inf, -np.inf, np.nan, 1e4, -1.0, 1.0, 30.0], N)
    values = np.array([row] * 3, precision)
    with np.errstate(all="ignore"):
        wanted = np.array([np.exp(row), np.log(row), np.minimum(np.log(row), 0.5)])
    np.testing.assert_allclose(emitted(roots, values), wanted, rtol=1e-6, atol=1e-37)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("emitted", [by_numpy, *EMITTERS])
def test_what_is_left_lies_from_0_to_below_what_was_divided_by(emitted, precision):
    """Also where rounding would leave it a little below 0, of which a root or a logarithm is no number."""
    a, b = (grid.ravel() for grid in np.meshgrid(np.arange(-160, 161) * 0.1, [0.1, 0.3, 0.7, 3.0, -0.7, -0.1]))
    count = len(a) // N * N
    values = np.array([a, b, b])[:, :count].astype(precision)
    (found,) = emitted([NUMBERS["mod"].build(A, B)], np.ascontiguousarray(values))
    a, b = values[:2].astype(float)
    assert ((found * np.sign(b) >= 0) & (np.abs(found) < np.abs(b))).all()
    turns = (a - found) / b  # whole ones
    assert np.abs(turns - np.round(turns)).max() < (1e-4 if precision == "float32" else 1e-12)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("emitted", [by_numpy, *EMITTERS])
def test_whole_powers_of_what_is_negative_are_numbers(emitted, precision):
    """Of so many factors that they go by a logarithm, and of exponents that are not known before."""
    exponents = (-21, -20, 16, 17, 18, 25, 40)
    roots = simplify([*(make("pow", A, const(n)) for n in exponents), make("pow", A, B), make("pow", const(-1.5), B)])
    b = np.resize([-3.0, -2.0, 0.0, 1.0, 2.0, 5.0, 18.0, 19.0, 0.5], N)
    values = np.array([np.linspace(-2.0, 1.9, N), b, b], precision)
    a = values[0].astype(float)
    with np.errstate(all="ignore"):
        wanted = np.array([*(a ** float(n) for n in exponents), a**b, (-1.5) ** b])
    assert np.isnan(wanted[-2:]).any(axis=1).all()
    np.testing.assert_allclose(
        emitted(roots, values), wanted, rtol=1e-4 if precision == "float32" else 1e-12, atol=1e-37
    )


FORMULAS = st.lists(numbers().map(lambda text: parse(text, LANGUAGE)), min_size=25, max_size=25)
QUICK = {"deadline": None, "phases": [Phase.generate], "suppress_health_check": list(HealthCheck), "database": None}
"""A kernel takes a second to compile: few examples of many formulas, and none made smaller."""


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("emitted", EMITTERS)
@seed(1)
@given(roots=FORMULAS)
@settings(max_examples=2, **QUICK)
def test_random_formulas_are_numpys(emitted, precision, roots):
    assert check(roots, precision, emitted) > 0.2


def by_scalars(roots: list[Node], values: np.ndarray) -> np.ndarray:
    @intrinsic
    def write(typingctx, inputs, outputs, column):
        def codegen(context, builder, signature, args):
            def at(which, row):
                kind = signature.args[which]
                place = context.get_constant(types.intp, row), args[2]
                return get_item_pointer(context, builder, kind, make_array(kind)(context, builder, args[which]), place)

            symbols = {name: builder.load(at(0, row)) for row, name in enumerate(NAMES)}
            for row, root in enumerate(roots):
                builder.store(emit_scalar.instructions(context, builder, root, symbols), at(1, row))
            return context.get_dummy_value()

        return types.void(inputs, outputs, types.intp), codegen

    @njit
    def rows(inputs, outputs):
        for column in range(inputs.shape[1]):
            write(inputs, outputs, column)

    found = np.full((len(roots), values.shape[1]), np.nan)
    rows(values, found)
    return found


def test_every_operation_on_numbers_is_that_of_numpy():
    singular = ("goldman", "goldman_slope", "growth", "expm1")
    assert check([root for root in EVERY if root.op not in singular], "float64", by_scalars) > 0.8


@seed(1)
@given(roots=FORMULAS)
@settings(max_examples=2, **QUICK)
def test_random_formulas_on_numbers_are_numpys(roots):
    assert check(roots, "float64", by_scalars) > 0.2


def test_what_only_one_case_needs_is_worked_out_there():
    """An argument that both cases need, or the condition does, is worked out before; a case in a case stays there."""
    shared, own = make("exp", A), make("exp", B)
    inner = make("select", make("lt", B, C), make("log", own), C)
    root = make("select", make("lt", shared, C), make("add", inner, shared), make("mul", shared, A))
    sides = emit_scalar._sides(root)
    assert sides[shared] is sides[A] is sides[C] is None
    assert sides[inner] == sides[B] == (root, 1)
    assert sides[own] == (inner, 1)
    assert [sides[arg] for arg in root.args] == [None, (root, 1), (root, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("emitted", EMITTERS)
@given(roots=FORMULAS)
@settings(max_examples=10, **QUICK)
def test_random_formulas_are_numpys_for_long(emitted, precision, roots):
    check(roots, precision, emitted)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_every_operation_compiles_for_a_gpu(tmp_path, precision):
    known = known_architectures()
    path = tmp_path / "rows.cu"
    path.write_text(rows_source(EVERY, NAMES), "utf-8")
    compiled = resources_of(path, (REAL[precision],), min(known))
    assert "formula_rows" in [each.kernel for each in compiled]  # a sine has a function beside it


def optimised(root: Node) -> Node:
    clean = remove_singularities(simplify([root]))
    return share_exponentials(clean, dict.fromkeys(NAMES, 3.0))[0]


@given(numbers())
@example("2 - b + 1e-3 + 1e-3")
@settings(max_examples=200)
def test_passes_keep_the_value_of_any_formula(text):
    """To the width of both graphs' bounds in float32 times 2^-29 and 8, and to a rounding of the largest value on the
    way, which numbers that are added up beforehand have and the bounds do not know of; where the passes' own
    conditions hold: what is under a power or a logarithm is positive."""
    root = parse(text, LANGUAGE)
    values = {name: np.abs(row) + 0.1 for name, row in zip(NAMES, VALUES, strict=True)}
    rewritten = optimised(root)
    wanted, found = (np.broadcast_to(evaluate([each], values)[0], N) for each in (root, rewritten))
    low, high, known = certain([root, rewritten], values)
    width, known = (high - low).sum(axis=0), known.all(axis=0)
    on_the_way = [np.broadcast_to(each, N) for each in evaluate(ordered([root, rewritten]), values)]
    slack = 8 * 2.0**-29 * width + 2.0**-52 * np.abs(on_the_way).max(axis=0)
    assert (np.abs(found[known] - wanted[known]) <= slack[known]).all(), text


def test_a_program_takes_whatever_has_arithmetic():
    program = Program([parse("2 * a ** 2 - 1", LANGUAGE), parse("3", LANGUAGE)])
    assert program({"a": 3.0}) == [17.0, 3.0]
    assert np.array_equal(program({"a": np.arange(3.0)})[0], [-1.0, 1.0, 7.0])
    assert Program([parse("log(a)", LANGUAGE)])({"a": np.zeros(1)})[0] == -np.inf
