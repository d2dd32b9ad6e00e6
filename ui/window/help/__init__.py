"""Finding one's way: every command by a few letters, the keys, what a field means, and a report of this machine."""
