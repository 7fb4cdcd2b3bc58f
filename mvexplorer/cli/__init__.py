"""The command line: the headless twin of the window. No Qt before it is needed, no traceback for a user's mistake.

`entry` reads the arguments and calls a command; `lists`, `numbers` and `pictures` are the commands, `given` and `said`
what comes in and goes out.
"""

from mvexplorer.cli.entry import main, window

__all__ = ["main", "window"]
