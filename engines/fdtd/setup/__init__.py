"""From a problem to checked arrays on the host, and what it needs."""
