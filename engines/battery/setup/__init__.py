"""From a problem to checked arrays: its cell, the curves and sizes of particles, how cells differ; what a model is."""
