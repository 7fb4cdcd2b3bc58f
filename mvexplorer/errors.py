"""What can go wrong for a user: one sentence that says what happened, and a hint that says what to do."""

from __future__ import annotations

from collections.abc import Sequence

from mvexplorer.wording import one_line


class MVExplorerError(Exception):
    """An error meant for the user. The command line prints it on one line, the window shows it in a banner.

    Parameters
    ----------
    message : str
        What happened and what it means, as one sentence.
    hint : str
        What to do about it, as one sentence; may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        # Both may name files, whose names may hold line breaks or bytes that are no text.
        self.message = one_line(message)
        self.hint = one_line(hint)
        super().__init__(self.message, self.hint)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class DataError(MVExplorerError):
    """The samples or the file they come from cannot be used."""


class MissingValuesError(DataError):
    """Some rows hold NaN or infinite values; `rows` are their 0-based indices, to be dropped on request."""

    def __init__(self, message: str, hint: str, rows: Sequence[int]) -> None:
        super().__init__(message, hint)
        self.rows = tuple(rows)


class ParameterError(MVExplorerError):
    """A parameter is outside what the method can do."""


class ComputeError(MVExplorerError):
    """A computation could not finish with a trustworthy result."""


class SessionError(MVExplorerError):
    """A session file, or the data it names, cannot be used."""
