"""Tests of the import page."""
