"""PySide reads the source of every module that is imported, and Python would keep each line of it."""

from __future__ import annotations

import linecache
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType


def keep_no_sources() -> None:
    """Have PySide look for its name in the files of modules, without `inspect.getsource`.

    The latter keeps what it reads in `linecache` for good: a million lines or 110 MB, once scipy, scikit-learn and
    polars are imported, and a third of a second.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):  # it is none of PySide's public names
        vars(feature)["_mod_uses_pyside"] = uses_pyside
        linecache.clearcache()


def uses_pyside(module: ModuleType) -> bool:
    """True if the source of a module names PySide; only in such ones are its features of any use."""
    path = getattr(module, "__file__", None) or ""
    with suppress(OSError):
        return path.endswith(".py") and b"PySide6" in Path(path).read_bytes()
    return False
