"""Names that both twins of contact take from one declaration."""

from engines.peridynamics.contact.rows import HEADER, NEWS, SHAPE, STATE, News, ShapeRow, StateRow, text


def test_the_header_is_what_is_declared():
    """``python -m engines.peridynamics.contact.rows`` writes it."""
    assert HEADER.read_text(encoding="utf-8") == text()


VECTORS = ("AXIS", "SIZES", "PLACE", "VELOCITY", "FORCE", "SEEN", "SEEN_VELOCITY")


def test_every_place_has_its_room():
    for rows, size in ((ShapeRow, SHAPE), (StateRow, STATE), (News, NEWS)):
        taken = [place for each in rows for place in range(each, each + (3 if each.name in VECTORS else 1))]
        assert len(taken) == len(set(taken))
        assert max(taken) < size
