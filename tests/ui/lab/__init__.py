"""Tests of the Kernel Lab's workspace."""
