"""How action potential and velocity depend on the rest before them: cells alone and a strand, paced."""
