"""Subpixel smoothing: the permittivity of edges near interfaces, and its off-diagonal terms."""
