"""The system's dialogs for files, each of which starts in the folder that the last one was left in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QListView, QTreeView, QWidget

_last = Path()
"""The folder of the file chosen last; at first the working directory."""


def start_in(files: Sequence[str]) -> None:
    """Propose the folder of files that were dropped, as if they had been chosen here."""
    _remembered(*files)


def open_files(parent: QWidget, title: str, kinds: str) -> tuple[str, ...]:
    """The files chosen; none after Cancel."""
    files, _ = QFileDialog.getOpenFileNames(parent, title, _start(), kinds)
    return _remembered(*files)


def open_file(parent: QWidget, title: str, kinds: str) -> str:
    """The file chosen; empty after Cancel."""
    file, _ = QFileDialog.getOpenFileName(parent, title, _start(), kinds)
    return "".join(_remembered(file))


def open_folder(parent: QWidget, title: str) -> str:
    """The folder chosen; empty after Cancel."""
    return "".join(_remembered(QFileDialog.getExistingDirectory(parent, title, _start())))


def open_folders(parent: QWidget, title: str) -> tuple[str, ...]:
    """The folders chosen, one or several; none after Cancel.

    The systems' own dialogs let nobody choose several folders, and Qt's own allows it only view by view.
    """
    dialog = QFileDialog(parent, title, _start())
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    for view in (*dialog.findChildren(QListView, "listView"), *dialog.findChildren(QTreeView, "treeView")):
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    chosen = dialog.selectedFiles() if dialog.exec() else []
    dialog.deleteLater()
    return _remembered(*chosen)


def save_file(parent: QWidget, title: str, name: str, kinds: str) -> Path | None:
    """The file to write, with the ending of the name suggested where it was given none; None after Cancel.

    The name is suggested in the last folder, unless it has one of its own.
    """
    suggested = name if Path(name).is_absolute() else str(_last / name)
    file, _ = QFileDialog.getSaveFileName(parent, title, suggested, kinds)
    if not "".join(_remembered(file)):
        return None
    path = Path(file)
    return path if "." in path.name else path.with_name(f"{path.name}.{name.rpartition('.')[2]}")


def _start() -> str:
    return "" if _last == Path() else str(_last)


def _remembered(*files: str) -> tuple[str, ...]:
    global _last
    if files and files[0]:
        _last = Path(files[0]).parent
    return files
