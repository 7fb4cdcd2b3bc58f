"""What a panel can ask of the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mvexplorer.state.model import DocumentState


@dataclass(frozen=True)
class PanelActions:
    """The window's answers to a panel's menu, buttons and keys; ids and names first, then the values."""

    document: Callable[[], DocumentState]
    set_method: Callable[[str, str, str | None], None]
    change: Callable[..., None]
    duplicate: Callable[[str], None]
    close: Callable[[str], None]
    swap: Callable[[str, str], None]
    maximise: Callable[[str], None]
    pin: Callable[[str, str], None]
    unpin: Callable[[str, str], None]
    edit_pin: Callable[[str, str], None]
    retry: Callable[[str], None]
    cancel: Callable[[str], None]
    toggle_tool: Callable[[], None]
    usual: Callable[[], None]
    compute_by: Callable[[str | None, int | None], None]
    """Solve with this kernel for all views, and on this random part of the samples."""
    allow_memory: Callable[[], None]
    approximates: Callable[[str], bool]
    compare_with_dense: Callable[[str], None]
    pinnable: Callable[[str], list[tuple[str, str]]]
