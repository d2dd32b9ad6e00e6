"""Tests of what draws each kind of geometry."""
