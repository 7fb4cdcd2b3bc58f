"""The dialogs for opening and saving; the library does the work."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import SUFFIXES
from mvexplorer.io.writing.package import PACKAGE_SUFFIX
from mvexplorer.state.bench.importing import Importing
from mvexplorer.state.bench.library import Library
from mvexplorer.state.session.session import SUFFIX, is_session
from mvexplorer.ui.importing.page import ImportPage
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.file_dialogs import open_file, open_files, open_folder, open_folders, save_file, start_in
from mvexplorer.ui.window.gallery import GalleryOnShow
from mvexplorer.ui.window.start.start_page import StartPage
from mvexplorer.ui.window.teaching.on_show import LessonsOnShow

FILES = f"Data ({' '.join(f'*{s}' for s in SUFFIXES)});;Sessions (*.mvx *.mvx.json);;All files (*)"


class OpenDialogs:
    """Asks what to open, whether to save, and where."""

    def __init__(self, window: QWidget, library: Library, gallery: GalleryOnShow, lessons: LessonsOnShow) -> None:
        self._window, self._library, self.gallery, self._lessons = window, library, gallery, lessons
        library.ask_save, library.ask_path = self._ask_save, self._ask_path
        library.ask_package, library.ask_place = self._ask_package, self._ask_place
        library.imports.answers = True

    def choose_files(self) -> None:
        """Ask for files and open them."""
        files = open_files(self._window, "Open data", FILES)
        if files:
            self._library.open_files(tuple(files))

    def import_files(self) -> None:
        """Ask for files and show how they are read."""
        files = open_files(self._window, "Import data", FILES)
        if files:
            last = self._library.imports.last_reading(files)
            self._library.imports.begin(*((last.source, last.reading) if last else (files, ReadOptions())))

    def add_files(self) -> None:
        """Ask for more files for the import page."""
        self.drop(open_files(self._window, "Add files", FILES))

    def drop(self, files: tuple[str, ...]) -> None:
        """Take files that were dropped: on the import page they join the others there."""
        start_in(files)
        importing = self._library.imports.present
        if importing is not None and not any(is_session(file) for file in files):
            importing.add_files(files)
        elif files:
            self._library.open_files(files)

    def import_page(self, importing: Importing) -> ImportPage:
        """The page that shows how files are read."""
        page = ImportPage(importing)
        page.files_wanted.connect(self.add_files)
        page.left.connect(self._library.imports.leave)
        return page

    def choose_folders(self) -> None:
        """Ask for folders of pictures, recordings or tables and open them."""
        folders = open_folders(self._window, "Open folders of pictures, recordings or tables")
        if folders:
            self._library.open_files(folders)

    def choose_session(self) -> None:
        """Ask for a session and open it."""
        sessions = f"mvexplorer sessions (*{PACKAGE_SUFFIX} *{SUFFIX})"
        file = open_file(self._window, "Open session", sessions)
        if file:
            self._library.open_session(Path(file))

    def save_with_data(self) -> None:
        """Ask for a file and save the session there with its data, in the background."""
        path = self._ask_package()
        if path is not None:
            self._library.write(path, wait=False)

    def start_page(self) -> StartPage:
        """The page shown while there is no data."""
        settings = self._lessons.settings
        page = StartPage(self._library.kept, self._library.recent, settings.lessons_done, settings.lesson_steps)
        page.files_wanted.connect(self.choose_files)
        page.source_chosen.connect(self._library.open_files)
        page.gallery_wanted.connect(self.gallery.show)
        page.lessons_wanted.connect(self._lessons.show_list)
        page.lesson_chosen.connect(self._lessons.begin)
        page.kept_chosen.connect(self._library.continue_last)
        page.deletion_wanted.connect(lambda path, line: self._delete_kept(page, path, line))
        return page

    def _delete_kept(self, page: StartPage, path: Path, line: str) -> None:
        text = f"{line}. Unless you saved it, it is in no other file."
        answer = dialogs.choose(self._window, "Delete this work?", text, ("Keep", "Delete"))
        if answer == 1 and self._library.delete_kept(path):
            page.take_away(path)

    def _ask_place(self, folder: bool) -> Path | None:
        title = "Where is the data of the session?"
        place = open_folder(self._window, title) if folder else open_file(self._window, title, FILES)
        return Path(place) if place else None

    def _ask_path(self, start: str) -> Path | None:
        path = save_file(self._window, "Save session", start, f"mvexplorer sessions (*{SUFFIX})")
        if path is None or path.name.endswith(SUFFIX):
            return path
        return path.with_name(path.name.removesuffix(".json").removesuffix(PACKAGE_SUFFIX) + SUFFIX)

    def _ask_package(self) -> Path | None:
        name = (self._library.session_name or "session") + PACKAGE_SUFFIX
        path = save_file(self._window, "Save with data", name, f"Sessions with data (*{PACKAGE_SUFFIX})")
        if path is None or path.name.endswith(PACKAGE_SUFFIX):
            return path
        return path.with_name(path.name.removesuffix(SUFFIX) + PACKAGE_SUFFIX)

    def _ask_save(self, what: str) -> bool | None:
        title = f"Save your work before you {what}?"
        saved = self._library.session_path is not None
        text = "It has changes that its file does not hold." if saved else "It was never saved."
        answer = dialogs.choose(self._window, title, text, ("Save", "Discard changes"))
        return None if answer is None else answer == 0
