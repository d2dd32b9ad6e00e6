"""What the optimisation of a model saved: the columns of the thesis' tables 3.3, 5.1 and 5.2."""

from __future__ import annotations

from dataclasses import dataclass

from engines.cardiac.compiler.counts import Instructions, count
from engines.cardiac.compiler.model import CellModel
from engines.cardiac.compiler.schemes import Scheme, step


@dataclass(frozen=True)
class Saving:
    """float64 instructions of one step of a cell, as its file has the equations and as the compiler leaves them.

    Static counts by the thesis' costs (:mod:`engines.cardiac.compiler.counts`), both cases of every choice included;
    in both counts each variable is computed once and constants are folded.
    """

    model: str
    scheme: Scheme
    before: Instructions
    after: Instructions


def saving(model: CellModel, scheme: Scheme = "RL") -> Saving:
    before = step(model, scheme, optimise=False)
    return Saving(model.title, scheme, count(before.after), count(step(model, scheme).after))
