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


def do_until(reached, mail):
    """Do what workers post until something is reached: one is idle shortly after its last post, and says nothing."""
    for _ in range(15_000):
        if reached():
            return
        with suppress(Empty):
            mail.get(timeout=0.02)()
    raise AssertionError("nothing more comes")
