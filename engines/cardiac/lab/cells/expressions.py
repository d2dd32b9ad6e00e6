"""Tables 5.1, 5.2 and 5.3: instructions of the cell model by code path, by pass, and of its exponentials."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import get_args

import numpy as np

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.lab import Column, LabTable, Row
from engines.cardiac.compiler.relaxation import random_states
from engines.cardiac.compiler.schemes import LARGEST_VOLTAGE, LONGEST_POWER, STEP, STIMULUS, TYPICAL_STEP, Scheme
from engines.cardiac.lab.cells.paths import VOLTAGE, CellTypeName, machine_code, path_step
from engines.cardiac.lab.published import published
from engines.formulas.counts import count
from engines.formulas.graph import Node
from engines.formulas.passes.chains import Cost, plan
from engines.formulas.passes.quotients import merge_quotients, share_reciprocals
from engines.formulas.passes.sharing import share_exponentials
from engines.formulas.passes.singularities import remove_singularities
from engines.formulas.rules import simplify

SCHEME: Scheme = "LRL"
DIVISORS = (-5, 5, -6, -7, 7, -10, 10, 13, -14, 15, -20, 20, 24, 200, Fraction(-15, 2))
"""Of V in the exponentials of eq. 5.23. The code listed there does not compute the 13."""


class PathInstructionsTable(LabTable):
    id = "path-instructions"
    title = "Instructions of TT06 by code path"
    summary = (
        "float64 instructions of a lightweight Rush-Larsen step along each path: generated code, as the model's file "
        "has it, and what our compiler leaves of it (the work optimised by hand), both with the short exponentials "
        "and quotients of our kernels. Counted in the machine code for sm_90, where the work counted what was "
        "executed. The static count is by published costs, and all that there is without NVRTC."
    )
    columns = (
        Column("Code", result=False),
        Column("Path", result=False),
        Column("Cells", result=False),
        Column("Voltage", "mV", result=False),
        Column("ADD"),
        Column("MUL"),
        Column("FMA"),
        Column("Total"),
        Column("Static count"),
    )
    published = published("table 5.1", "table 5.2")

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        rows: list[Row] = []
        titles = {"endo": ("1", "endo"), "epi": ("2", "epi/M")}
        for code in ("generated", "optimised"):
            for cell_type in get_args(CellTypeName):
                number, cells = titles[cell_type]
                for below, path, voltage in ((False, "a", "V ≥ −40"), (True, "b", "V < −40")):
                    progress(f"Compiling path {number} and {path}, {code}", len(rows) / 8)
                    compiled = path_step(cell_type, below, SCHEME, code == "optimised")
                    made = machine_code(compiled)
                    of = made and made.counted
                    counts = (of.add, of.mul, of.fma, of.total) if of else (None,) * 4
                    name = (code, f"{number} and {path}", cells, voltage)
                    rows.append((*name, *counts, count(compiled.after).total))
        return rows


class PassTable(LabTable):
    id = "passes"
    title = "Instructions of TT06 after each pass of the compiler"
    summary = (
        "Static counts, by published costs of each operation, of a lightweight Rush-Larsen step in "
        "float64, epicardial, both sides of each choice. Each pass works on what the one before left; the last row "
        "has them in the compiler's own order."
    )
    columns = (
        Column("After", result=False),
        Column("ADD"),
        Column("MUL"),
        Column("FMA"),
        Column("Total"),
        Column("Exponentials"),
        Column("Divisions"),
        Column("Saved", "%", digits=3),
    )

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        rows: list[Row] = []
        first = 0
        for title, roots in _passes(progress):
            found = count(roots)
            first = first or found.total
            saved = 100 * (1 - found.total / first)
            rows.append(
                (title, found.add, found.mul, found.fma, found.total, found.exponentials, found.divisions, saved)
            )
        return rows


def _passes(progress: Progress) -> list[tuple[str, tuple[Node, ...]]]:
    """What each pass leaves of a step."""
    plain = path_step("epi", None, SCHEME, False)
    offset = dict(zip([state.name for state in plain.model.states], plain.offsets, strict=True))
    samples = {name: values - offset[name] for name, values in random_states(plain.model).items()}
    samples |= {STEP: np.asarray(TYPICAL_STEP), STIMULUS: np.asarray(0.0)}
    found, largest = [("The model's file", plain.after)], {VOLTAGE: LARGEST_VOLTAGE}
    for title, work in (
        ("Constants folded, powers and quotients by constants as products", simplify),
        ("Singularities removed", remove_singularities),
        ("Exponentials shared", lambda r: share_exponentials(r, largest, None, LONGEST_POWER["float64"])),
        ("Quotients merged", lambda r: merge_quotients(r, samples)),
        ("Divisions by one reciprocal", lambda r: share_reciprocals(r, samples)),
    ):
        progress(title, len(found) / 7)
        found.append((title, tuple(work(found[-1][1]))))
    progress("All passes", 6 / 7)
    return [*found, ("All, in the compiler's order", path_step("epi", None, SCHEME, True).after)]


class ExponentialsTable(LabTable):
    id = "exponentials"
    title = "Cost of the exponentials of multiples of V"
    summary = (
        "float64 instructions of the 15 exponentials exp(V/c) of eq. 5.23. Action 1 is an exponential, 2 and 3 a "
        "reciprocal, 4 a product. Ours is what the compiler's search finds. The published code does not compute "
        "exp(V/13); ours does, by an exponential of its own."
    )
    columns = (
        Column("Action", result=False),
        Column("Cost of one"),
        Column("Unoptimised"),
        Column("Cost, unoptimised"),
        Column("Optimised"),
        Column("Cost, optimised"),
    )
    published = published("table 5.3")

    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        progress("Looking for the cheapest products", 0.0)
        exponents = [1 / Fraction(divisor) for divisor in DIVISORS]
        family = [exponent for exponent in exponents if exponent.denominator % 13]
        unit = lcm(*(exponent.denominator for exponent in family))
        found, cost = plan([int(exponent * unit) for exponent in family]), Cost()
        alone = len(exponents) - len(family)
        taken = (
            ("Action 1", cost.exponential, len(exponents), len(found.exponentials) + alone),
            ("Action 2/3", cost.division, 0, len(found.reciprocals)),
            ("Action 4", cost.product, 0, len(found.products)),
        )
        total = ("Total", None, None, taken[0][1] * taken[0][2], None, sum(one * n for _, one, _, n in taken))
        return [*((name, one, before, one * before, n, one * n) for name, one, before, n in taken), total]
