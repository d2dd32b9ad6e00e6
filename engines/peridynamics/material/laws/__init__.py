"""How bonds soften and break: force-stretch laws, their calibration, and laws that a person types."""
