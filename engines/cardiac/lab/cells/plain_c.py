"""Plain C of a cell model, as generators write it: Myokit's expressions one by one, in a loop over cells.

Nothing is rewritten: what the compiler of the system finds is all that is saved. It is what a kernel of ours is
compared with, in time (:mod:`engines.cardiac.lab.cells.single_core`) and, in the tests, in value.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engines.api import Array
from engines.api.errors import ProblemError
from engines.cardiac.compiler.importing import read
from engines.cardiac.compiler.model import MODELS

MODEL = "ten_tusscher_panfilov_2006"
COMPILERS = ("cc", "gcc", "clang")

_FRAME = """\
#include <math.h>

/* Forward Euler: a step of dt [ms] of n cells, each with its {count} states together. */
void advance(double *states, long n, double dt)
{{
{constants}
    for (long i = 0; i < n; i++) {{
        double *state = states + {count} * i;
{loads}
{equations}
{stores}
    }}
}}
"""


def c_source(path: Path = MODELS / f"{MODEL}.mmt") -> str:
    """The C of a model file, with its stimulus at zero. Raises ProblemError where Myokit is not installed."""
    model = read(path)
    import myokit.formats

    writer = myokit.formats.ewriter("ansic")
    writer.set_lhs_function(_name)
    states = list(model.states())
    constants: list[str] = []
    equations: list[str] = []
    for component in model.solvable_order().values():
        for equation in component:
            variable = equation.lhs.var()
            right = "0.0" if variable.binding() else writer.ex(equation.rhs)
            constant = variable.is_constant() or variable.binding()
            (constants if constant else equations).append(f"const double {_name(equation.lhs)} = {right};")
    return _FRAME.format(
        count=len(states),
        constants=_lines(constants, 4),
        loads=_lines([f"const double {_variable(v)} = state[{k}];" for k, v in enumerate(states)], 8),
        equations=_lines(equations, 8),
        stores=_lines([f"state[{k}] = {_variable(v)} + dt * d_{_variable(v)};" for k, v in enumerate(states)], 8),
    )


def _lines(lines: Sequence[str], indent: int) -> str:
    return "\n".join(" " * indent + line for line in lines)


def _variable(variable: Any) -> str:
    """A name of letters, digits and underscores that nothing else in the file has."""
    return "x_" + str(variable.qname()).replace(".", "_")


def _name(lhs: Any) -> str:
    return ("d_" if lhs.is_derivative() else "") + _variable(lhs.var())


def start_states(path: Path = MODELS / f"{MODEL}.mmt") -> list[float]:
    """The states at rest in the order of the file. Raises ProblemError where Myokit is not installed."""
    return [float(value) for value in read(path).initial_values(as_floats=True)]


def compiled(source: str, options: Sequence[str]) -> Callable[[Array, float], None]:
    """``advance(states, dt)``, states: (n, count) float64 C-contiguous. Raises ProblemError without a C compiler."""
    compiler = next((found for name in COMPILERS if (found := shutil.which(name))), None)
    if compiler is None:
        raise ProblemError("There is no C compiler: install gcc or clang to compare with plain C.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        text, library = Path(folder, "cell.c"), Path(folder, "cell.so")
        text.write_text(source, "utf-8")
        command = [compiler, *options, "-shared", "-fPIC", "-o", str(library), str(text), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ProblemError(f"{compiler} cannot compile the cell model: {done.stderr.strip()[:200]}")
        loaded = ctypes.CDLL(str(library))
    function = loaded.advance
    function.argtypes = (ctypes.c_void_p, ctypes.c_long, ctypes.c_double)
    function.restype = None

    def advance(states: Array, dt: float) -> None:
        function(states.ctypes.data, len(states), dt)

    return advance
