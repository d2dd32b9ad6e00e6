"""The studies of the Kernel Lab: the internal forces of a body in the ways that people write them."""

from __future__ import annotations

from engines.api.lab import Case, Published, Study
from engines.peridynamics.lab.variants.forces import variants
from engines.peridynamics.lab.variants.inputs import NEIGHBOURS, fresh, reference

CASES = {
    2: (Case("10K", (100, 100), 10_000), Case("80K", (200, 400), 80_000), Case("1M", (1000, 1000), 1_000_000)),
    3: (
        Case("10K", (20, 20, 25), 10_000), Case("100K", (40, 50, 50), 100_000), Case("1M", (100, 100, 100), 1_000_000),
    ),
}  # fmt: skip
PYPD = Published(
    source="pypd, crack branching: 80,000 particles, 5,000 whole steps in 38 s (147 million bonds a second)",
    device="Two CPU cores",
    unit="ms",
    figures={"numba-pypd": {"80K": 7.6}},
)


def study(d: int) -> Study:
    """In the plane (2) or in space (3)."""
    where = {2: "in the plane", 3: "in space"}[d]
    return Study(
        id=f"bond-forces-{d}d",
        title=f"Forces of bonds {where}, {NEIGHBOURS[d]} neighbours",
        summary="f = Σ s n over the bonds of each particle within three spacings, five in a hundred broken; bytes are "
        "those of each variant's own lists.",
        cases=CASES[d],
        variants=variants(d),
        inputs=fresh,
        reference=reference,
        tolerance=2e-6,
        tolerance_note=(
            "Ten roundings of 6e-8 for each bond, and sums of up to 122 whose sizes add up to three times the largest "
            "answer: 2e-6 if all were of one sign. Irregular points: weights of 13 bits, twice 1.2e-4."
        ),
        published=(PYPD,) if d == 2 else (),
    )


STUDIES = study(2), study(3)


def studies() -> tuple[Study, ...]:
    """In the plane and in space."""
    return STUDIES
