"""What a body meets: rigid penetrators and supports, and its own pieces once bonds have broken.

Forces of contact act between steps (:class:`engines.peridynamics.step.solver.Follower`). They are springs, not
particles that are put back to a surface: a spring has a potential, so that energy is kept and what is missing shows an
error.
"""
