"""Errors meant for a user: one sentence that says what happened, and a hint that says what to do."""

from __future__ import annotations

import copyreg
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mvexplorer.wording import file_title, one_line


class MVExplorerError(Exception):
    """An error meant for the user. The command line prints it on one line, the window shows it in a banner.

    `message` says in one sentence what happened and what it means, `hint` in another what to do; it may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        # Both may name files, whose names may hold line breaks or bytes that are no text.
        self.message = one_line(message)
        self.hint = one_line(hint)
        super().__init__(self.message, self.hint)

    def __reduce__(self) -> tuple[Any, ...]:
        # The usual way calls the constructor, which children have with other arguments, and calls it with texts only.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class DataWarning(UserWarning):
    """Data was used although it may be meant otherwise: what was assumed, and how to say what is meant."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)


class DataError(MVExplorerError, ValueError):
    """The samples or the file they come from cannot be used; also a `ValueError`."""


class FileChangedError(DataError):
    """A file of the data that is read as it is needed was saved again, cut off or replaced since it was opened."""

    def __init__(self, path: str) -> None:
        super().__init__(f"“{file_title(path)}” was changed by another program.", "Open it again.")
        self.path = path


@dataclass(frozen=True)
class Offer:
    """One way out of a doubt about files: what a button says, and the reading options it stands for, by name."""

    title: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def in_python(self) -> str:
        """The options as arguments of `load`."""
        return ", ".join(f"{name}={_in_double_quotes(value)}" for name, value in self.options.items())

    @property
    def in_shell(self) -> str:
        """The options as flags of the command line."""
        return " ".join(part for name, value in self.options.items() for part in _flags(name, value))


class MissingValuesError(DataError):
    """Some rows hold NaN or infinite values; `rows` are their 0-based indices, to be dropped on request."""

    def __init__(self, message: str, hint: str = "", rows: Sequence[int] = ()) -> None:
        super().__init__(message, hint)
        self.rows = tuple(rows)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The ways in which reading can deal with them."""
        return (
            Offer(f"Drop {len(self.rows)} row{'s' if len(self.rows) != 1 else ''}", {"missing": "drop"}),
            Offer("Fill in medians", {"missing": "median"}),
            Offer("Fill in from nearest samples", {"missing": "knn"}),
        )


class MixedColumnError(DataError):
    """Columns of a table hold text among their numbers; they can be left out, or used for colouring."""

    def __init__(self, message: str, hint: str = "", columns: Sequence[str] = ()) -> None:
        super().__init__(message, hint)
        self.columns = tuple(columns)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The roles that the columns can have instead of features."""
        which = f"“{self.columns[0]}”" if len(self.columns) == 1 else f"all {len(self.columns):,} columns"
        return (
            Offer(f"Use {which} for colouring", {"roles": dict.fromkeys(self.columns, "colour")}),
            Offer(f"Leave out {which}", {"roles": dict.fromkeys(self.columns, "ignore")}),
        )


class RowsError(DataError):
    """It is not certain which rows of several files are the same sample, or whether rows are samples at all.

    The hint names the `offers`, the ways out, as arguments of `load`; without any, it is `otherwise`, which says what
    to do where no offer is right.
    """

    def __init__(self, message: str, offers: Sequence[Offer] = (), otherwise: str = "") -> None:
        ways = join_words([f"{o.title} ({o.in_python})" for o in offers])
        super().__init__(message, f"{ways}." if ways else otherwise)
        self.offers = tuple(offers)
        self.otherwise = otherwise

    @property
    def in_shell(self) -> str:
        """The whole sentence with the flags of the command line."""
        ways = join_words([f"{o.title} ({o.in_shell})" for o in self.offers])
        return f"{self.message} {f'{ways}.' if ways else self.otherwise}".strip()


def ways_out(error: Exception | None) -> tuple[Offer, ...]:
    """The offers that settle why files cannot be read; none where nothing can be proposed."""
    return error.offers if isinstance(error, RowsError | MissingValuesError | MixedColumnError) else ()


def join_words(words: Sequence[str]) -> str:
    """``A``, ``A, or b``: sentences joined as choices; all but the first lose their capital."""
    lowered = [words[0], *(w[0].lower() + w[1:] for w in words[1:])] if words else []
    return ", or ".join([", ".join(lowered[:-1]), lowered[-1]] if len(lowered) > 1 else lowered)


def _in_double_quotes(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_in_double_quotes(v) for v in value)}]"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _flags(name: str, value: Any) -> list[str]:
    if value is True and name != "transpose":
        return [f"--{name.replace('_', '-')}"]
    if not isinstance(value, Mapping):
        return [f"--{name.replace('_', '-')} {_in_shell(value)}"]
    flag = name.removesuffix("s")  # --role for roles, --name for names
    texts = (f"{key}={','.join(v) if isinstance(v, tuple | list) else v}" for key, v in value.items())
    return [f"--{flag} {shlex.quote(text)}" for text in texts]


def _in_shell(value: Any) -> str:
    if isinstance(value, bool):
        return "all" if value else "none"
    text = ",".join(value) if isinstance(value, tuple | list) else str(value)
    return shlex.quote(text)


class ParameterError(MVExplorerError, ValueError):
    """A parameter is outside what the method can do; also a `ValueError`."""


class ComputeError(MVExplorerError):
    """A computation could not finish with a trustworthy result."""


class SessionError(MVExplorerError):
    """A session file, or the data it names, cannot be used."""


class SessionDataError(SessionError):
    """The data of a session is not where it was, cannot be read, or is other data: the user may know where it is."""


class ChangedDataError(SessionDataError):
    """The data of a session is not what it was when the session was saved; it can be opened all the same."""
