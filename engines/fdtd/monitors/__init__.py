"""Monitors: traces, running Fourier sums, fluxes, R and T, and the end at decay."""
