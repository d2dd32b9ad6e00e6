"""From a problem to checked arrays: its cell, the curves and sizes of its particles, how its cells differ."""
