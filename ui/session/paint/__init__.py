"""What the brush does: strokes that go to the run, and what was painted kept in the project."""
