"""Names of files, numbers and refusals of the system as people read them: one line of plain text."""

from __future__ import annotations

import ast
import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import floor, isfinite, log10
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

_NO_TEXT = re.compile("[\ud800-\udfff]")
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile("·10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)")
_MADE = re.compile(r"make_([a-z0-9_]+)\((.*)\)")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

LINE = 60
"""Most characters of a name."""
UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
"""Line ends, control characters, and marks that change the text direction."""

_REASONS = {
    errno.ENOSPC: ("the disk is full", "Free some space, or choose a folder on another disk."),
    errno.EDQUOT: ("your share of the disk is used up", "Free some space, or choose a folder on another disk."),
    errno.EFBIG: ("the file would be larger than the system allows", "Choose a folder on another disk."),
    errno.EROFS: ("the disk can only be read", "Choose a folder on another disk."),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter file name."),
    errno.EACCES: ("permission denied", "Choose a folder and a file that you may write to."),
    errno.EPERM: ("permission denied", "Choose a folder and a file that you may write to."),
}
"""The system's error -> what it means, and what to do where a file was to be written."""


def readable(text: str) -> str:
    """`text` as UTF-8 can hold it: bytes of a file's name that are no UTF-8 are written as \\xff."""
    return text if text.isascii() else _NO_TEXT.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def one_line(text: str) -> str:
    """`text` as any terminal, title or picture can show it: readable, and without line breaks."""
    return _CONTROL.sub(" ", readable(text))


def line(text: str, limit: int = LINE) -> str:
    """A name on one line; the middle of a long name is cut, a name of blanks alone is quoted."""
    seen = UNSEEN.sub(" ", text)
    if text and not seen.strip():
        return f"“{seen[:8]}”"
    return middle_cut(seen, limit)


def with_arrows(names: Sequence[str], dims: int) -> list[str]:
    """The names of a flat picture's axes, across and up; a picture of three has no such ways."""
    return [f"{name} {way}" for name, way in zip(names, "→↑", strict=False)] if dims == 2 else list(names)


def middle_cut(text: str, limit: int) -> str:
    """The text, its middle cut where it is longer than so many characters."""
    keep = limit // 2
    return text if len(text) <= limit else f"{text[: limit - keep - 1]}…{text[-keep:]}"


def first_fault(report: ValidationError) -> str:
    """The first place where a document breaks its model, and how: "views.a: there is no such array"."""
    first = report.errors(include_url=False, include_input=False)[0]
    fault = first["ctx"]["error"] if first["type"] == "value_error" else first["msg"]
    where = ".".join(str(part) for part in first["loc"])
    return one_line(f"{where}: {fault}" if where else str(fault))


def counted(count: int, noun: str) -> str:
    """A number of things, as in "1 panel" and "2,000 samples"."""
    plural = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{plural}"


def listed(words: Sequence[str]) -> str:
    """Several things in a sentence: "one, two and three"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def file_title(path: str | os.PathLike[str]) -> str:
    """The title of a file: the last part of its path, on one line."""
    return one_line(PurePath(path).name or str(path))


def source_title(source: Sequence[str]) -> str:
    """The title of several files together, of a sample, or of generated data: “Toy train, case noise”."""
    return ", ".join(_made_title(call) if (call := _MADE.fullmatch(path)) else file_title(path) for path in source)


def _made_title(call: re.Match[str]) -> str:
    """Generator and what is chosen of it, in the words of its description; keywords that cannot be read as they are."""
    name = call[1].replace("_", " ").capitalize()
    try:
        chosen = ast.parse(f"make({call[2]})", mode="eval").body
        given = chosen.keywords if isinstance(chosen, ast.Call) else []
        parts = [_choice_words(str(each.arg), ast.literal_eval(each.value)) for each in given]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        parts = [call[2].replace("=", " ").replace("'", "")]
    return one_line(", ".join(filter(None, (name, *parts))))


def _choice_words(keyword: str, value: object) -> str:
    if keyword == "n_samples":
        return f"{value:,} samples" if isinstance(value, int) else f"{value} samples"
    if keyword == "clusters" and isinstance(value, tuple | list):
        return f"{listed([str(count) for count in value])} clusters"
    if keyword == "specific":
        return "each film with a pendulum of its own" if value else "nothing else in the films"
    if keyword == "shuffled":
        return "rows of one view shuffled" if value else "rows as they belong"
    title = {"random_state": "seed", "variance": "noise variance"}.get(keyword, keyword.replace("_", " "))
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{title} {shown.removeprefix('0') if shown.startswith('0.') else shown}"


def reason(error: OSError) -> str:
    """Why a file could not be used, in a few words without a full stop: its own, or ours for the system's."""
    code = error.errno or 0
    if code in _REASONS and error.strerror in (None, os.strerror(code)):
        return _REASONS[code][0]
    return (error.strerror or str(error) or "unknown reason").lower()


def remedy(error: OSError) -> str:
    """The advice where a file cannot be written."""
    words = _REASONS.get(error.errno or 0)
    return words[1] if words else "Choose another folder or file name."


@contextmanager
def in_words(kind: type[Exception], what: str, hint: str | None = None) -> Iterator[None]:
    """Turn a refusal of the system into an error for the user, of some kind: "`what`: the reason."

    `what` says what cannot be done, as in "The session cannot be saved to a.mvx.json". Without a hint, it is the advice
    for a file that cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise kind(f"{what}: {reason(error)}.", remedy(error) if hint is None else hint) from None


def finite_or_none(values: Iterable[float]) -> list[float | None]:
    """Numbers for JSON, which has no NaN: None where there is none, such as a bandwidth without effect."""
    return [float(value) if isfinite(value) else None for value in values]


def fraction(value: float) -> str:
    """A number between -1 and 1 with two digits, without its leading zero: ``.05``."""
    text = f"{value:.2f}".replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def in_percent(value: float) -> str:
    """A share of a whole in words: neither 0 nor 100 % where it is not."""
    hundredths = 100.0 * value
    if 0.0 < hundredths < 1.0:
        return "less than 1 %"
    return "more than 99 %" if 99.0 < hundredths < 100.0 else f"{hundredths:.0f} %"


def short_factor(value: float) -> str:
    """A factor with two digits, without a leading zero: ``.11``, ``3.2``, ``12``."""
    text = number(value, 2)
    return text.removeprefix("0") if text.startswith("0.") else text


def superscript(value: int) -> str:
    """A whole number as an exponent."""
    return str(value).translate(_SUPERSCRIPT)


def number(value: float, digits: int = 3) -> str:
    """`value` with `digits` significant digits, a true minus, and an exponent only where it is needed."""
    if not isfinite(value):
        return "–"
    if value == 0:
        return "0"
    value = float(f"{value:.{digits - 1}e}")  # 9.996 is 10.0, not 10.00
    exponent = floor(log10(abs(value)))
    if -4 <= exponent < 5:
        text = f"{value:.{max(0, digits - 1 - exponent)}f}"
        return text.replace("-", "−")
    mantissa = f"{value / 10.0**exponent:.{digits - 1}f}".replace("-", "−")
    return f"{mantissa}·10{superscript(exponent)}"


def as_typed(text: str) -> str:
    """A text with its numbers as one types them: `1.00·10⁻⁵`, as `number` writes it, is `1.00e-5`."""
    return _POWER.sub(lambda power: f"e{power[1].translate(_PLAIN)}", text).replace("−", "-")


def size(n_bytes: float) -> str:
    """An amount of memory."""
    return f"{n_bytes / 2**20:.0f} MB" if n_bytes < 2**30 else f"{n_bytes / 2**30:,.2f} GB"


def seconds_in_words(seconds: float) -> str:
    """Seconds in words: “1 s”, “23 s”, “4 min”, “5 h”, “12 days”."""
    if seconds < 1.0:
        return "1 s"
    if seconds < 90.0:
        return f"{seconds:.2g} s"
    if seconds < 5400.0:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 172800.0 else f"{seconds / 86400:,.0f} days"
