"""What may be done with a Maxwell problem besides running it."""
