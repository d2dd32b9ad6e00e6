"""Loops on the CPU that are run again and again: on how many cores, and called without looking at types anew."""
