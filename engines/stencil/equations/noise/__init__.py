"""White noise in typed equations: what of a line is noise, its strength on a grid, and what a method makes of it."""
