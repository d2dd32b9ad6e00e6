"""Tests of the window itself."""
