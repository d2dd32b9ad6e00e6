"""Geometry that is worked out for a picture: boundaries, cuts, fronts, sheets, samples, and what a ray meets."""
