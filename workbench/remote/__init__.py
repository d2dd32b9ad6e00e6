"""A run on another machine: the process there that owns it, the line to it, and the run as a window here sees it."""
