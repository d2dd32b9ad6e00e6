"""Explicit diffusion on grids: forward Euler in time, second-order central differences in space."""
