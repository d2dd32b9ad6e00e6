"""Numbers of a problem found from a measured curve of load and displacement, or from a peak load."""
