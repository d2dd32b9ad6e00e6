"""Objects: the solids that they are, and the cells that these fill."""
