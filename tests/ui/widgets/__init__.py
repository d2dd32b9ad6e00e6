"""Tests of the small parts."""
