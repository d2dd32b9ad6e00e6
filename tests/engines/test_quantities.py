"""How shares are told, and numbers that are proposed."""

import pytest

from engines.quantities import percent, rounded_down


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.0, "0 %"), (0.00123, "0.12 %"), (0.5, "50 %"), (0.996, "100 %"), (1.0, "100 %"), (12.34, "1200 %")],
)
def test_a_share_is_told_without_a_power_of_ten(share, told):
    assert percent(share) == told


@pytest.mark.parametrize(
    ("value", "digits", "down"), [(87_500.0, 2, 87_000.0), (100.0, 2, 100.0), (0.0999, 1, 0.09), (1.999, 3, 1.99)]
)
def test_what_is_obeyed_is_never_above_its_limit(value, digits, down):
    assert rounded_down(value, digits) == pytest.approx(down, rel=1e-12)
