"""A workbench with a library and no window: what it tells is kept."""

from queue import SimpleQueue

from doubles import do_until

from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.session.settings import Settings


class Clock:
    """A timer that runs out when the test says so."""

    def __init__(self):
        self.running = False

    def start(self):
        self.running = True

    def stop(self):
        self.running = False

    def isActive(self):
        return self.running


class Desk:
    """A workbench with its library, and what the library tells."""

    def __init__(self, *, keeps=True):
        self.inbox, self.clock = SimpleQueue(), Clock()
        self.bench = Workbench(Settings(), self.inbox.put, keeps_settings=keeps)
        self.library = Library(self.bench, self.clock)
        self.document = self.bench.document
        self.told, self.opened, self.refused, self.file = [], [], [], []
        self.library.told.connect(self.told.append)
        self.library.opened.connect(self.opened.append)
        self.library.refused.connect(self.refused.append)
        self.library.file_changed.connect(self.file.append)
        self.bench.document.changed.connect(lambda change: self.library.autosave.edited(change.before))

    def turn_until(self, reached):
        do_until(reached, self.inbox)

    def rest(self):
        self.turn_until(lambda: self.bench.controller.idle and self.library.autosave.idle and self.inbox.empty())

    def open(self, *files):
        before = len(self.opened) + len(self.refused)
        self.library.open_files(tuple(str(f) for f in files))
        self.turn_until(lambda: len(self.opened) + len(self.refused) > before)

    def close(self):
        self.library.autosave.stop()
        self.bench.controller.shutdown()
