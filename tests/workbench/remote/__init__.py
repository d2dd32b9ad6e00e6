"""Tests of runs on another machine, without a window."""
