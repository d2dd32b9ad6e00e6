"""Strain and stress of particles, from the displacements of those that they have bonds to."""
