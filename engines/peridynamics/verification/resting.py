"""The balance of energy of a body that is pressed on a plane and slides on it, while damping slows it down."""

from __future__ import annotations

from collections.abc import Sequence

from engines.api.device import Backend
from engines.api.verification import Answer, VerificationCase
from engines.peridynamics.verification.bodies import built, problem

UNTIL = 20.0
"""[µs]"""


def balances(backend: Backend) -> Sequence[Answer]:
    found = []
    for name, shear, friction in (("at rest", 0.0, 0.0), ("sliding", 9.0, 0.3)):
        given = problem(
            body={"kind": "plate", "size_x": 16, "size_y": 6},
            bonds={"spacing": 1.0},
            material={"fracture_energy": 1e6},
            loads=[{"kind": "stress", "side": "top", "stress": (shear, -20.0, 0), "rise": 4.0}],
            penetrators=[{"form": {"kind": "plane"}, "motion": {"kind": "fixed"}, "friction": friction}],
            numerics={"precision": "fp64", "damping": 2e5},
        )
        run, worst = built(given, backend), 0.0
        for _ in range(10):
            run.advance(round(0.1 * UNTIL / run.dt))
            seen = run.observe()
            parts = sum(seen[part] for part in ("kinetic", "elastic", "broken", "damped", "contact", "friction"))
            worst = max(worst, abs(seen["work"] - parts))
        run.close()
        found.append(Answer(f"Energy missing of the work, {name}", 100 * worst / seen["work"], 0.0, 0.1, "%"))
    return found


CASES = (
    VerificationCase(
        "damped-contact",
        "Energy of a damped body in contact",
        "Conservation of energy: what loads do is kinetic, elastic, in the springs of contact, or lost to damping and "
        "friction; 0.1 %, an error of second order in the step.",
        5.0,
        balances,
    ),
)
