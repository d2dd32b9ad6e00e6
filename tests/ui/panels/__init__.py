"""Tests of docks and pages."""
