"""What draws each kind of geometry in the scene: tetrahedra, grids, particles, particles on a lattice."""
