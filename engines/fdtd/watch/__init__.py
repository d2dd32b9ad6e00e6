"""What is seen of a run: its fields, and what all that watches it has in common."""
