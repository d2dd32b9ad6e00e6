"""Cases whose answer is known: what ``workbench verify`` runs, so that a person can check an installation.

A case solves one problem as a user would and sets each figure that it reads beside an answer that this code did not
make: a formula, a published table, another program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.api.device import Backend


@dataclass(frozen=True)
class Answer:
    """One figure of a case, beside what it should be: right where ``|value − expected| ≤ tolerance``.

    ``peer``: what another program gives for the same, with its name and version ("PyBaMM 25.8: 3.7302 V").
    """

    name: str
    value: float
    expected: float
    tolerance: float
    unit: str = ""
    peer: str = ""

    @property
    def right(self) -> bool:
        return abs(self.value - self.expected) <= self.tolerance  # NaN is not


@dataclass(frozen=True)
class VerificationCase:
    """``id`` in dashes, unique in its engine; ``source`` says where the expected answers come from and why the
    tolerance is what it is; ``seconds`` is about what it takes on two cores.

    ``measure`` runs the case on a backend. It raises what a run raises.
    """

    id: str
    title: str
    source: str
    seconds: float
    measure: Callable[[Backend], Sequence[Answer]]
