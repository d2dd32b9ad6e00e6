"""Tests of the charts panel."""
