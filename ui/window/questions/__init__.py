"""Questions that the window asks: before work is left or begun anew, about files that nobody chose, of preferences."""
