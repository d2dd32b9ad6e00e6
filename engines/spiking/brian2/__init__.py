"""Networks as Brian2's texts: written as a script, and read from one, of which nothing is ever run."""
