"""What is seen of a run: percentiles, series and charts of cells and particles, and all that is known of one."""
