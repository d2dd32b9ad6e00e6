"""Tests of the 3D scene."""
