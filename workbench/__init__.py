"""The application without a window: project files, the runner, meters, recording, export and the command line."""

__version__ = "0.2.0"
