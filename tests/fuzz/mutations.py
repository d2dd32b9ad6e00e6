"""Ways in which files are damaged, by chance and on purpose."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][+-]?\d+)?")
EXTREMES = [
    b"-1", b"0", b"1e300", b"-1e300", b"nan", b"inf", b"-inf", b"1e-300", b"99999999999999999999", b"2147483648",
    b"4294967297", b"9223372036854775807", b"1" * 400, b"0x10", b"1_000", b"--3", b"1e", b"", "\u0663".encode(),
]  # fmt: skip
WORDS = [
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n\n",
    b",",
    b";",
    b"\t",
    b'"',
    b"<",
    b"&",
    b"]]>",
    b"#",
    b"../x",
]
NESTS = [
    (b"[", b"]"),
    (b"(", b")"),
    (b'{"a":', b"}"),
    (b"<a>", b"</a>"),
    (b"-", b""),
    (b"<apply><minus/>", b"</apply>"),
]
SWELL = 1 << 16
"""Bytes that a mutation adds at the most, about."""


def flip(content: bytes, chance: random.Random) -> bytes:
    found = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 8, 64))):
        found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def truncate(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def cut(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content))
    return content[:start] + content[start + chance.choice((1, 4, 64, len(content) // 3)) :]


def splice(content: bytes, chance: random.Random) -> bytes:
    """A part of it once more, or often, somewhere else."""
    start, to = chance.randrange(len(content)), chance.randrange(len(content))
    part = content[start : start + chance.choice((1, 8, 100, 2000))]
    return content[:to] + part * min(chance.choice((1, 1, 3, 1000)), SWELL // max(1, len(part))) + content[to:]


def numbers(content: bytes, chance: random.Random) -> bytes:
    places = list(NUMBER.finditer(content))
    for place in sorted(
        chance.sample(places, min(len(places), chance.choice((1, 1, 2, 10)))), key=lambda m: -m.start()
    ):
        content = content[: place.start()] + chance.choice(EXTREMES) + content[place.end() :]
    return content


def all_numbers(content: bytes, chance: random.Random) -> bytes:
    value = chance.choice(EXTREMES)
    return NUMBER.sub(lambda _: value, content)


def words(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content))
    return content[:place] + chance.choice(WORDS) + content[place:]


def bytes_of_integers(content: bytes, chance: random.Random) -> bytes:
    """A count in the head of a binary file becomes negative, or huge."""
    width, place = chance.choice((2, 4, 8)), chance.randrange(len(content))
    value = chance.choice(
        (b"\xff" * width, b"\0" * width, b"\xff" * (width - 1) + b"\x7f", b"\0" * (width - 1) + b"\x01")
    )
    return content[:place] + value + content[place + width :]


def nest(content: bytes, chance: random.Random) -> bytes:
    before, after = chance.choice(NESTS)
    depth, place = chance.choice((50, 1000, 5000)), chance.randrange(len(content))
    return content[:place] + before * depth + b"1" + after * depth + content[place:]


def lines(content: bytes, chance: random.Random) -> bytes:
    rows = content.split(b"\n")
    first, second = chance.randrange(len(rows)), chance.randrange(len(rows))
    rows[first], rows[second] = rows[second], rows[first]
    if chance.random() < 0.5:
        del rows[chance.randrange(len(rows))]
    return b"\n".join(rows)


MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flip, truncate, cut, splice, numbers, numbers, all_numbers, words, bytes_of_integers, nest, lines,
)  # fmt: skip


def mutated(content: bytes, chance: random.Random) -> bytes:
    """With one to three of the mutations."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if content:
            content = chance.choice(MUTATIONS)(content, chance)
    return content
