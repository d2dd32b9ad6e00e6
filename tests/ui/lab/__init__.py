"""Tests of the Kernel Lab in the window."""
