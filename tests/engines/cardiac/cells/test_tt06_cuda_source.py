"""``tt06.cu`` without a GPU: float means float, its constants are those of the CPU's code, its flops are counted."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from engines.backend.compile.source import compile_options
from engines.backend.compile.variants import declared
from engines.backend.precision import REAL
from engines.cardiac.cells import constants, cuda, simd, tt06_tissue
from tests.compiled import resources_of

cupy = pytest.importorskip("cupy", reason="the CUDA compiler is not installed", exc_type=ImportError)


@pytest.mark.parametrize("macros", declared(cuda.SOURCE.read_text("utf-8")).variants, ids=" ".join)
@pytest.mark.parametrize("architecture", [75, 90, 120])
def test_registers_leave_room_for_two_blocks(macros, architecture):
    """At most 128 registers a thread: 512 threads on every multiprocessor. (Spills: ``test_kernels_compile.py``.)

    Groups in double are given all: the loop over them keeps constants in registers."""
    (kernel,) = resources_of(cuda.SOURCE, macros, architecture)
    assert 0 < kernel.registers <= (255 if {"-DGROUPS", "-DREAL=double"} <= {*macros} else 128)


def instructions(macros: tuple[str, ...]) -> str:
    """The PTX without the declarations of constants, which are double in the header and folded."""
    nvrtc = cupy.cuda.nvrtc
    program = nvrtc.createProgram(cuda.SOURCE.read_text("utf-8"), "tt06.cu", [], [])
    nvrtc.compileProgram(program, [*compile_options(macros), "-ftz=true", "-arch=compute_80"])
    text = nvrtc.getPTX(program).decode()
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(".global"))


def test_the_float_variant_has_no_double_arithmetic():
    """A literal without R() would promote an expression to double, at 1/32 to 1/64 of the speed on most cards."""
    single, double = (REAL["float32"],), (REAL["float64"],)
    assert ".f64" not in instructions(single)
    assert ".f64" not in instructions((*single, ALL_VARY))
    assert "fma.rn.f64" in instructions(double)


def test_the_constants_are_those_of_the_python_module():
    assert constants.HEADER.read_text("utf-8") == constants.header()


ALL_VARY = f"-DVARIED={(1 << len(constants.VARYING)) - 1:#x}u"


def test_variants_that_are_checked_are_those_that_are_launched():
    """The kernel with every constant from the table stands for those with some."""
    known = declared(cuda.SOURCE.read_text("utf-8"))
    launched = tuple((real,) for real in REAL.values())
    launched += tuple((*macros, ALL_VARY) for macros in launched)
    assert known.variants == launched + tuple((*macros, "-DGROUPS") for macros in launched)
    assert known.allows((REAL["float32"], "-DVARIED=0x81u"))
    assert known.allows((REAL["float32"], "-DVARIED=0x81u", "-DGROUPS"))
    assert not known.allows((REAL["float32"], "-DVARIES=0x81u"))


FREE = ("any_lane", "all_lanes", "select", "splat", "load_row", "store_row", "Powers")
COST = {"exp": 15, "log": 15, "sqrt": 1} | dict.fromkeys(FREE, 0)


def flops(name: str, functions: dict[str, ast.FunctionDef]) -> int:
    """Operations on vectors in the source of one function, calls included; products of numbers are folded."""

    def number(node: ast.expr) -> bool:
        return all(node.id == "c" for node in ast.walk(node) if isinstance(node, ast.Name))

    total = 0
    for node in (n for line in functions[name].body for n in ast.walk(line)):
        if isinstance(node, ast.BinOp) and not number(node):
            total += 1
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            total += COST[node.func.id] if node.func.id in COST else flops(node.func.id, functions)
    return total


def test_counted_flops():
    """FLOPS_PER_CELL is what the code does: counted from its syntax, both sides of -40 mV less the untaken one."""
    tree = ast.parse(Path(simd.__file__).read_text("utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    above = 2 * 15 + 10  # two exponentials and ten operations of the branch that cells at rest do not take
    assert flops("step_vector", functions) - above == pytest.approx(tt06_tissue.FLOPS_PER_CELL, rel=0.02)
