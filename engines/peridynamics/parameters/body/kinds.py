"""Kinds of bodies by what applies to them, for fields that are shown for some alone."""

FLAT = ("plate", "disc", "ring", "polygon")
SOLID = ("block", "cylinder", "tube", "sphere", "surface")
LATTICE = (*FLAT, *SOLID)
POINTS = ("points",)
"""Of two or three dimensions."""
ON_A_LATTICE = {"body.kind": LATTICE}
BOND_BASED = {"body.kind": LATTICE, "bonds.theory": ("bond-based",)}
"""What knows softening and weights."""
MIXED = {"body.kind": (*LATTICE, *POINTS), "bonds.theory": ("bond-based",)}
"""What knows several materials."""
IN_SPACE = {"body.kind": (*SOLID, *POINTS)}
