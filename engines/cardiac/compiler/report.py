"""What optimising a model saved, and what its kernel takes: the columns of the thesis' tables 3.3, 5.1 and 5.2.

NVRTC compiles for a GPU that need not be there.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.backend.compile.nvrtc import compile_cubin, compile_ptx
from engines.backend.precision import REAL
from engines.cardiac.compiler.cuda_kernel import kernel_file
from engines.cardiac.compiler.model import CellModel
from engines.cardiac.compiler.schemes import Scheme, Step, step
from engines.formulas.counts import Instructions, count
from engines.formulas.machine import Counted, count_machine_code, count_ptx

ARCHITECTURE = 90


@dataclass(frozen=True)
class Saving:
    """float64 instructions of one step of a cell, as its file has the equations and as the compiler leaves them.

    Static counts by the thesis' costs (:mod:`engines.formulas.counts`), both cases of every choice included;
    in both counts each variable is computed once and constants are folded.
    """

    model: str
    scheme: Scheme
    before: Instructions
    after: Instructions


def saving(model: CellModel, scheme: Scheme = "RL") -> Saving:
    before = step(model, scheme, optimise=False)
    return Saving(model.title, scheme, count(before.after), count(step(model, scheme).after))


@dataclass(frozen=True)
class MachineCounts:
    """A kernel as compiled for one architecture, beside the static counts of its graph.

    All paths of the code count, also those that a cell does not take: both sides of a logarithm's cases, and in the
    machine code the seldom taken path of a division, once. ``machine.other`` is empty.
    """

    model: str
    scheme: str
    precision: str
    static: Instructions
    ptx: Counted
    machine: Counted
    registers: int
    spilled: int


def machine_counts(compiled: Step, architecture: int = ARCHITECTURE) -> MachineCounts:
    """Compile a step's CUDA kernel and count. Raises DeviceError where NVRTC cannot be loaded."""
    path, macros = kernel_file(compiled), (REAL[compiled.precision],)
    made = compile_cubin(path, macros, architecture)
    (used,) = (kernel for kernel in made.resources if kernel.kernel == "react")
    return MachineCounts(
        compiled.model.title,
        compiled.scheme,
        compiled.precision,
        count(compiled.after),
        count_ptx(compile_ptx(path, macros, architecture), compiled.precision),
        count_machine_code(made.cubin, compiled.precision),
        used.registers,
        used.stack + used.spill_stores + used.spill_loads,
    )
