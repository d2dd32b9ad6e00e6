"""A drumhead that swings: the smallest engine that has everything, as a package of its own."""
