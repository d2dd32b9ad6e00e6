"""What a controller asks of its run: to go back, to show what its viewers want, to take live parameters."""
