"""States of a run to go back to, in memory, and to go on from, on disk."""
