"""The recorder of frames, the timeline that looks back, and movies."""
