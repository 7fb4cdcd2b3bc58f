"""The content of one file, before several of them become one data set; and the names with a known role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.notices import ASSUMED, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import open_file, unreadable

MOST_CLASSES = 40
"""A column with more different values is not offered as the label."""
Values = npt.NDArray[Any]

LABEL_NAMES = ("labels", "label", "class", "target", "y")
"""Names of the column that holds the class, the surest first; compared without case."""
MORE_LABEL_NAMES = (*LABEL_NAMES, "truelabel", "gt", "truth", "gnd", "y0", "classlabel", "gt_train", "digit")
"""The same for variables of NPZ and MAT files, where a name cannot be mistaken for a feature."""
ID_NAMES = ("id", "ids", "sample", "sample_ids")
UNLABELLED = "unlabelled"
SURELY_NAMES = 20
"""So many texts that all differ are the samples' names; of fewer, classes may differ by chance."""
HALF_COLUMN, FILLED_COLUMN = "half", "filled in"
"""Columns that readers add: the training or test half of a sample, and the views in which it was filled in."""


@dataclass
class Named:
    """The choices of the user that the reader of the file has followed."""

    ids: bool = False
    """True if the user named the id column."""
    views: bool = False
    """True if the views are the ones that the user named."""


@dataclass
class Variables:
    """The variables that became views, where these have other names or another form: in MAT files."""

    sources: dict[str, str] = field(default_factory=dict)
    """View -> the variable that it comes from under another name."""
    halves: dict[str, str] = field(default_factory=dict)
    """Variable that is a half of the samples -> the name of both halves."""
    kernels: set[str] = field(default_factory=set)
    """Views that were kernels and are features now."""


@dataclass
class Joined:
    """Added when files are joined: `called` to each of them, the others to all as one."""

    called: dict[str, str] = field(default_factory=dict)
    """View -> its name among the views of all files."""
    origins: dict[str, Path] = field(default_factory=dict)
    """View -> its file, where there are several."""
    numbered: set[str] = field(default_factory=set)
    """Views whose features have no names."""


@dataclass
class Parts:
    """The content of one file, or of all joined: views (M, D_l) and what belongs to the samples.

    The reader of a file fills everything but `joined`.
    """

    path: Path
    views: dict[str, Values] = field(default_factory=dict)
    features: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the columns of views from tables of text: of the header with `has_feature_names`, else numbers."""
    has_feature_names: bool = False
    labels: Values | None = None
    label_name: str | None = None
    """The column or variable that `labels` came from."""
    ids: Values | None = None
    id_name: str | None = None
    """The column or variable that `ids` came from."""
    ids_in_header: bool = False
    """True if they are the header of a table with samples in columns; `id_name` heads the features then."""
    counted: bool = False
    """True if the rows are known to be named 0, 1, 2 ... where there are no `ids`."""
    columns: dict[str, Values] = field(default_factory=dict)
    coordinates: dict[str, Values] = field(default_factory=dict)
    """Given pictures (M, 2 or 3)."""
    images: Values | None = None
    lacking: bool = False
    """True if a row of NaN means that the view lacks the sample."""
    mask: tuple[str, Values] | None = None
    """A table and its name: which views of other files have which samples, (M, L) or (L, M)."""
    named: Named = field(default_factory=Named)
    variables: Variables = field(default_factory=Variables)
    notes: list[Notice] = field(default_factory=list)
    joined: Joined = field(default_factory=Joined)

    def note(self, text: str, code: str = ASSUMED, subjects: tuple[str, ...] = ()) -> None:
        """Remember a sentence about what was assumed, without the file's name; `subjects` name what it is about."""
        self.notes.append(Notice(code, text, subjects))


def seal(array: Values) -> None:
    """Make a reader's own array, and those whose memory it shares, read-only: then nobody has to copy it."""
    shared: Any = array
    while isinstance(shared, np.ndarray):
        shared.flags.writeable = False
        shared = shared.base


def gather_notes(parts: Sequence[Parts]) -> list[Notice]:
    """Gather the notes of all files; those for which the same was assumed share one, which begins with them."""
    files: dict[Notice, list[str]] = {}
    for part in parts:
        for notice in part.notes:
            files.setdefault(notice, []).append(part.path.name)
    return [
        Notice(n.code, f"{', '.join(dict.fromkeys(names))}: {n}", n.subjects, n.level, n.caption)
        for n, names in files.items()
    ]


def require_file(path: Path) -> None:
    """Raise a DataError for what cannot be read at all: missing, no file, not permitted, empty."""
    with open_file(path) as file:
        try:
            empty = not file.read(1)
        except OSError as error:
            raise unreadable(path, error) from None
    if empty:
        raise DataError(f"The file “{path.name}” is empty.", "Export it again, with one row per sample.")


def pick_name(names: list[str], known: tuple[str, ...]) -> str | None:
    """Pick the one of `names` that comes first in `known`, compared without case; None where there is none."""
    lowered = {name.strip().lower(): name for name in reversed(names)}
    return next((lowered[name] for name in known if name in lowered), None)


def tidy_labels(values: Values) -> Values:
    """Return labels (M,) as whole numbers where possible, else as numbers or text; NaN marks a missing one."""
    flat = np.asarray(values).ravel()
    if flat.dtype.kind in "OSU":
        return np.array([str(v) for v in flat])
    if flat.dtype.kind in "biu":
        return flat.astype(np.int64)
    return _tidy_fractions(flat.astype(np.float64)) if flat.dtype.kind == "f" else flat


def _tidy_fractions(flat: npt.NDArray[np.float64]) -> Values:
    missing = np.isnan(flat)
    if missing.any():
        present = tidy_labels(flat[~missing]).astype(str)
        text = np.full(len(flat), UNLABELLED, dtype=object)
        text[~missing] = present
        return text.astype(str)
    whole = np.all(flat == np.round(flat)) and np.all(np.abs(flat) < 2**53)
    return flat.astype(np.int64) if whole else flat


def are_measurements(labels: Values) -> bool:
    """True if labels (M,) are fractions that are nearly all different, so no classes."""
    if labels.dtype.kind != "f":
        return False
    finite = labels[np.isfinite(labels)]
    fewest = 20 if (finite % 1 == 0).all() else 0  # whole numbers count classes, unless there are many
    return len(np.unique(finite)) > max(fewest, len(finite) // 2)


def are_names(labels: Values) -> bool:
    """True if labels (M,) are texts that nearly all differ: they name samples, and are no classes."""
    if labels.dtype.kind != "U":
        return False
    given = [label for label in labels.tolist() if label not in ("", UNLABELLED)]
    nearly_all = 0.9
    return len(given) >= SURELY_NAMES and len(set(given)) > nearly_all * len(given)


def nearly_all_differ(name: str) -> str:
    """Say why a column or variable with a label's name was not taken as the label."""
    return f"“{name}” differs in nearly every sample. It was not taken as the label; it could name the samples."


def left_out(names: Sequence[str]) -> str:
    """Begin a sentence about columns or variables that are not used."""
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return f"{', '.join(f'“{name}”' for name in names[:5])}{more} {'was' if len(names) == 1 else 'were'} left out"
