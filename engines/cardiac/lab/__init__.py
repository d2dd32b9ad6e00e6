"""What the Kernel Lab measures of this engine: the tables of the thesis that it follows, and its benchmarks."""
