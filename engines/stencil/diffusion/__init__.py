"""Explicit diffusion: forward Euler in time, second-order central differences in space."""
