"""What may be done with a problem on a grid besides running it: how fast it settles."""
