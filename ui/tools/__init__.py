"""Dialogs for what an engine offers besides running."""
