"""What is read of a project that somebody else may have written: its text, and what a zip holds."""
