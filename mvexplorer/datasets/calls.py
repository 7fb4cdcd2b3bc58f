"""Generated data as a source: ``make_toy_train(case='noise')``, which a session can name and have made again.

Such a text is read, never executed: it names a generator of this program, and plain values.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from mvexplorer import datasets
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError

_CALL = re.compile(r"make_[a-z0-9_]+\(.*\)")


def is_call(source: str) -> bool:
    """True if a source is a generator with its keywords, not a file; by its form: such a generator need not exist."""
    longest = 400  # characters of a call of ours
    return len(source) <= longest and _CALL.fullmatch(source) is not None


def call_text(generator: str, keywords: Mapping[str, Any]) -> str:
    """A generator with its keywords (name -> number, word or pair) as a source, which `make_called` reads.

    Examples
    --------
    >>> from mvexplorer.datasets.calls import call_text
    >>> call_text("make_toy_train", {"case": "noise"})
    "make_toy_train(case='noise')"
    """
    return f"{generator}({', '.join(f'{name}={value!r}' for name, value in keywords.items())})"


def make_called(text: str) -> MultiView:
    """The data of a source that `call_text` wrote.

    DataError where there is no such generator, it takes no such keywords, or the text holds more than plain values.
    """
    generator, keywords = _parsed(text)
    make: Callable[..., MultiView] | None = getattr(datasets, generator) if generator in datasets.__all__ else None
    if make is None:
        raise DataError(f"There is no generator called {generator}.", f"There are {', '.join(datasets.__all__)}.")
    parameters = inspect.signature(make).parameters
    if strange := [name for name in keywords if name not in parameters]:
        raise DataError(f"{generator} takes no keyword {strange[0]}.", f"It takes {', '.join(parameters)}.")
    _check_size(keywords)
    try:
        return make(**keywords)
    except (TypeError, ValueError) as error:
        hint = "Correct the keywords, or leave them out."
        raise DataError(f"{text} cannot be made: {getattr(error, 'message', error)}", hint) from None


def _check_size(keywords: Mapping[str, Any]) -> None:
    n = keywords.get("n_samples", 0)
    most = 50_000  # sessions come from strangers
    if not isinstance(n, int) or n > most:
        raise DataError(f"{n} is no number of samples up to {most:,}.", "Ask for fewer samples.")


def _parsed(text: str) -> tuple[str, dict[str, Any]]:
    """The generator's name and its keywords."""
    try:
        call = ast.parse(text, mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)) or call.args:
            raise ValueError
        return call.func.id, {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        hint = "Write make_toy_train(case='noise'): keywords with numbers, words or pairs."
        raise DataError(f"{text} is no generator with its keywords.", hint) from None
