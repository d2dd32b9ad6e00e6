"""Tests of what lies over the picture."""
