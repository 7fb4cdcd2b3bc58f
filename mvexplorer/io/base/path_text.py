"""Paths as text: as people write them, and in JSON, which has no place for bytes of a name that are no UTF-8."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote_from_bytes, unquote_to_bytes

from pydantic import BeforeValidator, PlainSerializer

from mvexplorer.errors import DataError
from mvexplorer.wording import readable

BYTES = "file-name-bytes:"
"""Begins a path in JSON whose bytes are no UTF-8; what follows is percent-encoded."""


def full_path(name: str | Path) -> Path:
    """Fill the user's home folder in; DataError for an empty path, which `Path` takes for the working folder."""
    if not str(name):
        raise DataError("The name of a file is empty.", "Give its path, or leave it out.")
    # pathlib raises where there is no such user, os.path leaves the name as it is.
    return Path(os.path.expanduser(name))


def path_to_json(path: str) -> str:
    """Convert a path to its JSON form: the path itself, wherever it can be written."""
    plain = readable(path) == path and not path.startswith(BYTES)
    return path if plain else BYTES + quote_from_bytes(os.fsencode(path))


def path_from_json(path: Any) -> Any:
    """Convert a path from its JSON form to the system's; anything but text stays as it is."""
    coded = isinstance(path, str) and path.startswith(BYTES)
    return os.fsdecode(unquote_to_bytes(path.removeprefix(BYTES))) if coded else path


PathText = Annotated[str, BeforeValidator(path_from_json), PlainSerializer(path_to_json, when_used="json")]
"""The path of a file, or a name that may hold one; any file's name can be kept."""
