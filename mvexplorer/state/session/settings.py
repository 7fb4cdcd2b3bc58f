"""Preferences: what belongs to the user and not to a document. A JSON file in the user's folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from mvexplorer.io.base.guards import physical_memory, read_document
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.path_text import PathText
from mvexplorer.io.writing.versions import make_way, try_lock, write_bytes
from mvexplorer.private import HOME_VARIABLE as HOME_VARIABLE
from mvexplorer.private import OWN_FILE, make_own_folder, user_folder
from mvexplorer.state.document.frozen import Frozen, updated
from mvexplorer.wording import one_line, reason

RECENT = 12
MEBIBYTE = 1 << 20


class KeptReading(Frozen):
    """How files were read when they were last opened."""

    source: tuple[PathText, ...]
    reading: ReadOptions


class NumbersChoice(Frozen):
    """Which numbers were exported last, and how."""

    form: Literal["csv", "parquet", "npz", "obsm", "points"] = "csv"
    kinds: tuple[str, ...] = ("coordinates", "scores")
    all_panels: bool = True
    csv_safe: bool = False
    """Whether all CSV that the window writes has an apostrophe before texts that spreadsheets take for formulas."""


class PictureChoice(Frozen):
    """The picture that was exported last, and how."""

    what: Literal["sheet", "panel", "window"] = "sheet"
    ending: Literal[".png", ".svg", ".pdf", "bundle"] = ".png"
    """Of its file; "bundle" for a folder with all of them and what they were made from."""
    caption: bool = False
    beside: bool = False
    """Whether the caption goes to a text file beside the picture."""
    target: Literal["screen", "column", "page", "slide"] = "screen"
    """A figure for print, of that target; on the screen a picture is as it is seen."""
    type_size: Annotated[float, Field(ge=6, le=40)] | None = None
    """Of a figure, in pt; None for what is usual at its target."""
    figure_dpi: Annotated[float, Field(ge=50, le=1200)] | None = None
    letters: bool = False
    palette: Literal["screen", "safe"] = "screen"

    @property
    def is_figure(self) -> bool:
        """Whether it is a figure for print: the window itself is always as on the screen."""
        return self.target != "screen" and self.what != "window"


class PageChoice(Frozen):
    """The content of the web page that was exported last; the samples' ids are asked about each time."""

    all_colourings: bool = True
    selections: bool = True
    snapshots: bool = True
    live: bool = False
    """Whether its reader can move ε."""
    live_eta: bool = False
    """Whether they can choose η as well."""
    live_3d: bool = False
    """Whether they can look at three coordinates."""


FORMER = ("bandwidth_plot",)
"""Preferences of former versions that mean nothing any more."""
FORMER_ACTIONS = {
    "Keep selection": "Save selection",
    "What is selected …": "Describe selection …",
    "Embed only the selection …": "Re-embed selection …",
    "Lasso or navigate": "Navigate tool",
    "Rectangle or lasso": "Rectangle selection",
    "Examine: is it real?": "Validate this panel",
    "Is it real?": "Validation",
    "Page: Is it real?": "Page: Validate",
    "Take it with you": "Export and sharing",
    "What does a view add?": "View contributions",
    "How did this picture come about?": "Inside the method",
    "Spectrum and tasks": "Places below the panels",
    "Page: Tune": "Page: Bandwidth",
    "Page: History": "History",
    "Page: Tasks": "Tasks",
    "Weigh the views": "View weights",
    "Theme of the system": "Follow the system theme",
    "Usual type and points": "Default size of type and points",
    "Weigh the views by equal volume": "Equal-volume view weights",
}
"""Actions that had other names when the user chose keys for them."""
TunePlot = Literal["links", "classes", "pair", "spectrum", "reach", "own", "sweep"]


class Settings(Frozen):
    """The user's preferences."""

    theme: Literal["system", "light", "dark"] = "system"
    animate: bool = True
    align: bool = True
    prepare: bool = True
    """Whether drags are prepared while the hand rests."""
    link_cameras: bool = True
    link_zoom: bool = False
    """Coordinates differ in scale, so that 2-D panels zoom alone unless asked."""
    spectrum_log: bool = False
    tune_plots: tuple[TunePlot, ...] = ("spectrum", "sweep")
    """The plots below the rows of the page Bandwidth."""
    check: Literal["permutation", "common", "stability", "coordinates", "neighbours", "outliers", "pieces"] = (
        "permutation"
    )
    """The check in Validate whose detail is on show."""
    export_dpi: Annotated[float, Field(ge=50, le=1200)] = 192.0
    picture: PictureChoice = Field(default_factory=PictureChoice)
    numbers: NumbersChoice = Field(default_factory=NumbersChoice)
    page: PageChoice = Field(default_factory=PageChoice)
    shortcuts: dict[str, str] = Field(default_factory=dict)
    """The user's own keys, by action; several are separated by "|"."""
    zoom: Annotated[float, Field(ge=0.8, le=1.5)] = 1.0
    """How much larger than usual type and points of the window are."""
    memory_mebibytes: Annotated[int, Field(ge=64, le=1 << 20)] = Field(default_factory=lambda: usual_memory())
    """MiB for a computation's matrices and cached results."""
    recent: tuple[tuple[PathText, ...], ...] = ()
    """Sources opened, the latest first."""
    readings: tuple[KeptReading, ...] = ()
    """Files that are read with options of the user's, those opened last first."""
    lesson_steps: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    """The step at which each lesson was left, by its id."""
    lessons_done: tuple[str, ...] = ()
    started_before: bool = False

    @model_validator(mode="before")
    @classmethod
    def _without_former(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        return {name: value for name, value in values.items() if name not in FORMER}

    @field_validator("shortcuts")
    @classmethod
    def _by_present_names(cls, shortcuts: dict[str, str]) -> dict[str, str]:
        return {FORMER_ACTIONS.get(name, name): keys for name, keys in shortcuts.items()}

    def with_recent(self, source: tuple[str, ...]) -> Settings:
        """The settings after opening `source`."""
        others = tuple(s for s in self.recent if s != source)
        return updated(self, {"recent": (source, *others)[:RECENT]})

    def reading_of(self, source: tuple[str, ...]) -> KeptReading | None:
        """Return how these files, in any order, were read last; None where that was without options of the user's."""
        return next((kept for kept in self.readings if sorted(kept.source) == sorted(source)), None)

    def with_reading(self, source: tuple[str, ...], reading: ReadOptions) -> Settings:
        """Return the settings after `source` was read so; reading without options is not kept."""
        others = tuple(kept for kept in self.readings if sorted(kept.source) != sorted(source))
        now = (KeptReading(source=source, reading=reading),) if reading != ReadOptions() else ()
        most = 24
        return updated(self, {"readings": (*now, *others)[:most]})


def usual_memory() -> int:
    """Half of the machine's memory, at most four GiB; in MiB."""
    physical = physical_memory()
    most = 4096
    return most if physical is None else max(64, min(most, physical // (2 * MEBIBYTE)))


def log_folder() -> Path:
    """Where faults of the program are logged."""
    return user_folder() / "log"


def last_session_path() -> Path:
    """The session saved automatically when the window closes."""
    return user_folder() / "last.mvx.json"


def read_settings() -> tuple[Settings, str]:
    """The preferences, and a sentence to show where their file was broken and set aside."""
    path = user_folder() / "settings.json"
    try:
        return Settings.model_validate_json(read_document(path)), ""
    except FileNotFoundError:
        return Settings(), ""
    except (OSError, ValueError, ValidationError):
        aside = path.with_suffix(".broken.json")
        try:
            make_way(path, aside)
        except OSError:
            return Settings(), f"The preferences {path} cannot be read; the defaults are used."
        return Settings(), f"The preferences were broken and are kept as {aside}; the defaults are used."


def write_settings(settings: Settings) -> str:
    """Store the preferences; returns a sentence to show where that failed."""
    path = user_folder() / "settings.json"
    try:
        make_own_folder(path.parent)
        write_bytes(path, settings.model_dump_json(indent=1).encode(), OWN_FILE)
    except OSError as error:
        return one_line(f"The preferences cannot be kept in {path}: {reason(error)}.")
    return ""


def change_settings(edit: Callable[[Settings], Settings], present: Settings) -> tuple[Settings, str]:
    """Make one change to the preferences as they are stored now, which another window may have changed meanwhile.

    Where none are stored, the window's `present` ones are changed. Returns the changed preferences, and a sentence to
    show where they could not be stored.
    """
    with _alone():
        stored, problem = read_settings() if os.path.isfile(user_folder() / "settings.json") else (present, "")
        changed = edit(present if problem else stored)
        return changed, write_settings(changed)


def keep_reading(source: tuple[str, ...], reading: ReadOptions) -> str:
    """Have the window read files so from now on; returns a sentence to show where that cannot be stored."""
    return change_settings(lambda settings: settings.with_reading(source, reading), Settings())[1]


@contextmanager
def _alone() -> Iterator[None]:
    """Keep other windows from changing the preferences, as far as the system can."""
    patience = 0.5  # for another window that stores its preferences: it takes milliseconds
    lock = None
    with suppress(OSError):
        make_own_folder(user_folder())
        lock = try_lock(user_folder() / "settings.json.lock", patience)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()
