"""The window, used for as long as one likes, and what it holds meanwhile: ``python -m tests.soak SECONDS``."""
