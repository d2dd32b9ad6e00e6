"""Multirate reaction: cells near their upstroke react at each step, others every few steps."""
