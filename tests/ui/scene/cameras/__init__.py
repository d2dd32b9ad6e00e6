"""Tests of the camera and of what follows it."""
