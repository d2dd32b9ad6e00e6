"""What may be done with a battery problem besides running it: its cell fitted to a measured voltage."""
