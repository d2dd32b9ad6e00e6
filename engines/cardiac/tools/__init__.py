"""What may be done with a cardiac problem besides running it."""
