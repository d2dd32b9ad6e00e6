"""A body on a lattice on several ranks: slabs of its planes, and what lies a horizon beyond their ends."""
