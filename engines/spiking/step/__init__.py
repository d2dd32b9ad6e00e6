"""What advances a network, whatever its neurons are, and what a run is."""
