"""Recordings as seismologists exchange them: MiniSEED, SAC, GSE2, and tables of CSS that name other files."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

from mutations import damage, damage_text
from structures import packed

_START = (2001, 60, 12, 30, 15, 0, 0)
_CM6 = b" +-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[1:]


def miniseed(rng: Random) -> bytes:
    """Records with a head, a blockette that tells the encoding, and steps or plain numbers."""
    order = rng.choice((">", ">", "<"))
    channels = rng.choice(((b"EHZ",), (b"EHZ",), (b"EHZ", b"EHN")))
    records = [_record(rng, order, i, channel) for channel in channels for i in range(rng.choice((1, 1, 2)))]
    content = b"".join(records)
    return damage(rng, content) if rng.random() < 0.3 else content


def _record(rng: Random, order: str, number: int, channel: bytes) -> bytes:
    encoding = rng.choice((0, 1, 3, 4, 5, 10, 11, 10, 11, 11, rng.choice((2, 12, 13, 14, 16, 19, 30, 32, 33, 99))))
    power = rng.choice((9, 9, 9, 8, 12))
    room = 2**power - 64
    size = {1: 2, 3: 4, 4: 4, 5: 8}.get(encoding, 0)
    body = _steim(rng, room // 64, number) if encoding in (10, 11) else rng.randbytes(room)
    count = room // size if size else rng.choice((1, 7, 60, 400))
    year, day, *clock = _START
    head = packed(
        rng, f"{order}6sss5s2s3s2sHHBBBBHHhhBBBBiHH",
        b"%06d" % (number + 1), b"D", b" ", b"ABC  ", b"  ", channel, b"XX", year, day, *clock[:2], clock[2] + number,
        0, 0, count, 40, 1, 0, 0, 0, 1, 0, 64, 48,
    )  # fmt: skip
    blockette = packed(rng, f"{order}HHBBBB", 1000, 0, encoding, order == ">", power, 0)
    return (head + blockette + bytes(8) + body)[: 2**power]


def _steim(rng: Random, frames: int, first: int) -> bytes:
    """Frames of differences: a word says how the fifteen that follow are divided."""
    made = b""
    for i in range(frames):
        kinds = sum(rng.choice((0, 1, 2, 3, 1)) << 2 * k for k in range(12 if not i else 15))
        words = [struct.pack(">I", kinds), *(rng.choice((bytes(4), rng.randbytes(4))) for _ in range(15))]
        if not i:
            words[1:3] = struct.pack(">i", first), struct.pack(">i", rng.choice((0, first, -5, 2**31 - 1)))
        made += b"".join(words)
    return made


def sac(rng: Random) -> bytes:
    """The 158 words of a head, and the numbers."""
    order, count = rng.choice("<<>"), rng.choice((0, 1, 60, 400))
    floats = [-12345.0] * 70
    floats[0], floats[5], floats[6] = 0.025, 0.0, 0.025 * count
    whole = [-12345] * 40
    whole[:6], whole[6], whole[9] = [2001, 60, 12, 30, 15, 0], 6, count
    whole[15], whole[35], whole[36], whole[37], whole[38] = 1, 1, 0, 1, 1
    texts = b"ABC     " + b"-12345  " * 22 + b"XX      "
    head = packed(rng, f"{order}70f", *floats) + packed(rng, f"{order}40i", *whole)
    content = head + texts.replace(b"-12345  ", b"EHZ     ", rng.choice((0, 21))) + rng.randbytes(4 * count)
    return damage(rng, content) if rng.random() < 0.4 else content


def gse2(rng: Random) -> bytes:
    """Lines of a head, numbers as text or six bits a letter, and mostly the right checksum."""
    values = [rng.choice((0, 1, -3, 40, 500, -(2**15), 2**25, 2**31 - 1)) for _ in range(rng.choice((0, 1, 9, 60)))]
    kind = rng.choice(("CM6", "CM6", "CM6", "INT", "CM8", "AUT"))
    told = len(values) if rng.random() < 0.8 else rng.choice((0, 1, 10**7, 99_999_999, -1))
    head = f"WID2 2001/03/01 12:30:15.000 ABC   EHZ      {kind:3} {told:8d} {40.0:11.6f} {1.0:10.2e} {1.0:7.3f} "
    head += "ABCDEF  -1.0  0.0"
    letters = _six_bits(values) if kind != "INT" else " ".join(map(str, values)).encode()
    lines = [letters[i : i + 80] for i in range(0, len(letters), 80)]
    if lines and rng.random() < 0.3:
        lines = [damage(rng, b"\n".join(lines))]
    total = 0
    for value in values:
        total = int(abs(total % 10**8 + value % 10**8)) % 10**8
    total = total if rng.random() < 0.7 else rng.choice((0, 10**9, -7))
    tail = [b"CHK2 %8d" % total, b""] if rng.random() < 0.9 else []
    first = damage_text(rng, head) if rng.random() < 0.4 else head.encode()
    middle = [b"STA2 XX         48.16300    11.27500 WGS84       0.565 0.000", b"DAT2"]
    return b"\n".join([first, *middle[rng.choice((0, 0, 1, 2)) :], *lines, *tail])


def _six_bits(values: list[int]) -> bytes:
    """Second differences, five bits in the first letter of each and in those that follow."""
    steps = values
    for _ in range(2):
        steps = [b - a for a, b in zip([0, *steps], steps, strict=False)]
    return b"".join(_letters(step) for step in steps)


def _letters(step: int) -> bytes:
    """A first letter with the sign and four bits, others with five; all but the last say that another follows."""
    size, groups = abs(step), list[int]()
    while size > 15:
        groups.insert(0, size & 31)
        size >>= 5
    coded = [code + 32 * (i < len(groups)) for i, code in enumerate((size + 16 * (step < 0), *groups))]
    return bytes(_CM6[code] for code in coded)


def css(rng: Random, folder: Path) -> bytes:
    """A table of CSS or of NNSA KB Core, which names the file that has the numbers."""
    apart = rng.choice((0, 1))
    name = rng.choice(("sentinel.bin", "sentinel.h5", "data.npy", "none"))
    line = (
        f"ABC    EHZ      {1e9:17.5f} {1:8d} {' ' * apart}{1:8d} {2001001:8d} {1e9 + 9:17.5f} {18:8d} {20.0:11.7f} "
        f"{1.0:16.6f} {1.0:16.6f} -      o t8 - {folder!s:64} {name:32} {0:10d} {-1:8d} {'2001-01-01':17}"
    )
    content = line.ljust(283 + 4 * apart).encode()
    return damage(rng, content, 1) if rng.random() < 0.2 else content


def recording(rng: Random, folder: Path) -> bytes:
    """One of them: what it is stands in its first bytes, whatever its name is."""
    return css(rng, folder) if rng.random() < 0.05 else rng.choice((miniseed, miniseed, sac, gse2))(rng)
