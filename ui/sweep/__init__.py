"""The dialog of a parameter sweep: what is varied, the runs as they come, their table and curves."""
