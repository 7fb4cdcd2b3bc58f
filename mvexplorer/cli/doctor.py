"""The command that lists versions and missing software, and where a window's memory goes.

It runs where libraries are missing: it imports none.
"""

from __future__ import annotations

import argparse

from mvexplorer.cli.offscreen import qt_offscreen
from mvexplorer.cli.output import print_table, say
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.wording import size


def doctor_command(options: argparse.Namespace) -> int:
    """List versions, and missing software; or the parts of a window's memory."""
    if options.memory:
        return _tell_memory()
    from mvexplorer.ui.runtime.doctor import report

    lines, healthy = report()
    for line in lines:
        say(line)
    return 0 if healthy else 2


def _tell_memory() -> int:
    """Print the parts of a window's memory."""
    qt_offscreen()
    with interrupts_wait():
        from mvexplorer.ui.offscreen import memory_after_drag

    say("The memory of a window with the first sample, after a drag:")
    print_table([(kind, size(count)) for kind, count in memory_after_drag()])
    return 0
