"""Where one looks from, and what follows what is seen: part of a grid, range of colours, scale of displacements."""
