"""Questions that the window asks: before work is left or begun anew, and about files that nobody chose."""
