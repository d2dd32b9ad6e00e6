"""Of lines as they are typed: their units, how print has them, and what of them follows t."""
