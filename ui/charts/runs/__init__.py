"""The runs of a session: named, listed, put behind the next ones in the charts, kept with the project."""
