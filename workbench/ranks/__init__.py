"""One run on several ranks: whether they fit together, and which of them leads."""
