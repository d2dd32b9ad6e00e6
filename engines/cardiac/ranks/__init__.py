"""A heart on several ranks: parts of its rows, and steps that fetch what lies beyond them."""
