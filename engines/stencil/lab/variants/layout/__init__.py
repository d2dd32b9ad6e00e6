"""One array per field against one structure per point."""
