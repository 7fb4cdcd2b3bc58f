"""The command line: the headless twin of the window. No Qt before it is needed, no traceback for a user's mistake.

`flags` declares the arguments, and `entry` reads them and calls a command. A module named after what it does holds each
command (`computing`, `sweeping`, `importing` and so on) and is imported when that is called; `inputs` reads their
arguments, and `output` prints their results.
"""

from mvexplorer.cli.entry import main, window

__all__ = ["main", "window"]
