"""How far a computation is, in a notebook: a bar by tqdm where that is installed, else a line on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def notebook_progress(words: str) -> Iterator[Callable[[float], None] | None]:
    """A function that shows how much is done, and of what; None outside of notebooks. What it shows goes at the end."""
    if not _in_notebook():
        yield None
        return
    show = _Bar(words)
    try:
        yield show.fraction
    finally:
        show.close()


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this: it has loaded IPython, which is asked only then."""
    ipython = sys.modules.get("IPython")
    return hasattr(ipython.get_ipython() if ipython else None, "kernel")


class _Bar:
    """Appears with the first part that is told to be done: what is done at once shows nothing."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._tqdm: Any = None
        self._shown = False

    def fraction(self, done: float) -> None:
        if not self._shown and done >= 1.0:
            return
        percent = round(100.0 * done)
        if not self._shown:
            self._shown, self._tqdm = True, _tqdm_of(self._words)
        if self._tqdm is not None:
            self._tqdm.update(percent - self._tqdm.n)
        else:
            sys.stderr.write(f"\r{percent:3d} %  {self._words}")
            sys.stderr.flush()

    def close(self) -> None:
        if self._tqdm is not None:
            self._tqdm.close()
        elif self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def _tqdm_of(words: str) -> Any:
    try:
        with warnings.catch_warnings():  # that it has no widgets here, and writes text
            warnings.simplefilter("ignore")
            tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        return None
    return tqdm(total=100, desc=words, leave=False, bar_format="{desc}: {percentage:3.0f} % |{bar}| {elapsed}")
