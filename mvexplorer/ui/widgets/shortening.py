"""Shortening a title or a name so that no other one reads the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

SEPARATOR = " · "
"""Stands between a method and its views."""
MANY = 300
"""Names beyond which a cut one is not compared with all others: that would take too long."""


def shortened(title: str, others: Sequence[str], number: int, room: float, width: Callable[[str], float]) -> str:
    """Cut the middle of a title where there is no room, never to one that could stand for another title.

    What is left of the title fits none of the others, so two panels differ whatever their widths. Where no such cut
    fits, the panel's number, from 1, stands first. `room` and the answers of `width` are in pixels.
    """
    if title not in others and width(title) <= room:
        return title
    cuts = list(_cuts(title, room, width))
    telling = [(h, t) for h, t in cuts if not any(_could_be(other, title, h, t) for other in others)]
    if telling:
        return _cut(title, *min(telling, key=lambda cut: _imbalance(title, *cut)))
    return _numbered(title, number, room, width)


def with_fewer_words(title: str, kept: int, others: Sequence[str], room: float, width: Callable[[str], float]) -> str:
    """Leave out words at the end of a title, each after a comma, but none of the first `kept` characters.

    Empty where the title fits as it is, or where what is left would not fit or could stand for another title.
    """
    if kept >= len(title) or width(title) <= room:
        return ""
    ends = [kept, *(i for i in range(kept, len(title)) if title.startswith(", ", i))]
    for end in reversed(ends):
        head = title[:end]
        if width(f"{head} …") <= room and not any(other.startswith(head) for other in others):
            return f"{head} …"
    return ""


def _numbered(title: str, number: int, room: float, width: Callable[[str], float]) -> str:
    """Put a title's number in front, which tells it from all others, and cut its middle where there is no room."""
    lead = f"{number} "
    cuts = list(_cuts(title, room - width(lead), width))
    return lead + (_cut(title, *min(cuts, key=lambda cut: _imbalance(title, *cut))) if cuts else "…")


def told_apart(name: str, names: Sequence[str], number: int, room: float, width: Callable[[str], float]) -> str:
    """Cut a name where there is no room to what tells it from all others: without the ends that all share.

    Where that does not fit, or would not tell it apart, its middle goes, and else its number stands first. An ellipsis
    stands where something is missing. `number` is the name's place among all `names`, from 1; `room` and the answers of
    `width` are in pixels.
    """
    if width(name) <= room:
        return name
    ends = _ends_of(tuple(names))
    if len(names) > MANY:
        return told_by_ends(name, ends, number, room, width)
    own = _without_ends(name, ends, room, width)
    if own.strip("…") and {*re.findall(_pattern(own), _listed(tuple(names)), re.MULTILINE)} <= {name}:
        return own
    return shortened(name, [other for other in names if other != name], number, room, width)


def told_by_ends(name: str, ends: tuple[int, int], number: int, room: float, width: Callable[[str], float]) -> str:
    """Cut a name where there is no room to what lies between the `common_ends` of all; its number stands first else."""
    if width(name) <= room:
        return name
    own = _without_ends(name, ends, room, width)
    return own if own.strip("…") else _numbered(name, number, room, width)


def told_in_two(
    pair: tuple[str, str], pairs: Sequence[tuple[str, str]], room: float, width: Callable[[str], float]
) -> tuple[str, str]:
    """Cut an owner and a name to what tells the owner from the others, and the name from those of that owner."""
    owner, name = pair
    if width(owner) + width(name) <= room or room <= 0:
        return pair
    owners = list(dict.fromkeys(of for of, _ in pairs))
    names = [each for of, each in pairs if of == owner]
    place_of, place, tried = owners.index(owner) + 1, names.index(name) + 1, []
    whole = min(width(name) / room, 0.75)
    for share in (whole, 0.5, 0.4, 0.6, 0.3, 0.7):  # of the name, until neither loses its middle
        short = told_apart(name, names, place, max(share * room, room - width(owner)), width)
        tried.append((told_apart(owner, owners, place_of, room - width(short), width), short))
        if not any("…" in each.strip("…") for each in tried[-1]):
            return tried[-1]
    return tried[1]


def _without_ends(name: str, ends: tuple[int, int], room: float, width: Callable[[str], float]) -> str:
    """A name without the ends that all share, as far as there is no room for them; empty where it does not fit."""
    first, last = ends[0], len(name) - ends[1]
    return _middle(name, first, max(first + 1, last), room, width) if first or last < len(name) else ""


def _pattern(shortened_name: str) -> str:
    """Match the lines that a shortened name can stand for."""
    return f"^{'.*'.join(map(re.escape, shortened_name.split('…')))}$"


@lru_cache(maxsize=16)
def _listed(names: tuple[str, ...]) -> str:
    """The names, one a line: all are searched at once, for a list may be long."""
    return "\n".join(names)


@lru_cache(maxsize=16)
def _ends_of(names: tuple[str, ...]) -> tuple[int, int]:
    """A list asks for those of its names again and again."""
    return common_ends(names)


def common_ends(names: Sequence[str]) -> tuple[int, int]:
    """Count the characters that all names begin and end with; of a million names in a tenth of a second."""
    head = tail = next(iter(names), "")
    for name in names:
        while not name.startswith(head):
            head = head[:-1]
        while not name.endswith(tail):
            tail = tail[1:]
    return len(head), len(tail)


def _middle(name: str, first: int, last: int, room: float, width: Callable[[str], float]) -> str:
    """This part of a name with all before it, or else as much around it as fits; empty where not even the part fits."""
    best = ""
    if last < len(name) and width(f"{name[:last]}…") <= room:
        first = 0
    while width(words := f"{'…' if first else ''}{name[first:last]}{'…' if last < len(name) else ''}") <= room:
        best = words
        first, last = max(0, first - 1), min(len(name), last + 1)
    return best


def _cuts(title: str, room: float, width: Callable[[str], float]) -> Iterator[tuple[int, int]]:
    """Each length of head that fits beside an ellipsis, with the longest tail that still fits."""
    room -= width("…")
    heads = [0.0, *accumulate(map(width, title))]
    tails = [0.0, *accumulate(map(width, reversed(title)))]
    tail = len(title) - 1
    for head in range(len(title)):
        tail = min(tail, len(title) - 1 - head)
        while tail > 0 and heads[head] + tails[tail] > room:
            tail -= 1
        if heads[head] + tails[tail] > room:
            return
        yield head, tail


def _could_be(other: str, title: str, head: int, tail: int) -> bool:
    """True if another title has the same head and tail."""
    return other.startswith(title[:head]) and other.endswith(title[len(title) - tail :])


def _imbalance(title: str, head: int, tail: int) -> float:
    """Return how far the head is from the best one: the method and two letters, or half of what is left."""
    named = title.find(SEPARATOR)
    half = (head + tail + 1) // 2
    return abs(head - (half if named < 0 else min(named + len(SEPARATOR) + 2, half)))


def _cut(title: str, head: int, tail: int) -> str:
    return f"{title[:head]}…{title[len(title) - tail :]}"
