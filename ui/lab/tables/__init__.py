"""The Kernel Lab's tables: the variants of a study, and measured rows beside published ones."""
