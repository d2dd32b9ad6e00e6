"""Tests of runs as scripts see them."""
