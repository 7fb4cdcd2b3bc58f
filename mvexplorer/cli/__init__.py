"""The command line: the headless twin of the window. No Qt before it is needed, no traceback for a user's mistake.

`entry` reads the arguments and calls a command. `lists`, `computing` and `pictures` hold the commands, `inputs` and
`output` what they are given and what they say.
"""

from mvexplorer.cli.entry import main, window

__all__ = ["main", "window"]
