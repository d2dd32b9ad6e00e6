"""A body filled with particles: shapes, holes, regions of it, and the cuts that its notches make."""
