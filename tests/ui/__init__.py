"""Tests of the window, under a virtual display."""
