"""The Kernel Lab's workspace: studies to measure, and what was found as table, plots and source."""
