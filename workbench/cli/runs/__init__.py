"""Commands that run a problem: from the beginning, on from where it was ended, and for windows elsewhere."""
