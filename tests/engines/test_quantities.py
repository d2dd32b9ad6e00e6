"""How shares are told."""

import pytest

from engines.quantities import percent


@pytest.mark.parametrize(
    ("share", "told"),
    [(0.0, "0 %"), (0.00123, "0.12 %"), (0.5, "50 %"), (0.996, "100 %"), (1.0, "100 %"), (12.34, "1200 %")],
)
def test_a_share_is_told_without_a_power_of_ten(share, told):
    assert percent(share) == told
