"""What is read from the tissue while it runs: maps, electrograms, phase."""
