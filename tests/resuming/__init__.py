"""Runs that were ended in the middle and went on, held against runs that nobody disturbed."""
