"""Bonds on a regular lattice: families, their layout in memory, and a step of them on GPUs and CPUs."""
