"""Measuring variants of a kernel on a device: buffers, launches, and how long one takes."""
