"""What the window costs: ``python -m tests.measure``."""
