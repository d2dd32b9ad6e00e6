"""Tests of the window on a run elsewhere."""
