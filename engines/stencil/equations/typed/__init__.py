"""Of lines as they are typed: their units, and how print has them."""
