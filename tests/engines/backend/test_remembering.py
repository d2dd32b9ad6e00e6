"""What is remembered while kernels compile is what Numba finds itself, and no more of it than hangs on types alone."""

import operator

import llvmlite.binding as llvm
import numpy as np
import pytest
from numba import njit, prange
from numba.core import ir, types
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import run_frontend
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target
from numba.extending import overload

import engines.backend.threads  # noqa: F401  # which who compiles imports
from engines.backend.compile.remembering import remember

SCALARS = (types.float32, types.float64, types.int32, types.int64, types.uint8, types.boolean)
VALUES = types.Array(types.float32, 2, "C")


def function(operation):
    return cpu_target.typing_context.resolve_value_type(operation)


@pytest.fixture(autouse=True)
def declared():
    cpu_target.typing_context.refresh()


def test_remembering_again_changes_nothing():
    find, variables = types.BaseFunction.get_call_type, ir.Assign.list_vars
    remember()
    assert types.BaseFunction.get_call_type is find
    assert ir.Assign.list_vars is variables


@pytest.mark.parametrize("operation", [operator.add, operator.mul, operator.truediv, operator.lt, operator.getitem])
def test_operations_have_the_types_that_numba_finds(operation):
    context, found = cpu_target.typing_context, function(operation)
    pairs = [(VALUES, types.UniTuple(types.int64, 2)), (VALUES, types.int64)]
    if operation is not operator.getitem:
        pairs = [(a, b) for a in (*SCALARS, VALUES) for b in (*SCALARS, types.literal(3))]
    for pair in pairs:
        own = types.BaseFunction.get_call_type.__wrapped__(found, context, pair, {})
        assert found.get_call_type(context, pair, {}) == found.get_call_type(context, pair, {}) == own


def test_what_does_not_fit_stays_an_error():
    for _ in range(2):
        with pytest.raises(Exception, match="No implementation"):
            function(operator.mul).get_call_type(cpu_target.typing_context, (VALUES, types.unicode_type), {})


def test_rules_that_are_added_later_hold():
    class Money:
        pass

    def spend(x):
        raise NotImplementedError

    kernel = njit(lambda x: spend(x))
    with pytest.raises(Exception, match="spend"):
        kernel(1.0)
    overload(spend)(lambda x: lambda x: x - 1)
    assert njit(lambda x: spend(x))(1.0) == 0.0


def test_what_is_compiled_for_a_caller_has_the_callers_options():
    """Division by zero raises in the one and not in the other, by an overload that both call with the same types."""

    def share(x, y):
        raise NotImplementedError

    @overload(share)
    def typed(x, y):
        return lambda x, y: x / y

    first, then = (njit(error_model=model)(lambda x, y: share(x, y)) for model in ("python", "numpy"))
    with pytest.raises(ZeroDivisionError):
        first(1.0, 0.0)
    assert then(1.0, 0.0) == np.inf


def test_statements_have_the_variables_of_their_parts():
    def kernel(a, b, out):
        for i in prange(len(a)):
            pair = (a[i], b[i] if i > 2 else 0.0)
            out[i] = pair[0] * max(pair[1], 1.0)

    def parts(value):
        if isinstance(value, ir.Var):
            return [value]
        if isinstance(value, ir.Inst):
            return parts(value._kws if isinstance(value, ir.Expr) else vars(value))
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
        return [each for one in inside for each in parts(one)]

    statements = [each for block in run_frontend(kernel).blocks.values() for each in block.body]
    assert len(statements) > 20
    for statement in statements:
        assert statement.list_vars() == parts(statement)


@pytest.mark.parametrize(
    "kind",
    [
        types.boolean, types.float32, types.int64, types.Array(types.float32, 1, "C"), VALUES,
        types.UniTuple(VALUES, 2), types.Tuple((types.int8, types.float64)),
        types.Tuple((types.float64, types.int8, types.int8)),
    ],
)  # fmt: skip
def test_sizes_are_those_that_llvm_tells(kind):
    context = cpu_target.target_context
    value = context.get_value_type(kind)
    assert context.get_abi_sizeof(value) == CPUContext.get_abi_sizeof.__wrapped__(context, value)
    assert context.get_abi_sizeof(value) == value.get_abi_size(context.target_data)


MODULE = """
declare double @other(double)
define double @own(double %a) {
  %place = alloca double
  store double %a, ptr %place
  %b = load double, ptr %place
  %c = call double @other(double %b)
  ret double %c
}
"""


def test_passes_are_made_for_functions_that_are_there(monkeypatch):
    """And give the module that Numba's own give."""
    codegen, made = cpu_target.target_context.codegen(), []
    library = codegen.create_library("of a test")
    make = type(codegen)._function_pass_manager
    monkeypatch.setattr(type(codegen), "_function_pass_manager", lambda self: made.append(1) or make(self))
    ours, own = (llvm.parse_assembly(MODULE) for _ in range(2))
    library._optimize_functions(ours)
    assert len(made) == 1
    CPUCodeLibrary._optimize_functions.__wrapped__(library, own)
    assert len(made) == 3
    assert str(ours) == str(own)
    assert "alloca" not in str(ours)
