"""All cases."""

from engines.peridynamics.verification import cracks, lattices, resting, specimens

CASES = (*lattices.CASES, *resting.CASES, *cracks.CASES, *specimens.CASES)
