"""From a problem to checked arrays on the host: grid, sides, fields, material, limits."""
