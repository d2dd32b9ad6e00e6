"""Pictures of the window, watched by checks that need no reference: nothing cut, covered, faint, stale or in code."""
