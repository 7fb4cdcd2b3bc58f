"""Lies in the places that say where things are and how large: what flipped bytes hardly reach behind a checksum."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from random import Random

from mutations import WORDS, damage, damage_text

_LOCAL, _CENTRAL, _END = b"PK\3\4", b"PK\1\2", b"PK\5\6"
_ZIP_FIELDS = {
    _LOCAL: ((4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)),
    _CENTRAL: ((6, 2), (8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (38, 4), (42, 4)),
    _END: ((8, 2), (10, 2), (12, 4), (16, 4), (20, 2)),
}
"""Place and size of the numbers: version, flags, method, checksum, sizes, lengths, attributes, offsets, counts."""
_ZIP_NAMES = ("../a.npy", "/a.npy", "C:\\a.npy", "a\0.npy", "a.npy", "contents", "x" * 60_000, "é", "")


def packed(rng: Random, form: str, *values: int | float | bytes) -> bytes:
    """Numbers and texts by `form`, of which one number is now and then another."""
    codes = re.findall(r"\d*s|[a-zA-Z]", form[1:])
    told = list(values)
    if rng.random() < 0.3:
        at = rng.choice([i for i, code in enumerate(codes) if not code.endswith("s")])
        told[at] = _lie(rng, codes[at], told[at])
    return struct.pack(form, *told)


def _lie(rng: Random, code: str, value: int | float | bytes) -> int | float:
    if code in "fd":
        return rng.choice((0.0, -1.0, 1e30, -1e-30, float("nan"), float("inf")))
    assert isinstance(value, int)
    bits = 8 * struct.calcsize(f"<{code}")
    word = rng.choice((*WORDS, value + 1, value - 1, 2 * value)) & (2**bits - 1)
    return word - 2**bits if code.islower() and word >= 2 ** (bits - 1) else word


def replace_word(rng: Random, data: bytearray, at: int, size: int, order: str = "<") -> None:
    """Put another number in the place of one."""
    if at + size <= len(data):
        code = {1: "B", 2: "H", 4: "I", 8: "Q"}[size]
        [value] = struct.unpack_from(order + code, data, at)
        struct.pack_into(order + code, data, at, int(_lie(rng, code, value)))


# Archives --------------------------------------------------------------------------------------------------------


def lie_in_zip(rng: Random, content: bytes) -> bytes:
    """An archive whose directory tells another story than its members."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        mark = rng.choice((_LOCAL, _CENTRAL, _CENTRAL, _END))
        places = [found.start() for found in re.finditer(re.escape(mark), data)]
        if places:
            at, size = rng.choice(_ZIP_FIELDS[mark])
            replace_word(rng, data, rng.choice(places) + at, size)
    return bytes(data)


def rename_in_zip(rng: Random, content: bytes) -> bytes:
    """An archive with a member of an odd name, of a name that is there twice, or that is a link or a heap of zeros."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new,
        warnings.catch_warnings(action="ignore"),
    ):
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
        odd = zipfile.ZipInfo(rng.choice((*_ZIP_NAMES, *old.namelist())))
        odd.filename = odd.orig_filename
        odd.compress_type = zipfile.ZIP_DEFLATED
        odd.external_attr = rng.choice((0, 0o120777 << 16, 0o010777 << 16))
        new.writestr(odd, rng.choice((b"", b"/etc/passwd", bytes(10**7), *(old.read(n) for n in old.namelist()[:3]))))
    return stream.getvalue()


# Pictures --------------------------------------------------------------------------------------------------------


def lie_in_png(rng: Random, content: bytes) -> bytes:
    """A PNG with other chunks, all of which have the right checksum."""
    chunks = list(_chunks(content))
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(chunks))
        kind, body = chunks[at]
        what = rng.choice(("word", "damage", "unfold", "repeat", "leave", "swap", "add", "add"))
        if what == "word":
            changed = bytearray(body)
            replace_word(rng, changed, rng.randrange(len(body) + 1) & ~3, rng.choice((1, 4)), ">")
            chunks[at] = kind, bytes(changed)
        elif what == "damage":
            chunks[at] = kind, damage(rng, body)
        elif what == "unfold" and kind == b"IDAT":
            raw = b""
            with suppress(zlib.error):  # it was damaged before
                raw = zlib.decompressobj().decompress(body)
            chunks[at] = kind, zlib.compress(rng.choice((damage(rng, raw), raw * 50, b"", bytes(10**8))), 1)
        elif what == "repeat":
            chunks.insert(at, chunks[at])
        elif what == "leave" and len(chunks) > 1:
            del chunks[at]
        elif what == "swap":
            other = rng.randrange(len(chunks))
            chunks[at], chunks[other] = chunks[other], chunks[at]
        elif what == "add":
            chunks.insert(at, _odd_chunk(rng))
    body = b"".join(
        struct.pack(">I", len(b)) + kind + b + struct.pack(">I", zlib.crc32(kind + b)) for kind, b in chunks
    )
    return content[:8] + body


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 12 <= len(content):
        [size] = struct.unpack_from(">I", content, at)
        yield content[at + 4 : at + 8], content[at + 8 : at + 8 + size]
        at += 12 + size


def _odd_chunk(rng: Random) -> tuple[bytes, bytes]:
    much = zlib.compress(bytes(10 ** rng.choice((2, 8))), 1)
    exif = b"II*\0" + packed(rng, "<IHHHIHH", 8, 1, 0x0112, 3, 1, rng.choice((1, 6, 9)), 0)
    return rng.choice(
        (
            (b"zTXt", b"name\0\0" + much), (b"iTXt", b"name\0\1\0\0\0" + much), (b"iCCP", b"name\0\0" + much),
            (b"eXIf", exif), (b"PLTE", bytes(rng.choice((0, 3, 5, 768, 900)))), (b"tRNS", rng.randbytes(3)),
            (b"acTL", packed(rng, ">II", 2, 0)), (b"fcTL", packed(rng, ">IIIIIHHBB", 0, 5, 7, 0, 0, 1, 1, 0, 0)),
            (b"gAMA", packed(rng, ">I", 45455)), (b"abCd", rng.randbytes(9)),
        )
    )  # fmt: skip


# Tables ----------------------------------------------------------------------------------------------------------


def lie_in_npy(rng: Random, content: bytes) -> bytes:
    """An array in NPY format whose head is another text, of the length that it says."""
    start = 10 if content[6:7] == b"\1" else 12
    size = int.from_bytes(content[8:start], "little")
    text = content[start : start + size].decode("latin-1")
    if rng.random() < 0.5:
        new = rng.choice(("<i8", "|b1", "<c16", "|S7", "<U9", "|V8", "|O", "<M8[Y]", "<m8[25s]", "<f16", "<f2", ">f8"))
        head = re.sub(r"'[<>|=][^']*'", f"'{new}'", text).encode()
    else:
        head = damage_text(rng, text.replace("'", '"')).replace(b'"', b"'")
    head = head[:65_000].ljust(size - 1) + b"\n"
    version = rng.choice((1, 1, 2, 3, 0, 9))
    form = "<H" if version == 1 else "<I"
    return content[:6] + bytes((version, 0)) + struct.pack(form, len(head)) + head + content[start + size :]


def lie_in_parquet(rng: Random, content: bytes) -> bytes:
    """A Parquet file with other numbers in its description, or in the heads of its pages."""
    size = int.from_bytes(content[-8:-4], "little")
    start = len(content) - 8 - size
    body, footer = content[:start], content[start:-8]
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.7:
            footer = _other_number(rng, footer, list(_Thrift(footer, 0).numbers()))
        elif len(body) > 4:  # places behind it are told by the footer: the length stays
            page = _other_number(rng, body[4:], list(_Thrift(body, 4).numbers(most=1)), -4, keep=True)
            body = body[:4] + page
    return body + footer + struct.pack("<I", len(footer)) + content[-4:]


def _other_number(
    rng: Random, data: bytes, spans: list[tuple[int, int]], shift: int = 0, *, keep: bool = False
) -> bytes:
    if not spans:
        return data
    start, end = rng.choice(spans)
    value = rng.choice(
        (*WORDS, *(2 * n for n in WORDS), _varint(data, start + shift)[0] + rng.choice((-2, -1, 1, 2, 16)))
    )
    new = _as_varint(value & (2**64 - 1), end - start if keep else 0)
    return data[: start + shift] + new + data[end + shift :]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def _as_varint(value: int, length: int) -> bytes:
    """In as few bytes as it takes, or in `length` of them."""
    out = bytearray()
    while not out or (length and len(out) < length) or (not length and value):
        out.append(0x80 | (value & 0x7F))
        value >>= 7
    out[-1] &= 0x7F
    return bytes(out)


class _Thrift:
    """Where the numbers stand in structures of Thrift's compact protocol; a damaged one ends early."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at
        self._spans: list[tuple[int, int]] = []

    def numbers(self, most: int = 1) -> Iterator[tuple[int, int]]:
        """Beginning and end of every number, length and count."""
        try:
            for _ in range(most):
                self._struct(0)
        except IndexError:
            pass
        return iter(self._spans)

    def _number(self) -> int:
        value, end = _varint(self._data, self._at)
        self._spans.append((self._at, end))
        self._at = end
        return value

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _struct(self, depth: int) -> None:
        while (head := self._byte()) & 0x0F and depth < 40:
            if not head >> 4:
                self._number()
            self._value(head & 0x0F, depth, in_list=False)

    def _value(self, kind: int, depth: int, *, in_list: bool) -> None:
        if kind in (1, 2):
            self._at += in_list
        elif kind == 3:
            self._at += 1
        elif kind in (4, 5, 6):
            self._number()
        elif kind == 7:
            self._at += 8
        elif kind == 8:
            self._at += self._number()
        elif kind in (9, 10):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._number()
            for _ in range(count):
                self._value(head & 0x0F, depth + 1, in_list=True)
        elif kind == 12:
            self._struct(depth + 1)
        else:
            raise IndexError(kind)


def lie_in_arrow(rng: Random, content: bytes) -> bytes:
    """An Arrow file or stream with other words in its descriptions."""
    data = bytearray(content)
    heads = [
        (m.end() + 4, struct.unpack_from("<I", data, m.end())[0]) for m in re.finditer(b"\xff{4}(?=....)", data, 16)
    ]
    spans = [(start, size) for start, size in heads if 8 <= size <= len(data) - start]
    if content.startswith(b"ARROW1"):
        size = int.from_bytes(content[-10:-6], "little")
        spans.append((len(data) - 10 - size, size))
    for _ in range(rng.randint(1, 3)):
        if spans:
            start, length = rng.choice(spans)
            replace_word(rng, data, start + (rng.randrange(length) & ~1), rng.choice((2, 4, 4, 8)))
    return bytes(data)
