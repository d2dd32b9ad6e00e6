"""The manual in the window: its pages as they stand in the repository or in an installed copy, read and searched."""
