"""The folders that the program makes for itself: nobody but their user may look into them."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

HOME_VARIABLE = "MVEXPLORER_HOME"
"""Environment variable: the folder for all that the program keeps, instead of the system's usual ones."""
OWN_FILE = 0o600
"""Permissions of files of the program's own: data and paths of the user's stand in them."""


def make_own_folder(folder: Path) -> None:
    """Make a folder of the program's own and those above it that are missing; OSError where that is impossible.

    One that is there is closed to others, since earlier versions left it open; not so the one that `HOME_VARIABLE`
    names and a link, which the user chose.
    """
    for each in reversed(folder.parents):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if os.name == "posix" and folder != Path(os.environ.get(HOME_VARIABLE, "")):
        with suppress(OSError):
            mode = folder.lstat().st_mode
            if stat.S_ISDIR(mode) and mode & 0o077:
                folder.chmod(0o700)


def user_folder() -> Path:
    """Where preferences and the last session are kept; without a home, a path below a device, where nothing exists."""
    if os.environ.get(HOME_VARIABLE):
        return Path(os.environ[HOME_VARIABLE])
    from platformdirs import user_config_path

    try:
        folder = user_config_path("mvexplorer", appauthor=False)
    except RuntimeError:  # no home; earlier platformdirs return “~” as it is
        folder = Path()
    return folder if folder.is_absolute() else Path(os.devnull, "mvexplorer")


def handed_over_folder() -> Path:
    """Where arrays lie that were shown from Python."""
    return user_folder() / "from-python"


def handed_over(source: Sequence[str]) -> bool:
    """True if data lies in that folder, where it does not stay."""
    return any(Path(path).parent == handed_over_folder().resolve() for path in source)
