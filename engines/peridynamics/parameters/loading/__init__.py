"""What loads a body, how that comes on, and how the body moves at the start."""
