"""What the waves go through: materials along edges and at faces, and their poles."""
