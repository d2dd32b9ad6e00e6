"""What an editor of protocols offers: steps and whole protocols to begin with, and the check of what is written."""

from engines.api.parameters import Lines
from engines.battery.protocol.steps import check

STEPS = (
    "Discharge at 1C until 2.5 V",
    "Discharge at C/10 for 10 hours or until 3.3 V",
    "Discharge at 2 W for 30 minutes",
    "Charge at C/2 until 4.2 V",
    "Charge at 1 A until 4.1 V",
    "Hold at 4.2 V until C/50",
    "Hold at 4.1 V until 50 mA",
    "Rest for 1 hour",
    "Run drive cycle",
    "Repeat 3 times",
    "End",
)

WHOLE = (
    ("CC discharge", ("Discharge at 1C",)),
    (
        "CCCV charge after a discharge",
        (
            "Discharge at 1C",
            "Rest for 1 hour",
            "Charge at C/2",
            "Hold at 4.2 V until C/50",
            "Rest for 1 hour",
        ),
    ),
    (
        "GITT",
        ("# A pulse of a twentieth of the capacity, then rest", "Repeat 19 times", "Discharge at C/10 for 30 minutes",
         "Rest for 2 hours", "End"),
    ),
    (
        "Rate test",
        tuple(
            line
            for rate in ("C/5", "C/2", "1C", "2C", "3C")
            for line in (
                f"Discharge at {rate}",
                "Rest for 30 minutes",
                "Charge at C/3",
                "Hold at 4.2 V until C/50",
                "Rest for 30 minutes",
            )
        ),
    ),
    (
        "100 ageing cycles",
        (
            "# Formation",
            "Repeat 3 times",
            "Discharge at C/10",
            "Charge at C/10",
            "End",
            "",
            "# Ageing",
            "Repeat 100 times",
            "Discharge at 1C",
            "Rest for 10 minutes",
            "Charge at C/2",
            "Hold at 4.2 V until C/50",
            "Rest for 10 minutes",
            "End",
        ),
    ),
)  # fmt: skip

PROTOCOL = Lines(check, STEPS, WHOLE)
