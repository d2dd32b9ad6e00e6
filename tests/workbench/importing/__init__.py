"""Tests of what files of others are told to be."""
