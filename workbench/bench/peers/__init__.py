"""Other programs beside ours on the same problems: answers compared first, then timed in turns, each in its process."""
