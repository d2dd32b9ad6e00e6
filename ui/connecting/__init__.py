"""Where problems are computed, here or on another machine: the dialog, and what happens when the line to it is lost."""
