"""What is seen of a run: rasters, rates, rhythms, traces of single neurons, weights."""
