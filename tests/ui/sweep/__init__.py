"""Tests of the sweep dialog."""
