"""The frames of a run that were seen: kept on disk, looked at again on the timeline, and written as a movie."""
