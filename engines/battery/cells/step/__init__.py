"""A whole cell's step on either backend, and the slow and obviously right way to the same numbers."""
