"""Tests of the workbench's storage."""
