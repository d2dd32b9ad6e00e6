"""Files that survive whatever happens: whole or unchanged, locked, appended to, written beside the run."""
