"""What tests choose in a sweep's dialog, and how they wait for its runs."""

STEP = "numerics.step"
CONDUCTIVITY = "tissue.sigma_il"


def vary(dialog, name, text):
    dialog.numbers.set_chosen(name, True)
    dialog.editors[name].kind.setCurrentText("List")
    dialog.editors[name].list.setText(text)


def through(qtbot, dialog):
    qtbot.waitUntil(lambda: not dialog.job.busy, timeout=10_000)
