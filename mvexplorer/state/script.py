"""A panel as the lines of Python that make its coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError
from mvexplorer.state.requests import request_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.state.model import DocumentState, PanelState

WIDTH = 100
"""Longer calls are written over several lines."""


def panel_script(state: DocumentState, data: MultiView | None, panel: PanelState) -> str:
    """The lines that load the data and compute the panel's embedding, through the public functions.

    Parameters
    ----------
    state : DocumentState
        The document's state.
    data : MultiView or None
        The document's data.
    panel : PanelState
        One of the document's panels.

    Returns
    -------
    str

    Raises
    ------
    MVExplorerError
        The panel cannot be computed as it is, or its data came from no file.
    """
    request = request_of(state, data, panel)
    if not state.source or state.source == ("memory",):
        raise DataError("This data came from no file, so that no script can load it.", "Save it to a file first.")
    method = get_method(request.method)
    defaults = {p.name: p.default for p in method.params}
    given = {name: value for name, value in request.params if value != defaults.get(name) or name == "n_components"}
    options: dict[str, Any] = {
        "views": request.views,
        "epsilon": _one_or_all(e.given for e in request.epsilon),
        "kernel": _one_or_all(k.text for k in request.kernels),
        **given,
    }
    if options["kernel"] == "gaussian":
        del options["kernel"]
    if not method.uses_epsilon:
        del options["epsilon"]
    if method.shows_given:
        options = given
    if request.random_state:
        options["random_state"] = request.random_state
    if request.subsample is not None:
        options["subsample"] = request.subsample
    lines = ["import mvexplorer as mvx", "", *_loading(state)]
    lines += [_call("found", "mvx.embed", ("data", repr(request.method)), options), "found.coordinates"]
    return "\n".join(lines) + "\n"


def _loading(state: DocumentState) -> list[str]:
    source = state.source[0] if len(state.source) == 1 else list(state.source)
    how = tuple(v.preprocess for v in state.views)
    options = state.reading.plain | {"preprocess": _one_or_all(how)}
    lines = [_call("data", "mvx.load", (repr(source),), options)]
    if state.sonogram is not None:
        lines.append(_call("data", "mvx.waveform_views", ("data", repr(state.sonogram.rate)),
                           {"preset": state.sonogram.preset}))  # fmt: skip
    if any(v.weights is not None for v in state.views):
        weights = [None if v.weights is None else list(v.weights) for v in state.views]
        lines.append(_call("data", "data.replace", (), {"feature_weights": weights}))
    return lines


def _one_or_all(values: Iterable[Any]) -> Any:
    """One value where all views have the same."""
    every = tuple(values)
    return every[0] if len(set(every)) == 1 else every


def _call(name: str, function: str, arguments: tuple[str, ...], options: Mapping[str, Any]) -> str:
    """An assignment from a call, on one line or with an argument's name on each."""
    named = [f"{key}={value!r}" for key, value in options.items()]
    line = f"{name} = {function}({', '.join((*arguments, *named))})"
    if len(line) <= WIDTH:
        return line
    inner = [", ".join(arguments), *named] if arguments else named
    return f"{name} = {function}(\n" + "".join(f"    {part},\n" for part in inner) + ")"
