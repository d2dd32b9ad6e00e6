"""Stencil kernels in the ways that people write them."""
