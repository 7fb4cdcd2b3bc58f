"""A task that keeps what it is told, before it is brought into 0 to 1."""

from mvexplorer.engine.core.task import Task


class Reporting(Task):
    """Keeps every fraction that is reported to it, as it is."""

    def __init__(self):
        super().__init__()
        self.reported = []

    def progress(self, fraction):
        self.reported.append(fraction)
        super().progress(fraction)
