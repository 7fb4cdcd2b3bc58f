"""A command's arguments: data, settings, and paths to write to."""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mvexplorer.cli.output import note
from mvexplorer.engine.api.export import EXPORT_SUFFIXES
from mvexplorer.engine.api.recipes import recipes, with_recipe
from mvexplorer.engine.bandwidth.table import DEFAULT_RULE
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.errors import (
    DataError,
    ParameterError,
)
from mvexplorer.io.reading.files import Loaded
from mvexplorer.wording import in_words
from mvexplorer.writing import check_writable

GENERAL = ("epsilon", "kernel", "metric")
"""Settings of every method, beside its own parameters."""
RULE = "rule"
"""Prefix of the settings of bandwidth rules: one of them, `multiview`, is called as a method is."""


def settings_of(given: Sequence[str], method: str) -> dict[str, Any]:
    """The NAME=VALUE settings that concern one method; specific ones override general ones."""

    names = {p.name for m in methods() for p in m.params} | set(GENERAL)
    own = {p.name for p in get_method(method).params} | set(GENERAL)
    general: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    rules = rule_settings(given)
    for text in given:
        name, equals, value = text.partition("=")
        owner, dot, rest = name.rpartition(".")
        if not equals:
            raise ParameterError(f"--set {text} has no value.", "Write --set name=value.")
        if owner == RULE:
            continue
        if dot:
            if rest not in {p.name for p in get_method(owner).params} | set(GENERAL):
                raise ParameterError(f"{owner} has no parameter called {rest}.", "See: mvexplorer methods --json")
            if owner == method:
                specific[rest] = value
        elif name not in names:
            raise ParameterError(f"No method has a parameter called {name}.", "See: mvexplorer methods --json")
        elif name in own:
            general[name] = value
    return {**general, **specific, **({"rule_params": rules} if rules else {})}


def rule_settings(given: Sequence[str]) -> dict[str, str]:
    """The settings of bandwidth rules, ``rule.NAME=VALUE``."""
    parts = [text.partition("=") for text in given if text.startswith(f"{RULE}.")]
    return {name.removeprefix(f"{RULE}."): value for name, _, value in parts}


def unused_settings(given: Sequence[str], method: str) -> list[str]:
    """Names of general settings that this method lacks."""
    used, names = settings_of(given, method), (text.partition("=")[0] for text in given)
    return [name for name in names if "." not in name and name not in used]


def opening_epsilon(loaded: Loaded, recipe: str | None = None) -> Any:
    """The bandwidth a sample opens with, the default rule for other data.

    A number has the unit of Euclidean distances: where a recipe measures others, it gives way to the rule.
    """
    if loaded.manifest is None:
        return DEFAULT_RULE
    each = {name: loaded.manifest.open.epsilon_of(name) or DEFAULT_RULE for name in loaded.data.view_names}
    if recipe is None or recipes()[recipe].metric == EUCLIDEAN:
        return each
    return {name: epsilon if isinstance(epsilon, str) else DEFAULT_RULE for name, epsilon in each.items()}


def method_and_settings(options: argparse.Namespace, loaded: Loaded) -> tuple[str, dict[str, Any]]:
    """The method named, or multiview for two and more views and single for one; and its settings."""
    method = options.method or ("multiview" if loaded.data.n_views > 1 else "single")
    return method, {
        "epsilon": opening_epsilon(loaded, options.recipe),
        **settings_of(options.settings, method),
        "recipe": options.recipe,
    }


def kernels_by_recipe(recipe: str | None, given: Mapping[str, Any], data: MultiView) -> dict[str, Any]:
    """Kernels and metrics for what has no method, such as rules: those `given`, else a recipe's; notes are said."""
    every_view = get_method("kernel-sum")
    settings, notices = with_recipe(recipe, every_view, data, given)
    for notice in notices:
        note(notice)
    return {name: value for name, value in settings.items() if name in GENERAL}


def check_picture(path: str, endings: tuple[str, ...]) -> None:
    """Refuse a picture that could not be written."""
    _check_out(path, "Pictures", endings)


def check_table(path: str) -> None:
    """Refuse a table that could not be written."""

    _check_out(path, "Coordinates", EXPORT_SUFFIXES)


def check_session(path: str) -> None:
    """Refuse a session that could not be written."""
    _check_out(path, "Sessions", (".mvx.json", ".mvx"))


def check_data_file(path: str) -> None:
    """Refuse a data file that could not be written."""
    _check_out(path, "Data", (".npz",))


def check_scores(path: str) -> None:
    """Refuse a table of scores that could not be written."""
    _check_out(path, "Scores", (".csv", ".parquet"))


def check_description(path: str) -> None:
    """Refuse a description of a selection that could not be written."""
    _check_out(path, "Descriptions of a selection", (".csv",))


def check_spectrum(path: str) -> None:
    """Refuse a spectrum, as numbers or as a picture, that could not be written."""
    _check_out(path, "Spectra", (".csv", ".png", ".svg", ".pdf"))


def check_script(path: str, *, notebook: bool) -> None:
    """Refuse a script that could not be written; a notebook has to end in .ipynb."""
    what, endings = ("Notebooks", (".ipynb",)) if notebook else ("Scripts", (".py", ".ipynb"))
    _check_out(path, what, endings)


def check_folder(path: str) -> None:
    """Refuse a folder that could not be made or written to."""
    folder = Path(os.path.abspath(path))
    there = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
    code = errno.EEXIST if not there.is_dir() else 0 if os.access(there, os.W_OK) else errno.EACCES
    if code:
        with in_words(DataError, f"The folder {path} cannot be made"):
            raise OSError(code, os.strerror(code))


def _check_out(path: str, what: str, endings: tuple[str, ...]) -> None:
    """Refuse a wrong ending or a missing folder before anything is computed."""
    name = Path(path).name.lower()
    if not name.endswith(endings) or name in endings:
        choice = f"{', '.join(endings[:-1])} or {endings[-1]}" if len(endings) > 1 else endings[0]
        raise DataError(f"{what} cannot be written as “{path}”.", f"End the file's name in {choice}.")
    folder = Path(os.path.abspath(path)).parent
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}.", "Create it, or choose another.")
    with in_words(DataError, f"{path} cannot be written"):
        check_writable(path)
