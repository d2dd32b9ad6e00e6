"""Tests of runs and their records."""
