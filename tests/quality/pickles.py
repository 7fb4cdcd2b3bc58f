"""Examples of what must survive pickle: every class in `mvx.__all__`, and every exception of the program."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import mvexplorer as mvx

EXAMPLES = {"str": "It rained.", "Sequence[int]": [0, 2], "int": 3, "float": 0.5}
"""An argument for each annotation of an error; others get an empty tuple."""


def data() -> Any:
    """Two small views."""
    X = np.random.default_rng(0).normal(size=(24, 3))
    return mvx.MultiView([X, X[:, :2] ** 2], labels=["a", "b"] * 12, view_names=("one", "two"))


OBJECTS: dict[str, Callable[[], Any]] = {
    "MultiView": data,
    "Embedding": lambda: mvx.embed(data(), "multiview", epsilon=1.0),
    "MultiViewEmbedding": lambda: mvx.MultiViewEmbedding("multiview", epsilon=1.0).fit(list(data().Xs)),
}
"""How to make one of each class in `mvx.__all__`."""


def public_classes() -> list[str]:
    """Names of the classes in `mvx.__all__`."""
    return [name for name in mvx.__all__ if inspect.isclass(getattr(mvx, name))]


def error_classes() -> list[type[BaseException]]:
    """All exceptions that the program defines below the window."""
    for found in pkgutil.walk_packages(mvx.__path__, "mvexplorer."):
        if found.name.split(".")[1] not in ("ui", "cli", "__main__"):
            importlib.import_module(found.name)
    own = {kind for kind in _family(Exception) if kind.__module__.partition(".")[0] == "mvexplorer"}
    return sorted(own, key=lambda kind: kind.__name__)


def _family(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    for below in kind.__subclasses__():
        yield below
        yield from _family(below)


def example(kind: type[BaseException]) -> BaseException:
    """An error with every argument given."""
    if kind.__init__ is Exception.__init__:
        return kind("It rained.")
    wanted = inspect.signature(kind).parameters.values()
    return kind(*(EXAMPLES.get(str(p.annotation), ()) for p in wanted))


def same(a: Any, b: Any) -> bool:
    """Whether two objects say the same: arrays by value, others by their attributes."""
    if isinstance(a, np.ndarray):
        return (
            isinstance(b, np.ndarray)
            and a.dtype == b.dtype
            and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
        )
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if type(a) is not type(b):
        return False
    kept = getattr(a, "__dict__", None)
    return bool(a == b) if kept is None else same(kept, b.__dict__)


def problem(made: Any) -> str:
    """Why an object does not come back from pickle as it was; nothing where it does."""
    try:
        back = pickle.loads(pickle.dumps(made))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "" if same(made, back) else "it comes back changed"


def samples() -> dict[str, Callable[[], Any]]:
    """How to make one of each class that must survive."""
    errors = {kind.__name__: partial(example, kind) for kind in error_classes()}
    return {name: OBJECTS[name] for name in public_classes()} | errors


def lost() -> Iterator[str]:
    """Names of the classes that do not survive, each with the reason."""
    found = ((name, problem(make())) for name, make in samples().items())
    yield from (f"{name}: {why}" for name, why in found if why)
