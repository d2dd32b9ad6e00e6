"""Timing of engines on this machine, against the bandwidth that the same device reaches in the same session."""
