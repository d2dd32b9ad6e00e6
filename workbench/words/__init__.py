"""Times, limits and failures in words for people."""
