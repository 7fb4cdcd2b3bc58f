"""The one place that finds the files shipped with the program.

A wheel carries them inside the package (`_resources`, `_sample_datasets`); a checkout has them beside it.
"""

from __future__ import annotations

from pathlib import Path


def _folder(name: str) -> Path:
    package = Path(__file__).resolve().parent
    inside = package / f"_{name}"
    return inside if inside.is_dir() else package.parent / name


def resource(*parts: str) -> Path:
    """Path of a file below `resources/`, for example ``resource("icons", "plus.svg")``."""
    return _folder("resources").joinpath(*parts)


def sample_folder() -> Path:
    """Folder that holds one folder per built-in sample data set."""
    return _folder("sample_datasets")
