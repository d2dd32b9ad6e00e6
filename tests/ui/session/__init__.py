"""Tests of the document as it is edited and run."""
