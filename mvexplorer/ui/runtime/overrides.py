"""Exceptions in methods that Qt calls: before Python 3.12, PySide ends the process when one was raised in C.

Until it is caught, such an exception (an array's IndexError, say) is a bare pair of type and text, and PySide takes the
text for an exception (seen with 6.8 to 6.11 on Python 3.11). Caught and raised again, it is reported as usual.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from types import FunctionType
from typing import Any


def make_exceptions_whole() -> None:
    """Make the methods that Qt calls, ours and pyqtgraph's, catch and re-raise their exceptions."""
    if sys.version_info >= (3, 12):
        return
    from PySide6.QtCore import QObject
    from PySide6.QtWidgets import QGraphicsItem

    ours = ("mvexplorer.", "pyqtgraph.")
    for cls in dict.fromkeys((*_below(QObject), *_below(QGraphicsItem))):
        if not cls.__module__.startswith(ours):
            continue
        for name, method in list(vars(cls).items()):
            if isinstance(method, FunctionType) and not hasattr(method, "__wrapped__") and _overrides(cls, name):
                setattr(cls, name, _whole(method))


def _below(cls: type) -> Iterator[type]:
    subs: list[type] = type.__subclasses__(cls)
    for sub in subs:
        yield sub
        yield from _below(sub)


def _overrides(cls: type, name: str) -> bool:
    """True if a Qt base class has a method of that name."""
    return any(name in vars(base) for base in cls.__mro__ if base.__module__.startswith("PySide6."))


def _whole(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def called(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except BaseException:
            raise

    return called
