"""Preferences: what belongs to the user and not to a document. A JSON file in the user's folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from mvexplorer.state.model import Frozen, updated

HOME_VARIABLE = "MVEXPLORER_HOME"
"""Environment variable that names the folder to keep everything in instead of the user's own."""
RECENT = 12
MEBIBYTE = 1 << 20
MOST_USUAL = 4096


class Settings(Frozen):
    """The user's preferences."""

    theme: Literal["system", "light", "dark"] = "system"
    animate: bool = True
    align: bool = True
    link_cameras: bool = True
    spectrum_log: bool = False
    memory_mebibytes: Annotated[int, Field(ge=64, le=1 << 20)] = Field(default_factory=lambda: usual_memory())
    """What a computation's matrices may take, and what is kept of them."""
    recent: tuple[tuple[str, ...], ...] = ()
    """Sources opened, the latest first."""
    started_before: bool = False

    @model_validator(mode="before")
    @classmethod
    def _forget_former(cls, given: Any) -> Any:
        """Versions before 0.5 had a limit for the cache alone."""
        return {k: v for k, v in given.items() if k != "cache_mebibytes"} if isinstance(given, dict) else given

    def with_recent(self, source: tuple[str, ...]) -> Settings:
        """The settings after opening `source`."""
        others = tuple(s for s in self.recent if s != source)
        return updated(self, {"recent": (source, *others)[:RECENT]})


def usual_memory() -> int:
    """Half of the machine's memory, at most four GiB; in MiB."""
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # no such question on Windows
        return MOST_USUAL
    return max(64, min(MOST_USUAL, physical // (2 * MEBIBYTE)))


def user_folder() -> Path:
    """Where preferences and the last session are kept."""
    if os.environ.get(HOME_VARIABLE):
        return Path(os.environ[HOME_VARIABLE])
    from platformdirs import user_config_path

    return user_config_path("mvexplorer", appauthor=False)


def last_session_path() -> Path:
    """The session saved by itself when the window closes."""
    return user_folder() / "last.mvx.json"


def read_settings() -> tuple[Settings, str]:
    """The preferences, and a sentence to show where their file was broken and set aside."""
    path = user_folder() / "settings.json"
    try:
        return Settings.model_validate_json(path.read_text("utf-8")), ""
    except FileNotFoundError:
        return Settings(), ""
    except (OSError, ValueError, ValidationError):
        aside = path.with_suffix(".broken.json")
        try:
            path.replace(aside)
        except OSError:
            return Settings(), f"The preferences {path} cannot be read; the defaults are used."
        return Settings(), f"The preferences were broken and are kept as {aside}; the defaults are used."


def write_settings(settings: Settings) -> str:
    """Store the preferences; returns a sentence to show where that failed."""
    path = user_folder() / "settings.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(".part")
        scratch.write_text(settings.model_dump_json(indent=1), "utf-8")
        os.replace(scratch, path)
    except OSError as error:
        return f"The preferences cannot be kept in {path}: {(error.strerror or str(error)).lower()}."
    return ""
