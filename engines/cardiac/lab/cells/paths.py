"""TT06 along one path of its code, and the instructions of its compiled kernels: thesis, algorithm 3.

The paths: endocardial cells (1) or others (2), whose gate s differs, and voltages from −40 mV on (a) or below (b).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from engines.api.errors import DeviceError
from engines.backend.compile.nvrtc import compile_cubin
from engines.backend.precision import REAL
from engines.cardiac.compiler.cuda_kernel import kernel_file
from engines.cardiac.compiler.model import CellModel, shipped
from engines.cardiac.compiler.report import ARCHITECTURE
from engines.cardiac.compiler.schemes import Scheme, Step, step
from engines.formulas.graph import Node, const, make, rebuild, symbol
from engines.formulas.machine import Counted, count_machine_code

MODEL = "ten_tusscher_panfilov_2006"
VOLTAGE, GATE = "cell.V", "cell.s"
ENDO_G_TO = 0.073
"""Of the transient outward current in endocardial cells [nS/pF]."""
CellTypeName = Literal["endo", "epi"]


@lru_cache(maxsize=8)
def tt06(cell_type: CellTypeName = "epi") -> CellModel:
    """The shipped model, or its endocardial form."""
    model = shipped(MODEL)
    rates = model.rates
    if cell_type == "endo":
        parameters = tuple(
            replace(each, value=ENDO_G_TO) if each.name == "constants.g_to" else each for each in model.parameters
        )
        model = replace(model, title="ten Tusscher-Panfilov 2006 (endo)", parameters=parameters).open(())
        gate = [state.name for state in model.states].index(GATE)
        rates = (*model.rates[:gate], _endocardial_gate(), *model.rates[gate + 1 :])
    return replace(model, rates=rates, parameters=(), open_rates=())


def along(roots: Sequence[Node], below: bool) -> tuple[Node, ...]:
    """Expressions of the model for voltages below −40 mV alone, or for the others alone."""

    def chosen(op: str, *args: Node) -> Node:
        # every choice of the model is by V < −40 mV
        return args[1 if below else 2] if op == "select" else make(op, *args)

    return tuple(rebuild(roots, chosen))


def _endocardial_gate() -> Node:
    """ds/dt of endocardial cells (ten Tusscher et al. 2004)."""

    def shifted(by: float) -> Node:
        return make("add", symbol(VOLTAGE), const(by))

    limit = make("div", const(1.0), make("add", const(1.0), make("exp", make("div", shifted(28.0), const(5.0)))))
    square = make("mul", shifted(67.0), shifted(67.0))
    bell = make("exp", make("div", make("neg", square), const(1000.0)))
    tau = make("add", make("mul", const(1000.0), bell), const(8.0))
    return make("div", make("sub", limit, symbol(GATE)), tau)


@lru_cache(maxsize=32)
def path_step(cell_type: CellTypeName, below: bool | None, scheme: Scheme, optimise: bool) -> Step:
    """A float64 step, as the model has it (whole powers as products, as generators write) or optimised; ``below``: its
    path for voltages below −40 mV, or for the others (None: both, chosen by the voltage)."""
    made = step(tt06(cell_type), scheme, "float64", optimise)
    after = made.after if optimise else tuple(rebuild(made.after, _without_powers))
    return replace(made, after=after if below is None else along(after, below))


def _without_powers(op: str, *args: Node) -> Node:
    if op == "pow" and args[1].op == "const" and args[1].number in (2.0, 3.0, 4.0):
        square = make("mul", args[0], args[0])
        return {2.0: square, 3.0: make("mul", square, args[0]), 4.0: make("mul", square, square)}[args[1].number]
    return make(op, *args)


@dataclass(frozen=True)
class MachineCode:
    counted: Counted
    registers: int


def machine_code(compiled: Step) -> MachineCode | None:
    """Instructions in the kernel's machine code for sm_90 and its registers; None where NVRTC cannot be had."""
    macros = (REAL[compiled.precision],)
    try:
        made = compile_cubin(kernel_file(compiled), macros, ARCHITECTURE)
    except (DeviceError, ImportError):
        return None
    (used,) = (kernel for kernel in made.resources if kernel.kernel == "react")
    return MachineCode(count_machine_code(made.cubin, compiled.precision), used.registers)
