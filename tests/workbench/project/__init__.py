"""Tests of projects and documents."""
