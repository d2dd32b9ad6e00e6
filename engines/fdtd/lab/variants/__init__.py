"""Kernels and forms of a step that exist for measurements alone; no run launches them."""
