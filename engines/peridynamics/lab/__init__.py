"""What the Kernel Lab measures of peridynamics: studies, tables and problems that are timed."""
