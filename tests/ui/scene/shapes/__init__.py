"""Tests of the geometry that is worked out for a picture."""
