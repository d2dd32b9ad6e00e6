"""Tests of the application without a window."""
