"""A tuple of declared items that can also be indexed by id."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Protocol, SupportsIndex, TypeVar, overload

from mvexplorer.errors import ParameterError


class Declared(Protocol):
    """An item of a catalogue: it has an id."""

    @property
    def id(self) -> str:
        """Stable name."""


T = TypeVar("T", bound=Declared)


class Catalogue(tuple[T, ...]):
    """A tuple whose members are also found by id: ``methods()["jade"]``; `noun` names a member, as in "method"."""

    noun: str
    _by_id: dict[str, T]

    def __new__(cls, members: Iterable[T], noun: str) -> Catalogue[T]:
        catalogue = super().__new__(cls, members)
        catalogue.noun = noun
        catalogue._by_id = {member.id: member for member in catalogue}
        return catalogue

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.noun

    @overload
    def __getitem__(self, key: SupportsIndex | str, /) -> T: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[T, ...]: ...
    def __getitem__(self, key: SupportsIndex | slice | str, /) -> T | tuple[T, ...]:
        if not isinstance(key, str):
            return super().__getitem__(key)
        member = self._by_id.get(key)
        if member is None:
            raise self._unknown(key)
        return member

    def _unknown(self, id: str) -> ParameterError:
        ids = [member.id for member in self]
        plural = f"{self.noun.rpartition(' ')[2].capitalize()}s"
        near = "".join(f" Did you mean {name}?" for name in get_close_matches(id, ids, 1))
        return ParameterError(f"There is no {self.noun} called “{id}”.", f"{plural}: {', '.join(ids)}.{near}")
