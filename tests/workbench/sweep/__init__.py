"""Tests of sweeps without a window."""
