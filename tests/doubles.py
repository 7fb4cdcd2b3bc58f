"""Stand-ins that tests of several rooms share."""

from contextlib import suppress
from queue import Empty

from mvexplorer.compute.run.scheduler import Job


class FunctionJob(Job):
    """A job that calls a function with its task. It does not survive pickle: for tests alone."""

    def __init__(self, function):
        self.function = function

    def run(self, cache, task):
        return self.function(task)


def do_next(mail):
    """Do what a worker has posted, or wait a moment: a worker is idle shortly after its last post, and says nothing."""
    with suppress(Empty):
        mail.get(timeout=0.02)()
