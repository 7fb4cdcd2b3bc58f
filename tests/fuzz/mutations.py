"""Damage of every kind: what disks, networks, other programs and attackers make of a file."""

from __future__ import annotations

import re
from random import Random

WORDS = (0, 1, 2, 7, 8, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 200_000_000, 2**63 - 1, 2**64 - 1)
NUMBERS = ("0", "-1", "1e400", "NaN", "-Infinity", "null", "true", "[]", "{}", '""', "1" * 400, "1e-320", "99999999999")


def damage(rng: Random, content: bytes, most: int = 4) -> bytes:
    """`content` after none to `most` accidents."""
    data = bytearray(content)
    for _ in range(rng.randint(0, most)):
        rng.choice(_ACCIDENTS)(rng, data)
    return bytes(data)


def damage_text(rng: Random, text: str) -> bytes:
    """The same for a text in which numbers and marks have a meaning."""
    for _ in range(rng.randint(0, 3)):
        places = [m.span() for m in re.finditer(r'-?\d+(\.\d+)?|"[^"]*"|[\[\]{},:]', text)]
        if not places:
            break
        start, end = rng.choice(places)
        other = rng.choice(places)
        new = rng.choice((*NUMBERS, text[slice(*other)], "", "[" * rng.choice((1, 50, 20_000)), "\\u0000", "\\ud800"))
        text = text[:start] + new + text[end:]
    content = text.encode("utf-8", "surrogatepass")
    return content if rng.random() < 0.6 else damage(rng, content)


def _flip(rng: Random, data: bytearray) -> None:
    for _ in range(rng.randint(1, 8)):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _overwrite(rng: Random, data: bytearray) -> None:
    size = rng.choice((1, 2, 4, 8))
    if len(data) >= size:
        at = rng.randrange(len(data) - size + 1)
        at -= at % size if rng.random() < 0.8 else 0
        word = rng.choice(WORDS) & (256**size - 1)
        data[at : at + size] = word.to_bytes(size, rng.choice(("little", "big")))


def _nudge(rng: Random, data: bytearray) -> None:
    if len(data) >= 4:
        at = rng.randrange(len(data) - 3) & ~3
        value = int.from_bytes(data[at : at + 4], "little") + rng.choice((-8, -4, -1, 1, 4, 8))
        data[at : at + 4] = (value & 0xFFFFFFFF).to_bytes(4, "little")


def _truncate(rng: Random, data: bytearray) -> None:
    del data[rng.randrange(len(data) + 1) :]


def _splice(rng: Random, data: bytearray) -> None:
    start, end, at = (rng.randrange(len(data) + 1) for _ in range(3))
    piece = data[min(start, end) : max(start, end)][: rng.choice((8, 64, 4096))]
    data[at : at + rng.choice((0, len(piece)))] = piece


def _remove(rng: Random, data: bytearray) -> None:
    start = rng.randrange(len(data) + 1)
    del data[start : start + rng.choice((1, 4, 8, 64, 512))]


def _append(rng: Random, data: bytearray) -> None:
    data += rng.choice((bytes(rng.randrange(200)), rng.randbytes(rng.randrange(200)), bytes(data[:300])))


_ACCIDENTS = (_flip, _flip, _overwrite, _overwrite, _overwrite, _nudge, _truncate, _splice, _splice, _remove, _append)
