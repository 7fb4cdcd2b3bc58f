"""How files are read: choices of a caller, session or flag where files leave them open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from mvexplorer.errors import ParameterError

Join = Literal["id", "position", "intersect"]
JOINS: tuple[str, ...] = get_args(Join)


@dataclass(frozen=True)
class ReadOptions:
    """What decides how files become a data set; None leaves the decision to the files.

    Parameters
    ----------
    views : tuple of str, optional
        Names of the views to keep, in that order; in a MAT file also the variables that are views.
    labels, ids : str, optional
        Name of the column or variable with the class / the name of each sample, or a file of them.
    preprocess : str or tuple of str, optional
        For all views, or one per view.
    drop_missing : bool
        Drop samples that lack a number in any view, in all views.
    join : "id", "position" or "intersect", optional
        How the rows of several files belong together: by the samples' names, row by row whatever the names say, or by
        name with only the samples that are in all files.
    transpose : bool or tuple of str, optional
        Whether columns are the samples: of all tables, of none, or of these files or views.
    """

    views: tuple[str, ...] | None = None
    labels: str | None = None
    ids: str | None = None
    preprocess: str | tuple[str, ...] | None = None
    drop_missing: bool = False
    join: Join | None = None
    transpose: bool | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.join is not None and self.join not in JOINS:
            raise ParameterError(f"Rows cannot be joined by “{self.join}”.", f"Use one of {', '.join(JOINS)}.")
        if isinstance(self.transpose, str):
            object.__setattr__(self, "transpose", (self.transpose,))
        for name in ("views", "preprocess", "transpose"):
            value = getattr(self, name)
            if isinstance(value, Sequence) and not isinstance(value, str):
                object.__setattr__(self, name, tuple(value))

    @property
    def plain(self) -> dict[str, Any]:
        """The options that differ from the defaults, by name."""
        default = ReadOptions()
        return {name: value for name, value in vars(self).items() if value != getattr(default, name)}
