"""Tests of the 3D view in the window."""
