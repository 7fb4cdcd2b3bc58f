"""Stand-ins that tests of several rooms share."""

from mvexplorer.compute.run.scheduler import Job


class FunctionJob(Job):
    """A job that calls a function with its task. It does not survive pickle: for tests alone."""

    def __init__(self, function):
        self.function = function

    def run(self, cache, task):
        return self.function(task)
