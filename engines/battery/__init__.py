"""The battery engine: lithium in particles, single-particle models of cells, ensembles of them."""
