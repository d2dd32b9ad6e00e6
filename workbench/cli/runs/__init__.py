"""Commands that run a problem: from the beginning, and on from where it was ended."""
