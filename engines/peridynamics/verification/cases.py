"""All cases."""

from engines.peridynamics.verification import compact, cracks, lattices, resting, specimens

CASES = (*lattices.CASES, *resting.CASES, *cracks.CASES, *specimens.CASES, *compact.CASES)
