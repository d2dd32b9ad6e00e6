"""The project: its file, its document in memory, the files that it names, and how it is kept on disk."""
