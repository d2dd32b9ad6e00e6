"""Tests of times in words."""
