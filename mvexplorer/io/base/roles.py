"""Requests about one file: which of its columns or variables are views, label, names, colourings, or left out."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.options import ReadOptions, Role
from mvexplorer.io.base.parts import Values


def _unheard(part: object) -> None:
    """Ignore the progress of a reading that nobody follows."""


@dataclass(frozen=True)
class FileRequest:
    """A request about one file, and a list that its reader fills with all that the file holds.

    Examples
    --------
    >>> from pathlib import Path
    >>> from mvexplorer.io.base.options import ReadOptions
    >>> asked = Asked(Path("a.csv"), ReadOptions(roles={"kind": "label", "b.csv:kind": "ignore"}))
    >>> asked.role("kind"), asked.labels
    ('label', 'kind')
    """

    path: Path
    options: ReadOptions = field(default_factory=ReadOptions)
    n_samples: int | None = None
    """Number of samples, if known from another file."""
    found: list[tuple[str, Callable[[], Values]]] = field(default_factory=list)
    """Every column or variable in the file's order, and how to get its values: filled by the reader before anything is
    refused, so that it can be shown all the same."""
    tick: Callable[[float], None] = field(default=_unheard)
    """Is told which part of the file is read, from 0 to 1; raises to stop."""
    memory: int | None = None
    """Bytes that its tables may take in the memory."""
    say: Callable[[str], None] = field(default=_unheard)
    """Is told in a sentence what is about to take long."""

    @property
    def room(self) -> Room:
        """The limits of reading the file, and the place of its large tables."""
        return Room(self.path, self.memory, self.tick, self.say)

    def offer(self, name: str, read: Callable[[], Values]) -> None:
        """List a column or variable of the file with a function that gives its values."""
        self.found.append((name, read))

    @cached_property
    def roles(self) -> dict[str, Role]:
        """The roles of this file's columns or variables, by their names in the file."""
        given = dict(self.options.roles)
        own = {own: role for name, role in given.items() if (own := self._own_name(name))}
        return {**given, **own}

    def _own_name(self, name: str) -> str:
        """Return what follows this file's name in ``FILE:NAME``, else nothing."""
        files = (str(self.path), self.path.name, self.path.stem)
        return next((name[len(file) + 1 :] for file in files if name.startswith(f"{file}:")), "")

    def role(self, name: str) -> Role | None:
        """Return the role that a column or variable of this file was given, None where it was given none."""
        return self.roles.get(name)

    def named(self, role: Role) -> tuple[str, ...]:
        """List the columns or variables that were given a role, in the order of the file."""
        roles = self.roles
        if role not in roles.values():
            return ()
        return tuple(dict.fromkeys(name for name, _ in self.found if roles.get(name) == role))

    @property
    def labels(self) -> str | None:
        """The name of the label's column or variable, None where the user named none; a role comes before an option.

        If another file has it, this is its name there, so that no column of this file is taken for it.
        """
        chosen = next((name for name, role in dict(self.options.roles).items() if role == "label"), None)
        return self._only("label", "the label") or chosen or self.options.labels

    @property
    def ids(self) -> str | None:
        """The name of the column or variable of samples' names, in the same way."""
        return self._only("id", "the samples' names") or self.options.ids

    def _only(self, role: Role, what: str) -> str | None:
        names = self.named(role)
        if len(names) > 1:
            raise DataError(
                f"“{names[0]}” and “{names[1]}” of “{self.path.name}” are both given as {what}.",
                "Choose one of them; the other can be offered for colouring.",
            )
        return names[0] if names else None


def check_roles(options: ReadOptions, files: Sequence[FileRequest]) -> None:
    """Refuse roles that contradict the other options, or are those of a column or variable that no file holds."""
    _check_contradictions(options)
    if not options.roles:
        return  # a file can have 100,000 columns
    own = {name for file in files for name, _ in file.found}
    full = {
        f"{file}:{name}"
        for each in files
        for file in (str(each.path), each.path.name, each.path.stem)
        for name, _ in each.found
    }
    tables = {each.path.stem for each in files}
    for name, role in dict(options.roles).items():
        if name not in own and name not in full and not (role == "kernel" and name in tables):
            raise unknown("column or variable", name, own)


def _check_contradictions(options: ReadOptions) -> None:
    """Refuse two columns as the label, or one as two things, where options and roles say so."""
    roles = dict(options.roles)
    given = {"label": options.labels, "id": options.ids}
    if options.labels is not None and options.labels == options.ids:
        raise DataError(f"“{options.labels}” is given as the label and as the samples' names.", "Choose one of them.")
    for role, name in given.items():
        what = {"label": "the label", "id": "the samples' names"}[role]
        others = [other for other, own in roles.items() if own == role and name not in (other, other.partition(":")[2])]
        if name is not None and others:
            raise DataError(f"“{name}” and “{others[0]}” are both given as {what}.", "Choose one of them.")
        if name is not None and roles.get(name, role) != role:
            raise DataError(f"“{name}” is given as {what}, and the role “{roles[name]}”.", "Choose one of them.")


def unknown(what: str, name: str, known: Iterable[str]) -> DataError:
    """Build the error for a name that nothing has; its hint has the nearest of the `known` names."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    near = near or [other for other in names if other.casefold() == name.casefold()]
    more = f" and {len(names) - 10:,} more" if len(names) > 10 else ""
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(names[:10]) or 'none'}{more}."
    return DataError(f"There is no {what} called “{name}”.", hint)
