"""Sums over all particles, and over some of them, found on the device in one pass."""
