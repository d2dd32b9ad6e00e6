"""Editors of one value or one text: numbers, choices, files, rows and lines."""
