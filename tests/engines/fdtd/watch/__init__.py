"""Tests of what is seen of a run of the FDTD engine."""
